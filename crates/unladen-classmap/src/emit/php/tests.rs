use std::path::PathBuf;

use bstr::{BString, ByteSlice as _};

use super::*;
use crate::Entry;
use crate::php::Kind;

fn map(entries: &[(&str, &str)]) -> Map {
    let entry = |&(class, path): &(&str, &str)| Entry { class: class.into(), path: path.into(), kind: Kind::Class };
    Map { entries: entries.iter().map(entry).collect(), ..Map::default() }
}

fn text(entries: &[(&str, &str)], target: &str, root: &str) -> String {
    String::from_utf8(php(&map(entries), Path::new(target), Path::new(root))).unwrap()
}

/// The name of its class.
fn name(file: &str) -> &str {
    let start = file.find("UnladenClassmap_").unwrap();
    &file[start..file[start..].find('\'').unwrap() + start]
}

#[test]
fn a_path_below_the_file_is_told_from_its_folder_and_others_as_they_are() {
    let entries =
        [("A", "/srv/app/a.php"), ("B", "/srv/application/b.php"), ("C", "/srv/app/c/c.php"), ("D", "/x.php")];
    let file = text(&entries, "/srv/app/map.php", "/srv/app");
    assert!(file.contains("    'A' => __DIR__ . '/a.php',\n"), "{file}");
    assert!(file.contains("    'B' => '/srv/application/b.php',\n"), "{file}");
    assert!(file.contains("    'C' => __DIR__ . '/c/c.php',\n"), "{file}");
    assert!(file.contains("    'D' => '/x.php',\n"), "{file}");
    assert!(text(&entries, "/map.php", "/srv/app").contains("'D' => __DIR__ . '/x.php'"), "a file in / itself");
}

#[test]
fn names_are_there_a_second_time_in_lower_case() {
    let file = text(&[("Foo\\ÄBar", "/a.php")], "/srv/map.php", "/srv");
    assert!(file.contains("    'foo\\\\Äbar' => 'Foo\\\\ÄBar',\n"), "ASCII alone has a case: {file}");
}

#[test]
fn quotes_and_backslashes_are_escaped_and_other_bytes_stay() {
    let mut out = Vec::new();
    literal(&mut out, b"a'b\\c\n\xff$x\\");
    assert_eq!(out.as_bstr(), BString::from(b"'a\\'b\\\\c\n\xff$x\\\\'".as_slice()));
}

#[test]
fn the_same_map_gives_the_same_bytes_wherever_the_tree_is() {
    let one = text(&[("A", "/srv/one/a.php")], "/srv/one/map.php", "/srv/one");
    assert_eq!(one, text(&[("A", "/srv/one/a.php")], "/srv/one/map.php", "/srv/one"));
    assert_eq!(one, text(&[("A", "/srv/two/a.php")], "/srv/two/map.php", "/srv/two"));
}

#[test]
fn another_map_has_another_name() {
    let one = text(&[("A", "/srv/a.php")], "/srv/map.php", "/srv");
    let two = text(&[("A", "/srv/b.php")], "/srv/map.php", "/srv");
    assert_ne!(name(&one), name(&two));
    assert_eq!(name(&one).len(), "UnladenClassmap_".len() + 16, "{}", name(&one));
}

#[test]
fn the_head_tells_where_the_application_is() {
    let seen = |folder: &str, root: &str| from(Path::new(folder), Path::new(root));
    assert_eq!(seen("/srv/app", "/srv/app"), PathBuf::from("."));
    assert_eq!(seen("/srv/app/cache/map", "/srv/app"), PathBuf::from("../.."));
    assert_eq!(seen("/srv", "/srv/app"), PathBuf::from("app"));
    assert_eq!(seen("/var/cache", "/srv/app"), PathBuf::from("/srv/app"));
    assert_eq!(seen("/", "/srv/app"), PathBuf::from("srv/app"));
    let file = text(&[], "/srv/app/map.php", "/srv/a?>\nexit;");
    assert!(file.contains("seen from this file: ../a?__exit;\n"), "{file}");
}

#[test]
fn the_frame_is_filled() {
    let file = text(&[("A", "/srv/a.php")], "/srv/map.php", "/srv");
    assert!(!file.contains('@'), "{file}");
    assert!(file.contains("In which file each of 1 classes is."), "{file}");
}
