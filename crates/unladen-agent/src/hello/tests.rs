use super::*;

#[test]
fn a_hello_reads_back_as_itself() {
    assert_eq!(Hello::decode(&Hello::own().encode()), Some(Hello::own()));
    assert_eq!(Hello::own().line(), format!("unladen-agent-protocol 3 {}", env!("CARGO_PKG_VERSION")));
}

/// What another version sends, for ever.
#[test]
fn the_layout_of_a_hello_stays() {
    let later = Hello::decode(b"UNLADEN\n\x09\x00\x00\x007.2.1").unwrap();
    assert_eq!(later, Hello { protocol: 9, version: "7.2.1".into() });
    assert!(!later.is_understood());
    assert_eq!(Hello { protocol: 9, version: "7.2.1".into() }.encode(), b"UNLADEN\n\x09\x00\x00\x007.2.1");
}

#[test]
fn what_is_no_hello_is_none() {
    for body in [&b""[..], b"UNLADEN", b"UNLADEN\n\x01\0\0", b"unladen\n\x01\0\0\x000.1", b"UNLADEN\n\x01\0\0\0\xff"] {
        assert_eq!(Hello::decode(body), None, "{body:?}");
    }
    assert_eq!(Hello::decode(b"UNLADEN\n\x01\0\0\0\x1b[2J"), None, "nothing that a terminal would obey");
    assert_eq!(Hello::decode(&[&b"UNLADEN\n\x01\0\0\0"[..], &[b'1'; 65]].concat()), None);
}
