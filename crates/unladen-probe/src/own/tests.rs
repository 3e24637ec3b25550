use std::process::{Command, Stdio};

use super::*;

/// The first child of a process, once there is one.
fn child_of(pid: u32) -> i32 {
    let children = format!("/proc/{pid}/task/{pid}/children");
    let begun = std::time::Instant::now();
    loop {
        let below = std::fs::read_to_string(&children).unwrap();
        if let Some(pid) = below.split_ascii_whitespace().next() {
            return pid.parse().unwrap();
        }
        assert!(begun.elapsed().as_secs() < 20, "no child");
        std::thread::yield_now();
    }
}

#[test]
fn a_tree_is_its_root_and_all_below_it_and_nothing_beside_it() {
    let mut shell = Command::new("sh").args(["-c", "sleep 60; :"]).stdin(Stdio::null()).spawn().unwrap();
    let below = child_of(shell.id());
    let mut procfs = ProcFs::new("/proc");
    let root = i32::try_from(shell.id()).unwrap();
    let here = i32::try_from(std::process::id()).unwrap();
    let own = Own::new().with_tree(shell.id());
    let mut has = |own: &Own, pid: i32| {
        let stat = stat(&mut procfs, pid).unwrap();
        own.has(&mut procfs, pid, &stat)
    };
    assert!(has(&own, root) && has(&own, below));
    assert!(!has(&own, here) && !has(&own, 1));
    assert!(!has(&Own::new(), root));
    // The number alone does not name a process: it may be given to another one.
    let earlier = Own { trees: own.trees.iter().map(|(pid, start)| (*pid, start - 1)).collect(), ..Own::new() };
    assert!(!has(&earlier, root));
    let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(below), nix::sys::signal::Signal::SIGKILL);
    shell.kill().unwrap();
    shell.wait().unwrap();
}

#[test]
fn a_connection_that_ssh_keeps_is_told_by_its_title() {
    assert!(is_master(b"ssh: /root/.ssh/cm-db1 [mux]\0\0\0"));
    assert!(!is_master(b"ssh\0db1\0sh\0"));
    assert!(!is_master(b"ssh: [mux] db1"));
    assert!(!is_master(b""));
}
