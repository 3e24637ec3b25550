//! Tests of what is derived from a response.

use super::*;
use crate::{Policy, Time};

fn freshness() -> Freshness {
    Freshness::of(200, &Fields::default(), Time(0), Time(0), &Policy::default())
}

fn stored(lines: &[(&str, &str)]) -> Stored {
    let mut fields = Fields::default();
    lines.iter().for_each(|(name, value)| fields.push(name.as_bytes(), value.as_bytes()));
    Stored::new(200, fields, Bytes::from_static(b"body"), freshness(), None, Sequence(3))
}

fn tags(lines: &[(&str, &str)]) -> Vec<String> {
    stored(lines).tags.iter().map(|tag| tag.to_string()).collect()
}

#[test]
fn lines_are_those_of_http_1() {
    let stored = stored(&[("Date", "then"), ("X-A", "1"), ("ETag", "\"v1\""), ("X-A", "")]);
    assert_eq!(stored.lines, "Date: then\r\nETag: \"v1\"\r\nX-A: 1\r\nX-A: \r\n");
    assert_eq!(stored.lines_of_304(), b"Date: then\r\nETag: \"v1\"\r\n");
    assert_eq!(stored.validators.etag.as_deref(), Some(&b"\"v1\""[..]));
    assert_eq!(stored.sequence, Sequence(3));
}

#[test]
fn tags_of_each_field() {
    assert_eq!(tags(&[("cache-tag", " a , b c,,b c"), ("Cache-Tag", "d")]), ["a", "b c", "d"]);
    assert_eq!(tags(&[("Surrogate-Key", "b  a,x\tc")]), ["a,x", "b", "c"]);
    assert_eq!(tags(&[("xkey", "a, b c")]), ["a", "b", "c"]);
    assert_eq!(tags(&[("x-key", "a"), ("cachetags", "b"), ("cache-tag", "")]), [""; 0]);
    // What is no UTF-8 is still one tag.
    let mut fields = Fields::default();
    fields.push(b"xkey", b"\xff\xfe");
    let stored = Stored::new(200, fields, Bytes::new(), freshness(), None, Sequence(0));
    assert!(stored.has_tag("\u{fffd}\u{fffd}"));
}

#[test]
fn too_many_tags_are_all_tags() {
    let many: Vec<_> = (0..=MOST).map(|n| format!("{n}")).collect();
    let stored_many = stored(&[("xkey", &many.join(" "))]);
    assert_eq!(stored_many.tags.len(), MOST);
    assert!(stored_many.has_more_tags && stored_many.has_tag("anything"));
    let exact = stored(&[("xkey", &many[1..].join(" "))]);
    assert!(!exact.has_more_tags && !exact.has_tag("anything") && exact.has_tag("1"));
    assert!(stored(&[("xkey", &"x".repeat(LONGEST + 1))]).has_tag("anything"));
}

#[test]
fn groups_belong_to_an_origin() {
    let mut stored =
        stored(&[("Cache-Groups", r#""a", "b\"c";p=1;q="x, y" ,"a""#), ("cache-groups", "\"d\""), ("xkey", "t")]);
    stored.add_groups(b"https://one.example");
    let expected = ["a", "b\"c", "d"].map(|group| group_tag(b"https://one.example", group));
    assert!(expected.iter().all(|tag| stored.has_tag(tag)), "{:?}", stored.tags);
    assert_eq!(stored.tags.len(), 4);
    assert!(!stored.has_tag(&group_tag(b"https://two.example", "a")));
    assert!(!stored.has_tag("a"));
}

#[test]
fn groups_that_are_no_list_of_strings_are_none() {
    for wrong in
        ["a", "\"a", "\"a\" \"b\"", "\"a\",", ",\"a\"", "\"a\\x\"", "\"\u{e4}\"", "\"a\";", "1, \"a\"", "\"a\"b"]
    {
        let mut stored = stored(&[("cache-groups", wrong)]);
        stored.add_groups(b"o");
        assert_eq!(stored.tags.len(), 0, "{wrong}");
    }
}

#[test]
fn freshened_shares_the_body() {
    let old = stored(&[("a", "1"), ("xkey", "t")]);
    assert!(old.set_coded(Coding::Gzip, Some(Bytes::from_static(b"gzip"))));
    assert!(old.set_coded(Coding::Zstd, None));
    assert!(!old.set_coded(Coding::Gzip, None));
    old.purge_softly();
    let mut fields = Fields::default();
    fields.push(b"a", b"2");
    let new = old.freshened(fields, freshness(), Some(b"v".as_slice().into()), Sequence(4));
    assert_eq!(new.body.as_ptr(), old.body.as_ptr());
    assert_eq!((new.status, &new.lines[..]), (200, &b"a: 2\r\n"[..]));
    assert_eq!(new.in_coding(Coding::Gzip).unwrap(), "gzip");
    assert!(new.is_coded(Coding::Zstd) && !new.is_coded(Coding::Brotli) && new.in_coding(Coding::Zstd).is_none());
    assert!(!new.is_soft_purged() && new.sequence == Sequence(4) && new.tags.is_empty());
    assert_eq!(new.version.as_deref(), Some(&b"v"[..]));
}

#[test]
fn what_fields_replaced_takes_no_memory() {
    let mut fields = Fields::default();
    for n in 0..1000 {
        fields.set(b"a", format!("{n:0100}").as_bytes());
    }
    let stored = Stored::new(200, fields, Bytes::new(), freshness(), None, Sequence(0));
    assert!(stored.weight() < 1000, "{}", stored.weight());
    assert_eq!(stored.fields.len(), 1);
}
