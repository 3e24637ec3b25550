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
