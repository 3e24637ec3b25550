use proptest::prelude::*;

use super::*;
use crate::tests::testing::{fields, get, patterns, policy, value};

fn nominated(vary: &str) -> Nominated {
    Nominated::of(&fields(&[&format!("Vary: {vary}")])).expect("names")
}

fn variant(vary: &str, lines: &[&str], policy: &Policy) -> Vec<u8> {
    let mut out = b"before".to_vec();
    nominated(vary).write_variant(&get("/", lines), policy, &mut out);
    out.strip_prefix(b"before").expect("it is appended").to_vec()
}

// RFC 9110, section 12.5.5
#[test]
fn names() {
    let of = |lines: &[&str]| Nominated::of(&fields(lines));
    for all in ["*", "*, *", ", *", "*, Foo", "Foo, *", "a b", "a;b", "\"a\""] {
        assert_eq!(of(&[&format!("Vary: {all}")]), None, "{all}");
    }
    assert_eq!(of(&["Vary:", "Vary: *"]), None);
    assert_eq!(of(&["Vary: ,"]), Some(Nominated::default()));
    assert_eq!(of(&["Vary: Foo, bar,,", "vary: FOO"]), Some(nominated("bar, foo")));
    assert_eq!(nominated("a, c").union(&nominated("B, c")), nominated("a, b, c"));
    assert_eq!(variant("", &["A: 1"], &policy()), b"");
}

#[test]
fn what_means_the_same_is_the_same() {
    let same: [(&str, &[&str], &[&str]); 11] = [
        ("Foo", &["Foo: 1, 2"], &["foo: 1", "FOO:  2 "]),
        ("Foo", &["Foo: 1,2"], &["Foo: 1 \t,  2"]),
        ("Foo, Bar", &["Foo: 1", "Bar: 2", "Other: 3"], &["Bar: 2", "Foo: 1"]),
        ("Accept-Encoding", &["Accept-Encoding: gzip, br"], &["Accept-Encoding: br;q=0.5,GZIP"]),
        ("Accept-Encoding", &["Accept-Encoding: gzip"], &["Accept-Encoding: gzip, br;q=0, identity;q=0.1"]),
        ("Accept-Language", &["Accept-Language: en, de"], &["Accept-Language: eN ,  De"]),
        ("Cookie", &["Cookie: a=1; b=2"], &["Cookie: b=2;a=1"]),
        ("Cookie", &["Cookie: a=1; b=2"], &["Cookie: b=2", "Cookie: a=1"]),
        ("Cookie", &["Cookie: a=1"], &["Cookie: _ga=5; a=1"]),
        ("Cookie", &[], &["Cookie: _ga=5"]),
        ("Foo", &[], &["Bar: 1"]),
    ];
    let policy = Policy { ignore_cookies: patterns(&["_ga*"]), ..policy() };
    for (vary, one, other) in same {
        assert_eq!(variant(vary, one, &policy), variant(vary, other, &policy), "{vary}: {one:?} and {other:?}");
    }
}

#[test]
fn what_may_mean_another_thing_is_another() {
    let apart: [(&str, &[&str], &[&str]); 15] = [
        ("Foo", &["Foo: 1"], &["Foo: 2"]),
        ("Foo", &["Foo: a"], &["Foo: A"]),
        ("Foo", &[], &["Foo:"]),
        ("Foo", &["Foo: 1 2"], &["Foo: 1, 2"]),
        ("Foo", &["Foo: \"1, 2\""], &["Foo: \"1,2\""]),
        ("Foo", &["Foo: \"\\\"1, 2\""], &["Foo: \"\\\"1,2\""]),
        ("Foo, Bar", &["Foo: 1"], &["Bar: 1"]),
        ("Foo, Bar", &["Foo: 1", "Bar:"], &["Foo:", "Bar: 1"]),
        ("Accept-Encoding", &["Accept-Encoding: gzip"], &["Accept-Encoding: br"]),
        ("Accept-Encoding", &["Accept-Encoding: gzip"], &["Accept-Encoding: gzip, deflate"]),
        ("Accept-Encoding", &["Accept-Encoding: gzip"], &["Accept-Encoding: gzip, identity;q=0"]),
        ("Accept-Language", &["Accept-Language: en, de"], &["Accept-Language: de, en"]),
        ("Cookie", &["Cookie: a=1"], &["Cookie: a=2"]),
        ("Cookie", &["Cookie: a=1; a=2"], &["Cookie: a=2; a=1"]),
        ("Cookie", &[], &["Cookie: a"]),
    ];
    for (vary, one, other) in apart {
        assert_ne!(variant(vary, one, &policy()), variant(vary, other, &policy()), "{vary}: {one:?} and {other:?}");
    }
}

#[test]
fn by_the_languages_of_the_application() {
    let policy = Policy { languages: vec!["en".to_owned(), "de".to_owned()], ..policy() };
    let of = |value: &str| variant("Accept-Language", &[&format!("Accept-Language: {value}")], &policy);
    assert_eq!(of("de-CH, en;q=0.5"), of("de"));
    assert_eq!(of("de, en"), of("en, de"));
    assert_eq!(of("fr"), of("it, en;q=0"));
    assert_ne!(of("de"), of("en"));
    assert_ne!(of("fr"), of("en"));
    let long = |end: &str| of(&format!("{}{end}", "it,".repeat(400)));
    assert_ne!(long("de"), long("en"));
}

#[test]
fn only_the_cookies_that_are_named() {
    let policy = Policy { vary_cookies: patterns(&["session"]), ..policy() };
    let of = |value: &str| variant("Cookie", &[&format!("Cookie: {value}")], &policy);
    assert_eq!(of("theme=dark"), variant("Cookie", &[], &policy));
    assert_eq!(of("theme=dark; session=1"), of("session=1; x"));
    assert_ne!(of("session=1"), of("session=2"));
}

#[test]
fn a_long_variant_is_a_digest() {
    let of = |value: String| variant("Foo, Bar", &[&format!("Foo: {value}"), "Bar: 1"], &policy());
    let (short, long) = (of("a".repeat(900)), of("a".repeat(60_000)));
    assert!((900..=LONGEST_VARIANT).contains(&short.len()));
    assert_eq!(long.len(), 20);
    assert_eq!(long, of("a".repeat(60_000)));
    assert_ne!(long, of("a".repeat(60_001)));
    assert_ne!(long[4..12], long[12..], "two keys");
}

proptest! {
    #[test]
    fn two_requests_of_any_bytes(one in value(), other in value(), name in 0..4_usize) {
        let name = ["cookie", "accept-encoding", "accept-language", "foo"][name];
        let of = |value: &[u8]| {
            let mut request = get("/", &[]);
            request.fields.push(name.as_bytes(), value);
            let mut out = Vec::new();
            nominated("foo, cookie, accept-encoding, accept-language").write_variant(&request, &policy(), &mut out);
            out
        };
        let (written, another) = (of(&one), of(&other));
        prop_assert!(written.len() <= LONGEST_VARIANT);
        prop_assert_eq!(&written, &of(&one));
        if written == another && name == "foo" {
            let bare = |value: &[u8]| value.iter().filter(|byte| !matches!(byte, b' ' | b'\t')).copied().collect::<Vec<_>>();
            prop_assert_eq!(bare(&one), bare(&other), "they differ in white space alone");
        }
    }

    #[test]
    fn normalising_twice_is_normalising_once(value in value(), name in 0..3_usize) {
        let name = [&b"foo"[..], b"accept-language", b"cookie"][name];
        let once = normalised(name, &value);
        prop_assert_eq!(normalised(name, &once), once);
    }
}

fn normalised(name: &[u8], value: &[u8]) -> Vec<u8> {
    let mut fields = Fields::default();
    fields.push(name, value);
    let mut out = Vec::new();
    write(name, &fields, &policy(), &mut out);
    out
}

fn picked(header: &str, offered: &str) -> Option<String> {
    let offered: Vec<String> = offered.split(' ').map(str::to_owned).collect();
    pick(header.as_bytes(), &offered).map(str::to_owned)
}

// RFC 4647, section 3.4; RFC 9110, section 12.5.4
#[test]
fn the_best_of_what_is_offered() {
    let table = [
        ("de", "en de", Some("de")),
        ("DE", "en de", Some("de")),
        ("de-CH", "en de", Some("de")),
        ("de", "en de-AT", Some("de-AT")),
        ("den", "en de", None),
        ("fr;q=0.5, de;q=1.0", "fr de", Some("de")),
        ("en, de", "de en", Some("de")),
        ("de, en", "en de", Some("en")),
        ("en-GB, de;q=0.9, en;q=0.8", "de en", Some("en")),
        ("fr, *;q=0.5", "en de", Some("en")),
        ("en;q=0, *", "en de", Some("de")),
        ("de, de-AT;q=0", "de-AT en", None),
        ("*;q=0", "en de", None),
        ("", "en de", None),
        ("zh-Hant-TW", "zh zh-Hant", Some("zh")),
    ];
    for (header, offered, expected) in table {
        assert_eq!(picked(header, offered).as_deref(), expected, "{header} of {offered}");
    }
}

proptest! {
    #[test]
    fn any_bytes_pick_what_is_offered_or_none(header in value()) {
        let offered = ["en".to_owned(), "de-CH".to_owned(), String::new()];
        if let Some(tag) = pick(&header, &offered) {
            prop_assert!(offered.iter().any(|offered| offered == tag));
        }
    }
}
