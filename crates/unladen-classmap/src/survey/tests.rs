use super::*;

#[test]
fn loaders_and_includes_are_counted_and_not_those_in_texts() {
    let mut survey = Survey::default();
    let source = b"<?php\nrequire 'a.php'; include_once(B . '/c.php');\n// spl_autoload_register('x');\n\
        \\spl_autoload_register(fn($c) => 1);\n$x->require('y'); echo 'include';";
    survey.count(Path::new("/a.php"), source);
    assert_eq!((survey.includes, survey.loaders), (2, vec![("/a.php".into(), 4)]));
}
