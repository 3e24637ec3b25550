use proptest::prelude::*;

use super::*;

/// A query: flags, count of questions, what follows the head.
fn query(flags: u16, count: u16, body: &[u8]) -> Vec<u8> {
    let numbers = [0x1234, flags, count, 0, 0, 0].map(u16::to_be_bytes);
    [numbers.as_flattened(), body].concat()
}

fn seen(message: &[u8]) -> Vec<String> {
    questions(message).into_iter().map(|question| format!("{} {}", question.name, question.kind)).collect()
}

#[test]
fn what_the_c_library_asks() {
    let glibc = b"\x05\x12\x01\0\0\x01\0\0\0\0\0\0\x04wiki\x07example\x03org\0\0\x1c\0\x01";
    assert_eq!(seen(glibc), ["wiki.example.org AAAA"]);
    let mut message = query(0x0100, 1, b"\x03www\x07Example\x03org\0\0\x1c\0\x01");
    assert_eq!(seen(&message), ["www.example.org AAAA"]);
    // EDNS is no question.
    message[11] = 1;
    message.extend(b"\0\0\x29\x04\xb0\0\0\0\0\0\0");
    assert_eq!(seen(&message), ["www.example.org AAAA"]);
    // Over TCP, two at once.
    let length = u16::try_from(message.len()).unwrap().to_be_bytes();
    let framed = [&length[..], &message].concat();
    assert_eq!(seen(&framed), ["www.example.org AAAA"]);
    assert_eq!(seen(&[framed.clone(), framed].concat()).len(), 2);
}

#[test]
fn no_question_is_lost_whatever_its_id() {
    let mut message = query(0x0100, 1, b"\x05rates\x07pledges\x04test\0\0\x01\0\x01");
    for id in 0..=u16::MAX {
        message[..2].copy_from_slice(&id.to_be_bytes());
        assert_eq!(seen(&message), ["rates.pledges.test A"], "id {id:#06x}");
    }
}

#[test]
fn names_are_escaped_and_pointers_followed() {
    assert_eq!(seen(&query(0, 1, b"\0\0\x02\0\x01")), [". NS"]);
    assert_eq!(seen(&query(0, 1, b"\x05a.b\\\x07\x02_x\0\0\x21\0\x01")), ["a\\.b\\\\\\007._x SRV"]);
    assert_eq!(seen(&query(0, 2, b"\x01a\x01b\0\0\x01\0\x01\x01c\xc0\x0e\xff\0\0\x01")), ["a.b A", "c.b TYPE65280"]);
}

#[test]
fn what_is_no_question() {
    let long = [&b"\x3f"[..], &[b'a'; 63]].concat().repeat(4);
    for message in [
        query(0x8180, 1, b"\x01a\0\0\x01\0\x01"),
        query(0x2800, 1, b"\x01a\0\0\x01\0\x01"),
        query(0, 0, b""),
        query(0, 9, &b"\x01a\0\0\x01\0\x01".repeat(9)),
        query(0, 1, b"\x01a\0\0\x01"),
        query(0, 1, b"\x05a"),
        query(0, 1, b"\xc0\x0c\0\x01\0\x01"),
        query(0, 1, b"\xc0\xff\0\x01\0\x01"),
        query(0, 1, b"\x40a\0\0\x01\0\x01"),
        query(0, 1, &[&long[..], b"\0\0\x01\0\x01"].concat()),
        b"GET / HTTP/1.1".to_vec(),
        b"{\"method\":\"io.systemd.Resolve.ResolveHostname\",\"parameters\":{\"name\":\"cu".to_vec(),
        b"{\"a\":".repeat(10_000),
        b"{\"method\":\"io.systemd.Resolve.ResolveHostname\",\"parameters\":{\"name\":\"a\xff\"}}".to_vec(),
        b"[1]".to_vec(),
        b"{]".to_vec(),
        Vec::new(),
    ] {
        assert!(questions(&message).is_empty(), "{message:?}");
    }
}

#[test]
fn systemd_resolved() {
    let asked = |parameters: &str| {
        seen(format!("{{\"method\":\"io.systemd.Resolve.ResolveHostname\",\"parameters\":{parameters}}}\0").as_bytes())
    };
    assert_eq!(asked(r#"{"name":"Example.org.","flags":0}"#), ["example.org A+AAAA"]);
    assert_eq!(asked(r#"{"flags":0,"family":2,"name":"a\u0007b"}"#), ["a\\007b A"]);
    assert_eq!(asked(r#"{"name":"a","family":10}"#), ["a AAAA"]);
    // Members of other names are passed over, and so is a family that is none.
    assert_eq!(
        asked(r#"{"a":{"name":"no"},"d":[1,"]",[2]],"e":-12.5,"f":null,"name":"x\u00e9\n"}"#),
        [r"x\195\169\010 A+AAAA"]
    );
    for family in ["-2", "2.5", "\"2\"", "99999999999999999999", "[2]"] {
        assert_eq!(asked(&format!(r#"{{"name":"a","family":{family}}}"#)), ["a A+AAAA"], "{family}");
    }
    // A number that is none, and half a pair of surrogates, are no JSON.
    assert!(asked(r#"{"name":"a","family":1e999}"#).is_empty());
    assert!(asked(r#"{"name":"\ud800"}"#).is_empty());
    assert!(asked(r#"{"name":["a"]}"#).is_empty());
    assert!(asked("[]").is_empty());
    assert!(asked("{}").is_empty());
    assert!(seen(br#"{"method":"io.systemd.Resolve.ResolveAddress","parameters":{"name":"a"}}"#).is_empty());
}

proptest! {
    #[test]
    fn names_can_be_shown(flags in prop::sample::select(vec![0_u16, 0x100]), count in 1..4_u16, body in prop::collection::vec(
        prop_oneof![0..4_u8, Just(0xc0), any::<u8>()], 0..60)) {
        for message in [query(flags, count, &body), body] {
            for question in questions(&message) {
                prop_assert!(question.name.bytes().all(|byte| (b'!'..=b'~').contains(&byte)), "{:?}", question);
            }
        }
    }
}
