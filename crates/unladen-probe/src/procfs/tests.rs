use super::*;

#[test]
fn a_file_longer_than_the_buffer_is_read_whole() {
    let folder = tempfile::tempdir().unwrap();
    let content = vec![b'x'; INITIAL_BUFFER * 5 + 7];
    std::fs::write(folder.path().join("long"), &content).unwrap();
    assert_eq!(ProcFs::new(folder.path()).file("long").unwrap(), content);
}

/// Of a machine with many interfaces, or many mounts, only those of the first page were seen.
#[test]
fn of_a_list_of_several_pages_the_first_alone_was_read() {
    // Each thread has a line in the list of what is mapped, at least.
    let (end, ended) = std::sync::mpsc::channel::<()>();
    let ended = std::sync::Arc::new(std::sync::Mutex::new(ended));
    let threads: Vec<_> = (0..200)
        .map(|_| {
            let ended = std::sync::Arc::clone(&ended);
            std::thread::spawn(move || drop(ended.lock().map(|ended| ended.recv())))
        })
        .collect();
    let own = i32::try_from(std::process::id()).unwrap();
    let mut procfs = ProcFs::new("/proc");
    let last = |maps: &[u8]| maps.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().map(<[u8]>::to_vec);
    let whole = std::fs::read("/proc/self/maps").unwrap();
    assert!(whole.len() > 8192, "{} bytes", whole.len());
    assert_eq!(last(procfs.file("self/maps").unwrap()), last(&whole));
    assert_eq!(last(procfs.list_of_process(own, "maps").unwrap()), last(&whole));
    drop(end);
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn a_missing_file_is_named_in_the_error() {
    let error = ProcFs::new("/nonexistent").file("stat").unwrap_err().to_string();
    assert!(error.contains("/nonexistent/stat"), "{error}");
}

#[test]
fn the_own_clock_advances_and_a_missing_process_has_none() {
    let pid = i32::try_from(std::process::id()).unwrap();
    let before = process_cpu_ns(pid).unwrap();
    let mut x = 0_u64;
    while process_cpu_ns(pid).unwrap() < before + 2_000_000 {
        x = std::hint::black_box(x.wrapping_add(1));
    }
    assert!(thread_cpu_ns() > 0);
    // Above the largest pid that Linux gives out (2²²).
    assert_eq!(process_cpu_ns(1 << 23), None);
}
