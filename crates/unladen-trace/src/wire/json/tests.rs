use super::*;

#[test]
fn members_have_paths() {
    let text = br#" { "a" : "x\"\u00e9\n", "b": {"c": -12.5, "d": [1, "]", [2]], "e": true}, "f": null } "#;
    let expected =
        [("a", "x\"é\n"), ("b.c", "-12.5"), ("b.e", "true"), ("f", "null")].map(|(a, b)| (a.into(), b.into()));
    assert_eq!(members(text), expected);
}

#[test]
fn what_makes_no_sense_ends_it() {
    for text in [&b""[..], b"{", b"[1]", b"{\"a\"", b"{\"a\":", b"{\"a\":\"", b"{\"a\":\"\\u12", b"{]", b"{\"a\":["] {
        assert_eq!(members(text), [], "{}", String::from_utf8_lossy(text));
    }
    assert_eq!(members(b"{\"a\":1,\"b\":\"cu"), [("a".into(), "1".into())]);
    assert!(members(&b"{\"a\":".repeat(10_000)).is_empty());
}
