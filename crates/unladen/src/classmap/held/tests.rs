use std::fs;
use std::os::unix::fs::symlink;

use nix::unistd::{Gid, Uid, chown};
use unladen_classmap::Options;

use super::*;
use crate::classmap::task::{Emit, Task, Text};
use crate::output::OutputError;

fn write(texts: &[Text], held: &HeldFolder) -> Result<bool, OutputError> {
    let task = Task {
        root: None,
        reader: None,
        options: Options::default(),
        emit: Emit::Composer,
        output: None,
        partial: false,
        json: false,
        ask: None,
        typed: Vec::new(),
    };
    task.write(texts, held)
}

/// A folder of 3,000 files was read for a while; a link was put in its place, and root's map replaced another's.
#[test]
fn a_link_in_the_place_of_the_folder_that_is_read_led_to_another_application() {
    let lab = tempfile::tempdir().unwrap();
    let (folder, other) = (lab.path().join("app"), lab.path().join("other"));
    fs::create_dir(&folder).unwrap();
    fs::create_dir(&other).unwrap();
    let map = folder.join("unladen-classmap.php");
    fs::write(other.join("unladen-classmap.php"), "another's").unwrap();
    let held = HeldFolder::open(&folder, None).unwrap();
    fs::rename(&folder, lab.path().join("moved")).unwrap();
    symlink(&other, &folder).unwrap();

    assert!(write(&[(Some(map.clone()), b"ours".to_vec())], &held).unwrap());
    assert_eq!(fs::read_to_string(other.join("unladen-classmap.php")).unwrap(), "another's");
    assert_eq!(fs::read_to_string(lab.path().join("moved/unladen-classmap.php")).unwrap(), "ours");

    let vendor = other.join("vendor.php");
    let refused = write(&[(Some(vendor.clone()), b"ours".to_vec())], &held).unwrap_err();
    assert!(refused.to_string().contains("became another folder"), "{refused}");
    assert!(!vendor.exists());
}

/// `vendor/composer` was exchanged for a link after it had been looked at, and root put a loader of the attacker's
/// making into another user's project.
#[test]
fn a_link_in_the_place_of_vendor_composer_led_to_another_project() {
    let lab = tempfile::tempdir().unwrap();
    let lab = lab.path().canonicalize().unwrap();
    let (folder, other) = (lab.join("app"), lab.join("other"));
    fs::create_dir_all(folder.join("vendor/composer")).unwrap();
    fs::create_dir(&other).unwrap();
    let file = folder.join("vendor/composer/autoload_static.php");
    let held = HeldFolder::open(&folder, None).unwrap();
    assert!(write(&[(Some(file.clone()), b"ours".to_vec())], &held).unwrap());

    fs::rename(folder.join("vendor/composer"), lab.join("moved")).unwrap();
    symlink(&other, folder.join("vendor/composer")).unwrap();
    let refused = write(&[(Some(file), b"theirs".to_vec())], &held).unwrap_err();
    assert!(refused.to_string().contains("symbolic link"), "{refused}");
    assert_eq!(fs::read_dir(&other).unwrap().count(), 0);
}

/// The whole folder was a link while its paths were read, and itself again when they were written to: in another user's
/// project, or in the place of a packaged application's map.
#[test]
fn paths_of_a_folder_that_was_another_one_for_a_moment_were_written_to() {
    let lab = tempfile::tempdir().unwrap();
    let folder = lab.path().canonicalize().unwrap().join("app");
    fs::create_dir(&folder).unwrap();
    if geteuid().is_root() {
        chown(&folder, Some(Uid::from_raw(65534)), Some(Gid::from_raw(65534))).unwrap();
    }
    let held = HeldFolder::open(&folder, None).unwrap();
    let refused = held.way_to(Path::new("/etc/autoload_static.php"), false).unwrap_err();
    assert!(refused.to_string().contains("another user's"), "{refused}");
    assert!(held.way_to(Path::new("/etc/autoload_static.php"), true).is_ok(), "the caller's own choice");
    assert!(held.way_to(Path::new("/var/lib/unladen/usr/share/no-such/unladen-classmap.php"), false).is_err());
}

/// The folder was a link of another user's when it was opened, and a folder of theirs when it was read.
#[test]
fn a_link_of_another_user_was_held_as_the_folder() {
    let lab = tempfile::tempdir().unwrap();
    let lab = lab.path().canonicalize().unwrap();
    let (theirs, other) = (lab.join("theirs"), lab.join("other"));
    fs::create_dir(&theirs).unwrap();
    fs::create_dir(&other).unwrap();
    symlink(&other, theirs.join("app")).unwrap();
    if geteuid().is_root() {
        chown(&theirs, Some(Uid::from_raw(65534)), Some(Gid::from_raw(65534))).unwrap();
        let refused = HeldFolder::open(&theirs.join("app"), None).unwrap_err();
        assert!(refused.to_string().contains("link of another user"), "{refused}");
    }
    // Links of one's own, or of the folder's own owner, are followed.
    symlink(&other, lab.join("app")).unwrap();
    assert!(HeldFolder::open(&lab.join("app"), None).is_ok());
}

/// Its page exchanged the named file's folder for a link while it ran, and root replaced another application's map.
#[test]
fn a_link_in_the_place_of_the_named_files_folder_led_to_another_application() {
    let lab = tempfile::tempdir().unwrap();
    let lab = lab.path().canonicalize().unwrap();
    let (app, maps, other) = (lab.join("app"), lab.join("app/maps"), lab.join("other"));
    for folder in [&app, &maps, &other] {
        fs::create_dir(folder).unwrap();
    }
    let map = maps.join("unladen-classmap.php");
    fs::write(other.join("unladen-classmap.php"), "another's").unwrap();
    let held = HeldFolder::open(&app, Some(&map)).unwrap();
    fs::rename(&maps, app.join("moved")).unwrap();
    symlink(&other, &maps).unwrap();

    assert!(write(&[(Some(map), b"ours".to_vec())], &held).unwrap());
    assert_eq!(fs::read_to_string(other.join("unladen-classmap.php")).unwrap(), "another's");
    assert_eq!(fs::read_to_string(app.join("moved/unladen-classmap.php")).unwrap(), "ours");
}
