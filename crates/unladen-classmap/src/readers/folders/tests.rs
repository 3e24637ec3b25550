use super::*;

#[test]
fn rules_are_told_by_class_and_file() {
    let rule = |class: &str, path: &str| rule(&class.into(), path.into());
    for (class, path, expected) in [
        ("A\\Cart", "/a/Cart.php", Some("Name.php")),
        ("Cart", "/a/class.cart.php", Some("class.name.php")),
        ("Cart", "/a/class_Cart.inc", Some("class_Name.inc")),
        ("Cart", "/a/Cart.class.php", Some("Name.class.php")),
        ("Shop_Cart", "/a/Shop/Cart.php", Some("Last part.php")),
        ("WP_Cart_X", "/a/class-wp-cart-x.php", Some("class-the-name.php")),
        ("Cart", "/a/Basket.php", None),
        ("Cart", "/a/.php", None),
    ] {
        assert_eq!(rule(class, path).as_deref(), expected, "{class} {path}");
    }
}

#[test]
fn loaders_and_includes_are_counted_and_not_those_in_texts() {
    let mut survey = Survey::default();
    let source = b"<?php\nrequire 'a.php'; include_once(B . '/c.php');\n// spl_autoload_register('x');\n\
        \\spl_autoload_register(fn($c) => 1);\n$x->require('y'); echo 'include';";
    survey.count(Path::new("/a.php"), source);
    assert_eq!((survey.includes, survey.loaders), (2, vec![("/a.php".into(), 4)]));
}
