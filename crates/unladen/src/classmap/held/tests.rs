use std::fs;
use std::os::unix::fs::symlink;

use super::*;
use crate::classmap::task::write;

/// A folder of 3,000 files was read for a while; a link was put in its place, and root's map replaced another's.
#[test]
fn a_link_in_the_place_of_the_folder_that_is_read_led_to_another_application() {
    let lab = tempfile::tempdir().unwrap();
    let (folder, other) = (lab.path().join("app"), lab.path().join("other"));
    fs::create_dir(&folder).unwrap();
    fs::create_dir(&other).unwrap();
    let map = folder.join("unladen-classmap.php");
    fs::write(other.join("unladen-classmap.php"), "another's").unwrap();
    let held = HeldFolder::open(&folder).unwrap();
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
