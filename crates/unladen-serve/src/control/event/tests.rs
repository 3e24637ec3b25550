use std::fs;
use std::os::unix::fs::symlink;
use std::sync::mpsc::{Receiver, channel};

use super::*;

const LONG: Duration = Duration::from_secs(20);

/// A watch of this file, and what it tells.
fn watching(file: &Path) -> (FileWatch, Receiver<Event>) {
    let (tell, told) = channel();
    let watch = FileWatch::start(tell).unwrap();
    watch.watch(&[file.to_owned()]).unwrap();
    (watch, told)
}

fn is_told(told: &Receiver<Event>) -> bool {
    matches!(told.recv_timeout(LONG), Ok(Event::FileChanged))
}

/// Only a link to the file itself, or beside it, was noticed.
#[test]
fn a_link_above_the_folder_that_leads_elsewhere_is_noticed() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    for release in ["releases/1/etc", "releases/2/etc"] {
        fs::create_dir_all(at(release)).unwrap();
        fs::write(at(release).join("serve.toml"), release).unwrap();
    }
    symlink("releases/1", at("current")).unwrap();
    let (watch, told) = watching(&at("current/etc/serve.toml"));
    symlink("releases/2", at("next")).unwrap();
    fs::rename(at("next"), at("current")).unwrap();
    assert!(is_told(&told));
    while told.try_recv().is_ok() {}
    watch.watch(&[at("current/etc/serve.toml")]).unwrap();
    fs::write(at("releases/2/etc/serve.toml"), "more").unwrap();
    assert!(is_told(&told), "what is in the other folder, too");
}

/// It was the folder that had gone which was watched.
#[test]
fn a_folder_that_is_made_anew_is_noticed() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    fs::create_dir_all(at("etc/serve")).unwrap();
    fs::write(at("etc/serve/a.toml"), "1").unwrap();
    let file = at("etc/serve/a.toml");
    let (watch, told) = watching(&file);
    fs::remove_dir_all(at("etc")).unwrap();
    assert!(is_told(&told));
    assert_eq!(watch.watch(std::slice::from_ref(&file)).unwrap_err().kind(), io::ErrorKind::NotFound);
    fs::create_dir_all(at("etc/serve")).unwrap();
    assert!(is_told(&told));
    while told.try_recv().is_ok() {}
    let _ = watch.watch(std::slice::from_ref(&file));
    fs::write(&file, "2").unwrap();
    assert!(is_told(&told));
}

#[test]
fn a_folder_that_another_takes_the_place_of_is_noticed() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    for folder in ["etc", "new"] {
        fs::create_dir(at(folder)).unwrap();
        fs::write(at(folder).join("a.toml"), folder).unwrap();
    }
    let (_watch, told) = watching(&at("etc/a.toml"));
    fs::rename(at("etc"), at("old")).unwrap();
    fs::rename(at("new"), at("etc")).unwrap();
    assert!(is_told(&told));
}

#[test]
fn links_in_a_circle_end() {
    let place = tempfile::tempdir().unwrap();
    symlink("b", place.path().join("a")).unwrap();
    symlink("a", place.path().join("b")).unwrap();
    let (found, is_there) = folders(&place.path().join("a"));
    assert!(is_there.is_err() && found.contains(&place.path().canonicalize().unwrap()));
}
