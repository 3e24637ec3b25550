use std::io::Write as _;
use std::sync::mpsc::channel;
use std::time::Duration;

use libbpf_rs::libbpf_sys::bpf_map_create_opts;
use libbpf_rs::{MapHandle, MapType};

use super::*;

#[test]
fn what_is_written_is_read() {
    let key = Key { pid: 1, group: 2, number: 3, errno: 4 };
    assert_eq!(Key::from_raw(&key.raw()), Some(key));
    assert_eq!(Key::from_raw(&key.raw()[..11]), None);
    let entry = WatchedEntry { group: 5, own: true, cpu_ns: 6, children: 7 };
    assert_eq!(WatchedEntry::from_raw(&entry.raw()), Some(entry));
    assert_eq!(WatchedEntry::from_raw(&entry.raw()[..19]), None);
}

/// As the kernel's part has it; `None` for whom the kernel lets make none.
fn hash_map(key_size: u32, value_size: u32) -> Option<MapHandle> {
    let options = bpf_map_create_opts { sz: size_of::<bpf_map_create_opts>() as _, ..bpf_map_create_opts::default() };
    MapHandle::create(MapType::Hash, Some("test"), key_size, value_size, 65536, &options).ok()
}

/// It took minutes: after each count that was taken away, the kernel began with the first one again.
#[test]
fn counts_of_processes_that_ended_are_taken_away_without_reading_all_again() {
    const PROCESSES: u32 = 400;
    const CALLS: u16 = 50;
    let (Some(counts), Some(watched)) = (hash_map(12, 16), hash_map(4, 24)) else {
        let _ = writeln!(std::io::stderr(), "SKIPPED: only root, and who has CAP_BPF, makes maps of the kernel");
        return;
    };
    let has_ended = |pid: u32| pid.is_multiple_of(4);
    for pid in 0..PROCESSES {
        if !has_ended(pid) {
            let entry = WatchedEntry { group: 1, own: true, cpu_ns: 0, children: 1 };
            watched.update(&pid.to_ne_bytes(), &entry.raw(), MapFlags::ANY).unwrap();
        }
        for number in 0..CALLS {
            counts.update(&Key { pid, group: 1, number, errno: 0 }.raw(), &[1; 16], MapFlags::ANY).unwrap();
        }
    }
    let (done, is_done) = channel();
    std::thread::spawn(move || {
        let mut all = Counts::default();
        let taken = all.take(&counts, &watched, &[]).unwrap().len();
        let again = all.take(&counts, &watched, &[]).unwrap().len();
        let left: Vec<Key> = counts.keys().filter_map(|raw| Key::from_raw(&raw)).collect();
        let _ = done.send((taken, again, left));
    });
    let (taken, again, left) = is_done.recv_timeout(Duration::from_secs(60)).expect("it ends");
    assert_eq!((taken, again), (20_000, 0));
    assert_eq!(left.len(), 15_000);
    assert!(left.iter().all(|key| !has_ended(key.pid)));
}

#[test]
fn time_on_a_processor_counts_once() {
    let mut counts = Counts::default();
    let mut take = |followed: &[(u32, WatchedEntry)], events: &[Event]| {
        let mut taken = Vec::new();
        counts.take_cpu(followed, events, &mut taken);
        taken.iter().map(|count| (count.pid, count.time_ns)).collect::<Vec<_>>()
    };
    let entry = |own, cpu_ns| WatchedEntry { group: 0, own, cpu_ns, children: 0 };
    let ends = |pid, cpu_ns| Event { at_ns: 0, pid, tid: pid, group: 0, what: What::Exit { cpu_ns } };
    assert_eq!(take(&[(1, entry(true, 10)), (2, entry(false, 99))], &[]), [(1, 10)]);
    assert_eq!(take(&[(1, entry(true, 10))], &[]), []);
    assert_eq!(take(&[(1, entry(true, 25))], &[]), [(1, 15)]);
    assert_eq!(take(&[], &[ends(1, 30), ends(7, 3)]), [(1, 5), (7, 3)], "a short-lived one counts too");
    assert_eq!(take(&[(1, entry(true, 4))], &[]), [(1, 4)], "its id is given to another");
}
