use std::process::{Command, Stdio};

use super::*;

fn entries(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o777
}

#[test]
fn nothing_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("unladen");
    let mut run = RunFolder::create_in(&base).unwrap();
    let shared = run.share("profile", "php", "<?php").unwrap();
    let out = run.out(65534, 65534).unwrap();
    assert_eq!((mode(&base), mode(run.path()), mode(&out), mode(&shared)), (0o755, 0o711, 0o700, 0o644));
    let modified = fs::metadata(&shared).unwrap().modified().unwrap();
    assert_eq!(modified, SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000));
    fs::write(out.join("1.part"), "half").unwrap();
    drop(run);
    assert!(entries(folder.path()).is_empty());
}

#[test]
fn runs_beside_each_other_share_files_and_leave_them_to_the_last() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("unladen");
    let (mut one, mut other) = (RunFolder::create_in(&base).unwrap(), RunFolder::create_in(&base).unwrap());
    let path = one.share("profile", "php", "<?php").unwrap();
    let inode = fs::metadata(&path).unwrap().ino();
    assert_eq!(other.share("profile", "php", "<?php").unwrap(), path);
    assert_eq!(fs::metadata(&path).unwrap().ino(), inode, "what is right is not written again");
    assert_ne!(other.share("profile", "php", "<?php // of another version").unwrap(), path);
    let own = one.path().to_owned();
    drop(one);
    assert!(path.exists() && !own.exists());
    drop(other);
    assert!(!base.exists());
}

#[test]
fn what_was_changed_is_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("unladen");
    let mut run = RunFolder::create_in(&base).unwrap();
    let path = run.share("profile", "php", "<?php").unwrap();
    fs::write(&path, "<?php evil();").unwrap();
    run.share("profile", "php", "<?php").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "<?php");
}

#[test]
fn a_file_has_its_mode_and_its_run_a_name() {
    let folder = tempfile::tempdir().unwrap();
    let run = RunFolder::create_in(&folder.path().join("unladen")).unwrap();
    run.file("open", 0o666).unwrap();
    assert_eq!(mode(&run.path().join("open")), 0o666);
    assert!(run.file("open", 0o666).is_err(), "what is there is not taken for new");
    assert_eq!(run.path().file_name().unwrap().to_str().unwrap(), format!("run-{}", run.name()));
    assert!(run.name().len() == 16 && run.name().bytes().all(|byte| byte.is_ascii_alphanumeric()), "{}", run.name());
}

#[test]
fn what_a_dead_run_left_is_taken_away_and_a_living_one_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("unladen");
    let living = RunFolder::create_in(&base).unwrap();
    let dead = base.join("run-dead");
    fs::create_dir(&dead).unwrap();
    fs::write(dead.join("lock"), "").unwrap();
    fs::create_dir(dead.join("out")).unwrap();
    fs::write(dead.join("out/nytprof.out"), "half").unwrap();
    let starting = base.join("run-starting");
    fs::create_dir(&starting).unwrap();
    let run = RunFolder::create_in(&base).unwrap();
    assert!(!dead.exists() && starting.exists() && living.path().exists());
    assert!(run.path().exists());
}

#[test]
fn a_folder_that_somebody_else_may_write_to_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("unladen");
    fs::create_dir(&base).unwrap();
    fs::set_permissions(&base, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(RunFolder::create_in(&base).unwrap_err().to_string().contains("another user"));
}

#[test]
fn links_and_pipes_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link, pipe) = (folder.path().join("file"), folder.path().join("link"), folder.path().join("pipe"));
    fs::write(&file, "text").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    assert!(Command::new("mkfifo").arg(&pipe).stdin(Stdio::null()).status().unwrap().success());
    assert!(open_theirs(&file).is_ok());
    assert!(open_theirs(&link).is_err());
    assert!(open_theirs(&pipe).is_err());
}
