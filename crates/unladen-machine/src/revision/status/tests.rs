use proptest::prelude::*;

use super::*;

const HEADER: &str = "# branch.oid 0123456789abcdef0123456789abcdef01234567\n# branch.head main\n# stash 2\n";

#[test]
fn any_line_that_is_no_header_is_a_difference() {
    let clean = parse(HEADER);
    assert_eq!((clean.branch.as_deref(), clean.dirty), (Some("main"), false));
    assert!(parse(&format!("{HEADER}1 .M N... 100644 100644 100644 a b index.php\n")).dirty);
    let unborn = parse("# branch.oid (initial)\n# branch.head (detached)\n");
    assert_eq!(unborn, Status::default());
}

/// The current folder may be that of the repository, which has a program of the name.
#[test]
fn a_program_is_taken_from_absolute_folders_only() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("git");
    std::fs::write(&file, "").unwrap();
    let path = std::env::join_paths([Path::new("."), Path::new(""), folder.path()]).unwrap();
    assert_eq!(program("git", &path), Some(file));
    assert_eq!(program("git", OsStr::new(".::bin")), None);
}

#[test]
fn what_hangs_is_unknown_and_ended() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    let mut hangs = Command::new("/bin/sh");
    hangs.args(["-c", "echo $$ > \"$0\"; sleep 600 & wait"]).arg(&file).stdout(Stdio::piped()).process_group(0);
    assert_eq!(ask(hangs, Duration::from_millis(300)), None);
    let pid: i32 = std::fs::read_to_string(file).unwrap().trim().parse().unwrap();
    // Whoever adopts what it started has yet to notice the end.
    let begun = Instant::now();
    while killpg(Pid::from_raw(pid), None).is_ok() {
        assert!(begun.elapsed() < Duration::from_secs(60), "something of its group is left");
        std::thread::sleep(PAUSE);
    }
}

#[test]
fn what_fails_is_unknown() {
    let run = |script: &str| {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).stdout(Stdio::piped()).process_group(0);
        ask(command, Duration::from_secs(20))
    };
    assert_eq!(run("echo '# branch.head main'; exit 128"), None);
    assert_eq!(run("echo '# branch.head main'").map(|status| status.dirty), Some(false));
    assert_eq!(run("echo '1 .M x'; sleep 600").map(|status| status.dirty), Some(true), "one difference is enough");
    assert_eq!(run("yes '1 .M x'").map(|status| status.dirty), Some(true), "an endless answer");
}

proptest! {
    #[test]
    fn whatever_it_says_names_have_no_control_characters(said in "(# branch.(head|oid) )?(.|\n){0,80}") {
        let status = parse(&said);
        prop_assert!(status.branch.is_none_or(|branch| !branch.contains(char::is_control)));
        prop_assert!(status.commit.is_none_or(|id| id.bytes().all(|byte| byte.is_ascii_hexdigit())));
    }
}

const fn owner(user: u32) -> Owner {
    Owner { user, group: user, is_open: false, is_shared: false }
}

#[test]
fn root_takes_on_the_rights_of_the_owner() {
    assert_eq!(choose(&[owner(33), owner(33)], ROOT), Some(RunAs::Owner { user: 33, group: 33 }));
    assert_eq!(choose(&[owner(ROOT)], ROOT), Some(RunAs::Ourselves));
}

#[test]
fn one_user_runs_nothing_of_another() {
    assert_eq!(choose(&[owner(33)], 33), Some(RunAs::Ourselves));
    assert_eq!(choose(&[owner(33)], 1000), None);
    assert_eq!(choose(&[owner(ROOT)], 1000), None);
}

#[test]
fn several_owners_are_nobody() {
    assert_eq!(choose(&[owner(ROOT), owner(33)], ROOT), None);
    assert_eq!(choose(&[], ROOT), None);
}

#[test]
fn what_all_users_may_write_belongs_to_nobody() {
    assert_eq!(choose(&[owner(ROOT), Owner { is_open: true, ..owner(ROOT) }], ROOT), None);
}

/// Whoever is in the group would run programs as root.
#[test]
fn what_a_group_may_write_is_not_run_as_root() {
    let shared = |user| Owner { is_shared: true, ..owner(user) };
    assert_eq!(choose(&[owner(ROOT), shared(ROOT)], ROOT), None);
    assert_eq!(choose(&[shared(1000)], 1000), Some(RunAs::Ourselves));
    assert_eq!(choose(&[shared(1000)], ROOT), Some(RunAs::Owner { user: 1000, group: 1000 }));
}
