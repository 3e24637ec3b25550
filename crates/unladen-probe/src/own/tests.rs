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

/// A process that calls itself `ssh: … [mux]`, as anybody can have it, under the name ssh.
fn masquerade(folder: &std::path::Path) -> std::process::Child {
    let ssh = folder.join("ssh");
    std::fs::copy("/bin/bash", &ssh).unwrap();
    let script = format!("exec -a 'ssh: /tmp/cm' {} -c 'read -r line; :' '[mux]'", ssh.display());
    Command::new("bash").args(["-c", &script]).stdin(Stdio::piped()).spawn().unwrap()
}

/// Anybody's process of that title was left out of all figures while a host was looked at by `docker exec`.
#[test]
fn a_title_alone_makes_no_process_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut shell = Command::new("sh").args(["-c", "read -r line; :"]).stdin(Stdio::piped()).spawn().unwrap();
    let own = Own::new().with_tree(shell.id());
    assert_eq!(own.keepers, []);
    let mut other = masquerade(folder.path());
    let pid = i32::try_from(other.id()).unwrap();
    let mut procfs = ProcFs::new("/proc");
    let begun = std::time::Instant::now();
    while !(procfs.of_process(pid, "cmdline").is_ok_and(is_master)) {
        assert!(begun.elapsed().as_secs() < 20, "no such title");
        std::thread::yield_now();
    }
    let of = stat(&mut procfs, pid).unwrap();
    let mut has = |own: &Own| own.has(&mut procfs, pid, &of);
    assert!(!has(&own));
    let user = nix::unistd::geteuid().as_raw();
    let start = own.trees[0].1;
    assert!(has(&Own { keepers: vec![(user, start)], ..own.clone() }));
    assert!(!has(&Own { keepers: vec![(user + 1, start)], ..own.clone() }));
    assert!(!has(&Own { keepers: vec![(user, of.start + 1)], ..own }));
    // Who is ssh below a tree may keep one.
    let mut way = Command::new("bash");
    let ssh = folder.path().join("ssh");
    let mut way =
        way.args(["-c", &format!("{} -c 'read -r line; :'; :", ssh.display())]).stdin(Stdio::piped()).spawn().unwrap();
    let below = child_of(way.id());
    while stat(&mut procfs, below).is_some_and(|of| of.comm != "ssh") {
        std::thread::yield_now();
    }
    let with = Own::new().with_tree(way.id());
    assert_eq!(with.keepers, [(user, with.trees[0].1)]);
    for child in [&mut shell, &mut other, &mut way] {
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}

/// Of process ids, parents, beginnings, names and titles.
fn carried(all: &[(i32, i32, u64, &str, &str)]) -> Vec<i32> {
    let look = |pid: i32| {
        let (_, parent, start, name, title) = all.iter().find(|one| one.0 == pid)?;
        Some(Ancestor { parent: *parent, start: *start, name: (*name).into(), title: (*title).into() })
    };
    carriers(all[0].0, look).into_iter().map(|(pid, _)| pid).collect()
}

#[test]
fn a_session_of_openssh_is_carried_by_all_but_the_listener() {
    let agent = (900, 899, 500_000, "unladen-agent", "/proc/self/fd/4 agent");
    let shell = (899, 898, 499_990, "bash", "bash -c sh");
    let listener = (400, 1, 1_000, "sshd", "sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups");
    let root = [agent, shell, (898, 400, 499_900, "sshd", "sshd: root@notty"), listener];
    assert_eq!(carried(&root), [899, 898]);
    // A user's own process, and root's that watches it; kept open for an hour.
    let user = (898, 897, 100_000, "sshd", "sshd: anna@notty");
    let watch = (897, 400, 100_000, "sshd", "sshd: anna [priv]");
    assert_eq!(carried(&[agent, shell, user, watch, listener]), [899, 898, 897]);
    let user = (898, 897, 100_000, "sshd-session", "sshd-session: anna@notty");
    let watch = (897, 400, 100_000, "sshd-session", "sshd-session: anna [priv]");
    assert_eq!(carried(&[agent, shell, user, watch, listener]), [899, 898, 897]);
    // Before version 8, and started by systemd for each connection.
    let old = (400, 1, 1_000, "sshd", "/usr/sbin/sshd -D");
    assert_eq!(carried(&[agent, (899, 400, 499_990, "sshd", "sshd: root@notty"), old]), [899]);
    let each = (898, 1, 499_900, "sshd", "sshd: root@notty");
    assert_eq!(carried(&[agent, shell, each, (1, 0, 1, "systemd", "/sbin/init")]), [899, 898]);
}

#[test]
fn dropbear_is_told_by_its_parent() {
    let agent = (900, 899, 500_000, "unladen-agent", "");
    let of = |pid, parent, start, title| (pid, parent, start, "dropbear", title);
    let session = of(899, 400, 499_000, "/usr/sbin/dropbear -p 22");
    assert_eq!(carried(&[agent, session, of(400, 1, 1_000, "/usr/sbin/dropbear -p 22")]), [899]);
    assert_eq!(carried(&[agent, of(899, 1, 499_000, "dropbear -i")]), [899]);
    assert_eq!(carried(&[agent, of(899, 1, 1_000, "dropbear -p 22")]), [0; 0]);
}

/// Whoever works at the machine, and a server that hands out shells, have more to do than this.
#[test]
fn what_was_there_long_before_is_not_own() {
    let agent = (900, 899, 500_000, "unladen-agent", "");
    let sudo = (899, 898, 499_000, "sudo", "sudo sh");
    assert_eq!(carried(&[agent, sudo, (898, 400, 400_000, "bash", "-bash")]), [899]);
    assert_eq!(carried(&[agent, (899, 900, 499_000, "sh", "sh")]).len(), MAX_CARRIERS, "a circle ends");
    assert_eq!(carried(&[agent]), [0; 0], "in a container, whose command has no parent");
}
