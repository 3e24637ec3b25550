use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

#[test]
fn a_place_is_in_the_folder_that_was_there_and_missing_folders_are_made() {
    let lab = tempfile::tempdir().unwrap();
    let lab = lab.path().canonicalize().unwrap();
    let path = lab.join("a/b/file");
    assert_eq!(Place::of(&path, false).unwrap_err().kind(), io::ErrorKind::NotFound);
    let place = Place::of(&path, true).unwrap();
    fs::rename(lab.join("a"), lab.join("c")).unwrap();
    fs::write(&place.path, "text").unwrap();
    assert_eq!(fs::read_to_string(lab.join("c/b/file")).unwrap(), "text");
    fs::write(lab.join("a"), "").unwrap();
    assert_eq!(Place::of(&path, false).unwrap_err().kind(), io::ErrorKind::NotADirectory);
}

#[test]
fn a_link_in_the_place_of_a_folder_is_not_followed() {
    let lab = tempfile::tempdir().unwrap();
    let lab = lab.path().canonicalize().unwrap();
    fs::create_dir(lab.join("real")).unwrap();
    symlink(lab.join("real"), lab.join("link")).unwrap();
    let refused = Place::of(&lab.join("link/file"), true).unwrap_err();
    assert!(refused.to_string().contains("link has become a symbolic link"), "{refused}");
    // What was a link from the beginning is meant.
    assert_eq!(settled(&lab.join("link/new/file")).unwrap(), lab.join("real/new/file"));
}

#[test]
fn others_decide_where_they_may_write_or_make_a_folder() {
    assert_eq!(outsider(Path::new("/etc")), None);
    assert_eq!(outsider(Path::new("/etc/missing/folder")), None);
    for anybodys in ["/tmp", "/tmp/missing/folder", "relative", "/proc/self/cwd"] {
        assert!(outsider(Path::new(anybodys)).is_some(), "{anybodys}");
    }
    let lab = tempfile::tempdir().unwrap();
    fs::set_permissions(lab.path(), fs::Permissions::from_mode(0o777)).unwrap();
    assert!(outsider(lab.path()).is_some());
}
