//! What a run has changed is put back, however it ends.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use unladen_tests::advice::Undo;
use unladen_tests::wait;

/// Far above what putting a file back takes.
const LIMIT: Duration = Duration::from_secs(60);
/// Where a run that is going to be ended changes files.
const FOLDER: &str = "UNLADEN_TEST_FOLDER";

/// What a fix does.
fn changes(folder: &Path) -> Undo {
    let mut undo = Undo::new(&std::env::var("PATH").unwrap());
    let (there, link, new) = (folder.join("a setting"), folder.join("link"), folder.join("made/for/it.php"));
    fs::write(&there, "as it was").unwrap();
    fs::set_permissions(&there, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&there, &link).unwrap();
    undo.run(&format!("touch {}/reloaded", folder.display()));
    undo.keep(&link);
    undo.keep(&new);
    fs::write(&link, "changed").unwrap();
    fs::create_dir_all(new.parent().unwrap()).unwrap();
    fs::write(&new, "<?php").unwrap();
    undo
}

fn is_put_back(folder: &Path) -> bool {
    let there = folder.join("a setting");
    folder.join("reloaded").exists()
        && fs::read_to_string(&there).unwrap() == "as it was"
        && there.metadata().unwrap().permissions().mode() & 0o777 == 0o640
        && folder.join("link").is_symlink()
        && !folder.join("made").exists()
}

#[test]
fn what_a_fix_has_changed_is_put_back() {
    let folder = tempfile::tempdir().unwrap();
    let undo = changes(folder.path());
    assert!(!is_put_back(folder.path()));
    drop(undo);
    assert!(is_put_back(folder.path()));
}

/// Rust drops nothing after Ctrl-C.
#[test]
fn a_run_that_was_interrupted_left_its_changes() {
    for signal in ["INT", "KILL"] {
        let folder = tempfile::tempdir().unwrap();
        let mut run = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "put_back::a_run_that_is_ended", "--ignored", "--nocapture"])
            .env(FOLDER, folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(run.stdout.take().unwrap()).lines();
        assert!(said.any(|line| line.unwrap().contains("changed")), "it has ended");
        let sent = Command::new("kill").args([format!("-{signal}"), run.id().to_string()]).status().unwrap();
        assert!(sent.success());
        run.wait().unwrap();
        wait::until(&format!("{signal}: all is put back"), || is_put_back(folder.path()));
    }
}

#[test]
#[ignore = "the run that is ended by the test above"]
fn a_run_that_is_ended() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let _undo = changes(Path::new(&folder));
    println!("changed");
    std::thread::sleep(LIMIT);
}
