use super::authority;

#[test]
fn a_host_is_a_name_or_an_address_with_a_port_or_without() {
    let longest = "a".repeat(255);
    for (text, expected) in [
        ("a", "a"),
        ("Example.ORG:80", "Example.ORG:80"),
        ("example.org.", "example.org."),
        ("example.org:", "example.org"),
        ("my_service-1.internal~x:65535", "my_service-1.internal~x:65535"),
        ("127.0.0.1:0", "127.0.0.1:0"),
        ("[::1]", "[::1]"),
        ("[2001:DB8::192.0.2.1]:443", "[2001:DB8::192.0.2.1]:443"),
        ("[::1]:", "[::1]"),
        (&*longest, &*longest),
    ] {
        assert_eq!(authority(text.as_bytes()), Some(expected.as_bytes()), "{text}");
    }
}

#[test]
fn nothing_else_is_one() {
    let too_long = "a".repeat(256);
    for text in [
        "",
        ":",
        ":80",
        ".",
        "..",
        ".a",
        "a..b",
        "a b",
        "a\t",
        "a/b",
        "a,b",
        "a;b",
        "a@b",
        "u:p@a",
        "a:80:80",
        "a:80a",
        "a:+80",
        "a:-1",
        "a:65536",
        "a:000080",
        "a:8 0",
        "a:１",
        "a#",
        "a?b",
        "a\\b",
        "a%2fb",
        "a\0",
        "ä",
        "<a>",
        "\"a\"",
        "'a'",
        "a&b",
        "a=b",
        "[",
        "[]",
        "[::1",
        "::1",
        "[::1]a",
        "[::1]80",
        "[127.0.0.1]",
        "[::1%25eth0]",
        "[fe80::1%eth0]",
        "[v1.a]",
        "[[::1]]",
        "http://a",
        &too_long,
    ] {
        assert_eq!(authority(text.as_bytes()), None, "{text:?}");
    }
}
