//! How processes are put together.

use std::sync::LazyLock;

use unladen_tests::{Call, Document, Subject, worker};

static FAULTS: LazyLock<Subject> = LazyLock::new(|| Subject::up("faults"));

fn grouped_by(how: &str) -> Document {
    Call::quick(["--group-by", how, FAULTS.url()]).document()
}

#[test]
fn by_user_and_executable() {
    let document = grouped_by("exe");
    assert!(document.groups().contains(format!("{} nginx", worker()).as_str()), "{:?}", document.groups());
}

#[test]
fn by_user() {
    let document = grouped_by("user");
    assert!(document.groups().contains(worker().as_str()), "{:?}", document.groups());
    assert!(!document.groups().iter().any(|group| group.contains("nginx")), "{:?}", document.groups());
}

#[test]
fn by_process() {
    let document = grouped_by("pid");
    let prefix = format!("{} nginx ", worker());
    let pids: Vec<i32> =
        document.groups().iter().filter_map(|group| group.strip_prefix(&prefix)?.parse().ok()).collect();
    assert!(!pids.is_empty(), "{:?}", document.groups());
}

#[test]
fn by_control_group() {
    let own = std::fs::read_to_string("/proc/self/cgroup").unwrap();
    let document = grouped_by("cgroup");
    // nginx was started by this test, and is where it is; the root's path is short, as those of all are within a
    // container.
    let path = own.lines().rev().find_map(|line| line.splitn(3, ':').nth(2)).unwrap();
    assert!(document.groups().contains(path), "{path}: {:?}", document.groups());
}

#[test]
fn the_client_is_not_part_of_the_weights() {
    let document = grouped_by("exe");
    let own = document["urls"][0]["client_cpu_ns"]["value"].as_f64();
    assert!(own.is_some_and(|own| own > 0.0), "{document}");
    assert!(!document.following().iter().any(|group| group.contains("unladen (the client)")), "{document}");
    assert!(!document.groups().contains("unladen (the client)"), "{:?}", document.groups());
}
