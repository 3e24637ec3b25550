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
