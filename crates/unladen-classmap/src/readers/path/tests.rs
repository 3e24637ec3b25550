use super::*;

#[test]
fn two_dots_stay_behind_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    std::fs::create_dir_all(root.join("a/b")).unwrap();
    std::os::unix::fs::symlink("a/b", root.join("link")).unwrap();
    assert_eq!(below(root, b"a//b/.././b/x.php"), root.join("a/b/x.php"));
    assert_eq!(below(root, b"link/../x.php"), root.join("link/../x.php"));
    assert_eq!(below(root, b"gone/../x.php"), root.join("gone/../x.php"));
    assert_eq!(plain(b"/../etc//"), Path::new("/../etc"));
}

#[test]
fn stars_stand_for_parts_of_names() {
    for (pattern, name, expected) in [
        ("*", "a", true),
        ("a*b*c", "axbxbxc", true),
        ("a*b", "axc", false),
        ("a?", "ab", true),
        ("a?", "a", false),
        ("a**", "a", true),
        ("*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false),
    ] {
        assert_eq!(fits(pattern.as_bytes(), name.as_bytes()), expected, "{pattern} {name}");
    }
}

#[test]
fn paths_are_made_plain() {
    assert_eq!(lexical(Path::new("/a/b"), b"../c/./d//e/"), Path::new("/a/c/d/e"));
    assert_eq!(lexical(Path::new("/a"), b"/b/.."), Path::new("/"));
    assert_eq!(lexical(Path::new("/a"), b""), Path::new("/a"));
}
