use proptest::prelude::*;

use super::*;

#[test]
fn lines() {
    let table = [
        // What glibc's syslog(3) writes.
        (&b"<22>Oct 11 22:14:15 sympa[1234]: Hello\n"[..], "sympa[1234]: Hello"),
        (b"<11>Oct  1 22:14:15 php: PHP Warning:  x\0", "php: PHP Warning:  x"),
        (b"<0>oops", "oops"),
        (b"<191>a\x1b[1mb", "a [1mb"),
        (b"<165>1 2026-10-11T22:14:15.003Z host app 1 ID47 - text", "app 1 ID47 - text"),
        (b"<14>1 - - app - - - text", "app - - - text"),
        (b"<14>1 of 2", "1 of 2"),
        (b"PRIORITY=4\nSYSLOG_IDENTIFIER=x\nMESSAGE=low on space\n", "low on space"),
    ];
    for (payload, expected) in table {
        assert!(text(payload).is_some(), "{payload:?}");
        assert_eq!(message(payload), expected);
    }
}

#[test]
fn what_is_none() {
    for payload in [&b""[..], b"<>x", b"<192>x", b"<01>x", b"<1", b"<1234>x", b"<a>x", b"<html>", b"PRIORITY=4"] {
        assert_eq!(text(payload), None, "{payload:?}");
        assert!(!looks_like_syslog(payload));
    }
    assert_eq!(message(b" plain\n"), "plain");
    assert_eq!(message(&[b'x'; 5000]).chars().count(), MAX_MESSAGE + 1);
}

proptest! {
    #[test]
    fn what_is_shown_can_be_shown(number in 0..300_u16, rest in prop::collection::vec(any::<u8>(), 0..40)) {
        let payload = [format!("<{number}>").as_bytes(), &rest].concat();
        prop_assert!(!message(&payload).chars().any(char::is_control));
        prop_assert_eq!(looks_like_syslog(&payload), number <= 191);
        let _ = message(&rest);
    }
}
