use super::*;

#[test]
fn patterns_mean_what_they_mean_to_composer() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("a folder");
    std::fs::create_dir_all(root.join("lib")).expect("a folder");
    for (pattern, path, expected) in [
        ("tests/", "tests/A.php", true),
        ("/tests", "tests/deep/A.php", true),
        ("tests", "tests2/A.php", false),
        ("tests", "src/tests/A.php", false),
        ("**/tests", "src/tests/A.php", true),
        ("**/tests/", "tests/A.php", false),
        ("src/*/Tests", "src/a/Tests/A.php", true),
        ("src/*/Tests", "src/a/b/Tests/A.php", false),
        ("src/**/Tests", "src/a/b/Tests/A.php", true),
        ("src/A.php", "src/A.php", true),
        ("src//A.php", "src/A.php", true),
        ("src/A.ph", "src/A.php", false),
        ("src\\A.php", "src/A.php", true),
        ("./src", "src/A.php", true),
        ("lib/../src", "src/A.php", false),
        ("*", "A.php", true),
        ("", "A.php", false),
        ("s?c", "src/A.php", false),
    ] {
        let mut excluded = Excluded::default();
        excluded.add(&root, pattern.as_bytes());
        assert_eq!(excluded.excludes(&root.join(path)), expected, "{pattern} {path}");
    }
    let mut excluded = Excluded::default();
    excluded.add(&root.join("lib"), b"../src");
    assert!(excluded.excludes(&root.join("src/A.php")));
    excluded.add(&root.join("gone"), b"x");
    assert_eq!(excluded.patterns.len(), 1);
}
