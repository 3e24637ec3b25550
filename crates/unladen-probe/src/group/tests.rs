use std::fs;
use std::os::unix::fs::symlink;

use super::*;

fn stat_of(procfs: &mut ProcFs, pid: i32) -> Stat {
    Stat::parse(procfs.of_process(pid, "stat").unwrap()).unwrap()
}

#[test]
fn the_effective_user_is_the_second_number() {
    assert_eq!(effective_uid(b"Name:\tx\nUid:\t0\t33\t0\t33\nGid:\t0\t0\t0\t0\n"), Some(33));
    assert_eq!(effective_uid(b"Name:\tx\n"), None);
}

#[test]
fn a_child_is_grouped_by_user_and_executable_and_this_process_stands_alone() {
    let mut procfs = ProcFs::new("/proc");
    let own = i32::try_from(std::process::id()).unwrap();
    let mut groups = Groups::new(GroupBy::Exe, own, false);
    let stat = stat_of(&mut procfs, own);
    let id = groups.of_process(&mut procfs, own, &stat);
    assert_eq!(groups.get(id).kind, GroupKind::Own);

    let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let pid = i32::try_from(child.id()).unwrap();
    let stat = stat_of(&mut procfs, pid);
    let id = groups.of_process(&mut procfs, pid, &stat);
    let name = groups.get(id).name.clone();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(name.ends_with(" sleep"), "{name}");
}

#[test]
fn an_ended_process_goes_where_its_like_went() {
    let mut groups = Groups::new(GroupBy::Auto, 1, false);
    let pool = groups.intern(processes("www-data php-fpm8.2".into()));
    groups.learned.insert((33, "php-fpm8.2".into()), pool);
    assert_eq!(groups.of_ended(33, "php-fpm8.2", None), pool);
    let other = groups.of_ended(0, "convert", Some(pool));
    assert_eq!(groups.get(other).name, "root convert");
    let unit = groups.intern(Group { name: "cgi.service".into(), kind: GroupKind::Unit { cgroup: None } });
    assert_eq!(groups.of_ended(33, "php-fpm8.2", Some(unit)), unit);
}

#[test]
fn a_number_is_another_one_in_a_user_namespace() {
    let map = "         0     100000      65536\n     70000     300000          1\n";
    assert_eq!(inside(map, 100_033), Some(33));
    assert_eq!(inside(map, 300_000), Some(70_000));
    assert_eq!(inside(map, 33), None);
    assert_eq!(inside("0 0 4294967295\n", 33), Some(33));
    assert_eq!(inside("x\n1 2\n4294967295 0 10\n", 5), None);
}

#[test]
fn names_are_those_of_the_list_that_can_be_shown() {
    let passwd = "root:x:0:0:root:/root:/bin/sh\n\u{1b}[2J:x:7:7::/:\nwww:x:33:33::/var/www:\nbroken\n";
    assert_eq!(name_in(passwd, 33).as_deref(), Some("www"));
    assert_eq!(name_in(passwd, 7), None);
    assert_eq!(name_in(passwd, 34), None);
}

/// A container's own files could lead out of it, into the machine's.
#[test]
fn no_link_leads_out_of_the_root() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    fs::create_dir_all(root.join("etc")).unwrap();
    fs::write(folder.path().join("secret"), "www:x:33:33::/:\n").unwrap();
    symlink("../../secret", root.join("etc/passwd")).unwrap();
    assert_eq!(beneath(&root, "etc/passwd"), None);
    // But one that stays within leads where it would lead there.
    fs::create_dir(root.join("usr")).unwrap();
    fs::write(root.join("usr/passwd"), "in:x:33:33::/:\n").unwrap();
    fs::remove_file(root.join("etc/passwd")).unwrap();
    symlink("/usr/passwd", root.join("etc/passwd")).unwrap();
    assert_eq!(beneath(&root, "etc/passwd").as_deref(), Some("in:x:33:33::/:\n"));
    // What is no file is not waited for.
    fs::remove_file(root.join("etc/passwd")).unwrap();
    nix::unistd::mkfifo(&root.join("etc/passwd"), Mode::S_IRWXU).unwrap();
    assert_eq!(beneath(&root, "etc/passwd"), None);
}

/// A device node in a container's place of the list was opened with our rights, and only then found to be no file.
#[test]
fn what_is_found_is_not_opened_before_it_is_known_to_be_a_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("passwd"), "www:x:33:33::/:\n").unwrap();
    let found = found(folder.path(), "passwd").unwrap();
    let flags = nix::fcntl::fcntl(&found, nix::fcntl::FcntlArg::F_GETFL).unwrap();
    assert!(OFlag::from_bits_retain(flags).contains(OFlag::O_PATH));
    assert!(reopened(found).is_ok());
    let null = open("/dev/null", OFlag::O_PATH, Mode::empty()).unwrap();
    assert!(reopened(null).is_err());
}

#[test]
fn a_process_with_another_root_has_that_roots_users() {
    let folder = tempfile::tempdir().unwrap();
    let process = folder.path().join("7");
    fs::create_dir_all(process.join("root/etc")).unwrap();
    fs::write(process.join("root/etc/passwd"), "app:x:33:33::/:\n").unwrap();
    fs::write(process.join("uid_map"), "0 100000 65536\n").unwrap();
    let mut users = Users::default();
    assert_eq!(users.of_process(folder.path(), 7, Some(100_033)), "app");
    assert_eq!(users.of_process(folder.path(), 7, Some(100_034)), "34", "the number that it has there");
    assert_eq!(users.of_process(folder.path(), 7, None), "?");
    // One that has ours, or cannot be looked at.
    assert_eq!(users.of_process(folder.path(), 8, Some(0)), "root");
}
