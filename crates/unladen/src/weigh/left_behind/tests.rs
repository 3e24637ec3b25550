use unladen_trace::{ContainerSeen, Counted, FileSeen, GroupSeen, PhaseSeen, Phases, Series};

use super::*;

/// A page of which each request writes a file of this path.
fn writes(path: &str, call: FileCall) -> Evidence {
    let mut phases = Phases::default();
    for phase in 0..24 {
        let on = phase % 4 == 0 || phase % 4 == 3;
        phases.push(PhaseSeen { on, duration_ns: 1_000_000_000, requests: if on { 10 } else { 0 } });
    }
    let count: Series = (0..24).map(|phase| if phase % 4 == 0 || phase % 4 == 3 { 10 } else { 0 }).collect();
    let counted = Counted { count: count.clone(), requests: count, ..Counted::default() };
    let seen = FileSeen { group: 0, call, path: path.to_owned(), outcome: FileOutcome::Found, counted };
    Evidence { phases, files: vec![seen], ..Evidence::default() }
}

#[test]
fn files_that_came_to_be_since_and_are_still_there_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("before"), "was there").unwrap();
    // Two ticks, as times of files are no finer.
    std::thread::sleep(TICK * 3);
    let since = Since::now();
    std::thread::sleep(TICK * 2);
    fs::write(path("sess_1"), "12345").unwrap();
    fs::write(path("sess_2"), "12345").unwrap();
    fs::write(path("gone"), "12345").unwrap();
    fs::remove_file(path("gone")).unwrap();
    fs::write(path("before"), "is written to again").unwrap();

    let page = writes(path("sess_x").to_str().unwrap(), FileCall::OpenWrite);
    let folder = folder.path().to_str().unwrap().to_owned();
    assert_eq!(left_behind(&[&page], since, |_| None), [LeftBehind { folder, files: 2, bytes: 10 }]);
}

#[test]
fn folders_that_are_only_read_and_those_of_the_kernel_are_not_looked_through() {
    for page in [writes("/tmp/x", FileCall::Open), writes("/dev/shm", FileCall::OpenWrite), Evidence::default()] {
        assert_eq!(left_behind(&[&page], Since(SystemTime::UNIX_EPOCH), |_| None), []);
    }
}

/// Some keep PHP's sessions in shared memory, below a folder of devices, and were told that none was left behind.
#[test]
fn files_in_shared_memory_are_left_behind_too() {
    // Where there is no shared memory, there is nothing to be left in it.
    let Ok(folder) = tempfile::tempdir_in("/dev/shm") else { return };
    fs::write(folder.path().join("sess_1"), "12345").unwrap();
    let page = writes(folder.path().join("sess_x").to_str().unwrap(), FileCall::OpenWrite);
    let folder = folder.path().to_str().unwrap().to_owned();
    assert_eq!(
        left_behind(&[&page], Since(SystemTime::UNIX_EPOCH), |_| None),
        [LeftBehind { folder, files: 1, bytes: 5 }]
    );
}

#[test]
fn a_folder_of_a_container_is_looked_through_where_it_is() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir_all(root.path().join("sessions")).unwrap();
    fs::write(root.path().join("sessions/sess_1"), "12345").unwrap();
    let mut page = writes("/sessions/sess_x", FileCall::OpenWrite);
    let container = Some(ContainerSeen { name: "the container web".into(), ..ContainerSeen::default() });
    page.groups = vec![GroupSeen { name: "www-data php".into(), container, ..GroupSeen::default() }];
    let reached = |group: &str| (group == "www-data php").then(|| root.path().to_owned());
    let folder = "/sessions, inside the container web".to_owned();
    assert_eq!(
        left_behind(&[&page], Since(SystemTime::UNIX_EPOCH), reached),
        [LeftBehind { folder, files: 1, bytes: 5 }]
    );
    assert_eq!(left_behind(&[&page], Since(SystemTime::UNIX_EPOCH), |_| None), [], "it has ended");
}
