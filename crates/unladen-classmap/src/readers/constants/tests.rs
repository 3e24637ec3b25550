use super::*;

#[test]
fn what_settings_define_is_read_with_what_they_include() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::write(root.join("more.php"), "<?php define('B', '/b/'); define('C', $x);").unwrap();
    let source = "<?php\nif (!defined('A')) define('A', ROOT . 'a//');\nif ($y) include(__DIR__ . '/more.php');\n";
    std::fs::write(root.join("one.php"), source).unwrap();
    let mut settings = Settings::default();
    settings.read(&root.join("one.php"), &[("ROOT", b"/it's/")], &["A", "B", "C", "D"]);
    assert_eq!(settings.problems, []);
    assert_eq!(settings.values("A"), Some(vec!["/it's/a".into()]));
    assert_eq!(settings.values("B"), Some(vec!["/b".into()]));
    assert_eq!((settings.values("C"), settings.values("D")), (None, Some(Vec::new())));
    assert_eq!(settings.inputs, [root.join("one.php"), root.join("more.php")]);
}
