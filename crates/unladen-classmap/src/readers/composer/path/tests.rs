use super::*;

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
    assert_eq!(plain(Path::new("/a/b"), b"../c/./d//e/"), Path::new("/a/c/d/e"));
    assert_eq!(plain(Path::new("/a"), b"/b/.."), Path::new("/"));
    assert_eq!(plain(Path::new("/a"), b""), Path::new("/a"));
}
