use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.toml");
    (folder, file)
}

#[test]
fn one_run_at_a_time() {
    let (_folder, file) = place();
    let first = Journal::open(&file).unwrap();
    let error = Journal::open(&file).unwrap_err();
    assert!(matches!(error, SwitchError::Busy { .. }), "{error}");
    assert!(matches!(Journal::find(&file), Err(SwitchError::Busy { .. })));
    first.remove().unwrap();
    drop(first);
    assert!(Journal::find(&file).unwrap().is_none(), "looking makes no folder");
    Journal::open(&file).unwrap();
}

#[test]
fn a_folder_of_others_is_not_believed() {
    let (folder, file) = place();
    let journal = Journal::folder_of(&file).unwrap();
    assert_eq!(journal.file_name().unwrap(), ".x.toml.undo");
    fs::create_dir(&journal).unwrap();
    fs::set_permissions(&journal, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(matches!(Journal::open(&file), Err(SwitchError::Foreign { .. })));
    fs::remove_dir(&journal).unwrap();
    symlink(folder.path(), &journal).unwrap();
    assert!(matches!(Journal::open(&file), Err(SwitchError::Foreign { .. })));
}

#[test]
fn a_plan_without_a_switch_leaves_nothing_to_do() {
    let (_folder, file) = place();
    let journal = Journal::open(&file).unwrap();
    journal.write(&Plan { folder: "/".into(), knobs: Vec::new(), services: Vec::new() }).unwrap();
    assert!(journal.left_over().unwrap().is_none());
    fs::write(journal.folder().join("note"), "someone's own").unwrap();
    journal.remove().unwrap();
    assert!(journal.folder().join("note").exists());
}

#[test]
fn a_plan_that_cannot_be_read_stops_it() {
    let (_folder, file) = place();
    let journal = Journal::open(&file).unwrap();
    fs::write(journal.folder().join(PLAN), "{").unwrap();
    let error = journal.left_over().unwrap_err().to_string();
    assert!(error.contains("plan.json is not readable") && error.contains("by hand"), "{error}");
}
