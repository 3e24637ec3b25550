//! `subjects/NAME/run restart`, which experiments switch PHP's settings by.

use std::path::{Path, PathBuf};
use std::process::Command;

use unladen_tests::Subject;

/// After SIGUSR2, PHP-FPM's master went on under another pid: `status` called it down, and `down` left it running.
#[test]
fn php_that_was_restarted_reads_its_settings_and_is_still_known_and_stopped() {
    let subject = Subject::up("pledges");
    let run = |command: &str| {
        let script = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../subjects/pledges/run"));
        let done =
            Command::new(script).arg(command).env("UNLADEN_STATE", subject.get("UNLADEN_STATE")).output().unwrap();
        assert!(done.status.success(), "{command}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    };
    let pid = |status: &str| -> u32 {
        let line = status.lines().find_map(|line| line.strip_prefix("fpm ")).expect("fpm has a line");
        line.parse().expect("a pid")
    };
    let before = pid(&run("status"));
    std::fs::write(Path::new(subject.get("STATE")).join("php.d/subject.ini"), "memory_limit = 77M\n").unwrap();
    run("restart");
    let after = pid(&run("status"));
    assert_ne!(before, after);
    // One that has ended, and that nobody has waited for yet, has no command line.
    let is_there = |pid: u32| std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| !line.is_empty());
    assert!(!is_there(before) && is_there(after));
    let head = Command::new("curl").args(["-sI", subject.url()]).output().unwrap();
    assert!(String::from_utf8_lossy(&head.stdout).contains(" 200 "), "{head:?}");
    subject.stop();
    assert!(!is_there(after), "it was left running");
}
