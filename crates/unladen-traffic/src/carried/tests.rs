use super::*;

#[test]
fn what_servers_escape_is_decoded_and_what_requests_cannot_carry_is_encoded() {
    for (logged, sent) in [
        (&b"/a?b=%C3%A9"[..], "/a?b=%C3%A9"),
        (b"/wiki/Caf\\xC3\\xA9_1", "/wiki/Caf%C3%A9_1"),
        ("/wiki/Café".as_bytes(), "/wiki/Caf%C3%A9"),
        (b"/a\\\"b\\\\c<d>", "/a%22b%5Cc%3Cd%3E"),
        (b"/\xff", "/%FF"),
    ] {
        assert_eq!(carried(logged).as_deref(), Ok(sent));
    }
    assert_eq!(carried(b"/a b"), Err(NotCarried::Blank));
    assert_eq!(carried(b"/a#b"), Err(NotCarried::Fragment));
}
