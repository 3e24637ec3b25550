use nix::sys::resource::{Resource, getrlimit};

use super::*;

fn run(command: &str, within: Duration, cancel: &Cancel) -> Result<(), CommandFault> {
    Shell::new("/tmp").run(command, &BTreeMap::new(), within, cancel)
}

const LONG: Duration = Duration::from_secs(60);

#[test]
fn shows_the_status_and_the_last_lines() {
    let error = run("seq 100; echo broken >&2; exit 3", LONG, &Cancel::new()).unwrap_err().to_string();
    assert!(error.contains("ended with status 3") && error.ends_with("100\nbroken"), "{error}");
    assert!(!error.contains("\n80\n"), "{error}");
    let error = run("kill -9 $$", LONG, &Cancel::new()).unwrap_err().to_string();
    assert!(error.contains("killed by signal 9; it printed nothing"), "{error}");
}

#[test]
fn shows_no_control_characters() {
    let error = run(r"printf '\033[2Jx\001'; false", LONG, &Cancel::new()).unwrap_err().to_string();
    assert!(error.ends_with("\u{fffd}[2Jx\u{fffd}"), "{error:?}");
}

#[test]
fn stdin_is_closed_and_the_environment_is_set() {
    let variables = BTreeMap::from([("MODE".to_owned(), "a b".to_owned())]);
    let command = r#"[ "$MODE" = "a b" ] && [ "$PWD" = /tmp ] && ! read line"#;
    Shell::new("/tmp").run(command, &variables, LONG, &Cancel::new()).unwrap();
}

/// `sudo ./unladen fix 1` ended with `unladen: not found`.
#[test]
fn a_command_that_calls_unladen_calls_this_program() {
    let own = std::env::current_exe().unwrap();
    // Of a test's program, which lists its tests.
    let listed = format!("(true && {OWN} --list) | grep -q '^{}: test$'", "shell::tests::shows_no_control_characters");
    run(&listed, LONG, &Cancel::new()).unwrap();
    assert!(own.exists());
    // A word within another is no call, and nothing else is found in this program's folder.
    assert_eq!(with_own("ls /var/lib/unladen"), "ls /var/lib/unladen");
    let error = run(&own.file_name().unwrap().to_string_lossy(), LONG, &Cancel::new()).unwrap_err().to_string();
    assert!(error.contains("not found"), "{error}");
}

/// A server that was restarted amid a load had the limit of the load.
#[test]
fn a_command_has_the_limit_on_files_that_it_would_have_by_hand() {
    let said =
        |limit| String::from_utf8(sh(r#"echo "$0 $(ulimit -Sn)"; exit 3"#, limit).output().unwrap().stdout).unwrap();
    assert_eq!(said(Some(77)), "/bin/sh 77\n");
    assert_eq!(said(None), format!("/bin/sh {}\n", getrlimit(Resource::RLIMIT_NOFILE).unwrap().0));
    assert_eq!(sh("exit 3", Some(77)).status().unwrap().code(), Some(3));
}

#[test]
fn a_command_that_takes_too_long_is_killed_with_its_children() {
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    let command = format!("sleep 1000 & echo $! > {}; wait", pid.display());
    let error = run(&command, Duration::from_millis(300), &Cancel::new()).unwrap_err();
    assert!(error.to_string().contains("was not done within 300ms"), "{error}");
    assert_gone(std::fs::read_to_string(pid).unwrap().trim());
}

#[test]
fn cancelling_kills_even_what_ignores_it() {
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    let command =
        format!("trap '' TERM; sleep 1000 & echo $! > {0}.new; mv {0}.new {0}; while :; do wait; done", pid.display());
    let cancel = Cancel::new();
    let (switch, file) = (cancel.clone(), pid.clone());
    let thread = std::thread::spawn(move || {
        while !file.exists() {
            std::thread::sleep(LOOK);
        }
        switch.cancel();
    });
    assert!(matches!(run(&command, LONG, &cancel), Err(CommandFault::Cancelled)));
    thread.join().unwrap();
    assert_gone(std::fs::read_to_string(pid).unwrap().trim());
    assert!(matches!(run("true", LONG, &cancel), Err(CommandFault::Cancelled)), "nothing more is started");
}

/// A pipe would stay open as long as the server lives.
#[test]
fn a_server_that_stays_does_not_hold_it_up() {
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    let command = format!("sleep 1000 & echo $! > {}", pid.display());
    run(&command, LONG, &Cancel::new()).unwrap();
    let pid = std::fs::read_to_string(pid).unwrap().trim().parse().unwrap();
    nix::sys::signal::kill(Pid::from_raw(pid), Signal::SIGKILL).unwrap();
}

fn assert_gone(pid: &str) {
    let stat = format!("/proc/{pid}/stat");
    let started = Instant::now();
    // It may be a zombie for as long as nobody takes it over.
    while std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ")) {
        assert!(started.elapsed() < LONG, "{pid} is still there");
        std::thread::sleep(LOOK);
    }
}
