use crate::is_local;

#[test]
fn names_and_addresses_of_loopback_are_the_machines_own() {
    for (authority, expected) in [
        ("localhost", true),
        ("localhost:9901", true),
        ("LocalHost.", true),
        ("unladen.localhost:80", true),
        ("127.0.0.1", true),
        ("127.8.9.1:9901", true),
        ("[::1]:9901", true),
        ("[::1]", true),
        ("[::ffff:127.0.0.1]", true),
        ("", false),
        (":80", false),
        ("evil.example", false),
        ("evil.example:9901", false),
        ("localhost.evil.example", false),
        ("127.0.0.1.evil.example", false),
        ("evillocalhost", false),
        (".localhost", false),
        ("10.0.0.1", false),
        ("0.0.0.0", false),
        ("[::2]", false),
        ("[::1", false),
        ("[::1]evil", false),
        ("[::1]:", false),
        ("::1", false),
        ("localhost:", false),
        ("localhost:99999", false),
        ("localhost:80@evil.example", false),
        ("localhost@evil.example", false),
        ("localhost\u{e9}", false),
    ] {
        assert_eq!(is_local(authority), expected, "{authority:?}");
    }
}
