//! Tests of records.

use proptest::prelude::*;

use super::*;

fn record(what: What) -> Record {
    Record { node: "web-1.0".to_owned(), number: 7, site: Some("shop".to_owned()), what, is_soft: false }
}

fn page(target: &str) -> Page {
    Page { is_https: Some(true), authority: "example.org".to_owned(), target: target.to_owned() }
}

fn any_what() -> impl Strategy<Value = What> {
    let page = (any::<Option<bool>>(), "[a-z.:]{1,30}", "/\\PC{0,60}").prop_map(|(is_https, authority, target)| Page {
        is_https,
        authority,
        target,
    });
    prop_oneof![
        page.clone().prop_map(What::Url),
        page.prop_map(What::Prefix),
        "\\PC{1,40}".prop_map(What::Tag),
        Just(What::All)
    ]
}

proptest! {
    #[test]
    fn what_is_written_is_read(node in "\\PC{1,60}", number: u64, site: Option<String>, what in any_what(), is_soft: bool) {
        let record = Record { node, number, site, what, is_soft };
        prop_assert_eq!(Record::read(record.write().as_bytes()).unwrap(), record);
    }

    #[test]
    fn whatever_comes_is_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(record) = Record::read(&bytes) {
            prop_assert_eq!(Record::read(record.write().as_bytes()).unwrap(), record);
        }
    }
}

#[test]
fn its_form_is_what_other_versions_know() {
    let text = record(What::Url(page("/a"))).write();
    let known = r#"{"v":1,"node":"web-1.0","n":7,"site":"shop","what":{"url":{"https":true,"authority":"example.org","target":"/a"}},"soft":false}"#;
    assert_eq!(text, known);
    assert!(record(What::All).write().contains(r#""what":"all""#));
}

#[test]
fn nothing_is_in_it_that_is_not_known() {
    let known = record(What::Url(page("/a"))).write();
    for (was, is) in [
        ("\"soft\":false", "\"soft\":false,\"run\":\"x\""),
        ("\"target\"", "\"x\":1,\"target\""),
        ("\"url\"", "\"exec\""),
        ("\"v\":1", "\"v\":0"),
        ("web-1.0", ""),
        ("\"n\":7", "\"n\":-7"),
    ] {
        assert!(known.contains(was), "{was}");
        let error = Record::read(known.replace(was, is).as_bytes()).unwrap_err();
        assert!(matches!(error, RecordError::Malformed(_)), "{is}: {error}");
    }
    assert!(matches!(Record::read(&vec![b' '; LONGEST + 1]), Err(RecordError::TooLong(_))));
}

/// It may mean anything; whoever reads it asks about everything.
#[test]
fn a_newer_version_is_told_from_nonsense() {
    let newer = br#"{"v":2,"node":"a","n":1,"regex":"^/x"}"#;
    assert_eq!(Record::read(newer), Err(RecordError::Newer(2)));
}

#[test]
fn what_is_too_long_means_more() {
    let long = format!("/{}", "\"é".repeat(12_000));
    for (what, is_soft) in
        [(What::Url(page(&long)), false), (What::Prefix(page(&long)), false), (What::Tag(long.clone()), true)]
    {
        let text = record(what).write();
        assert!(text.len() <= LONGEST, "{}", text.len());
        let read = Record::read(text.as_bytes()).unwrap();
        assert_eq!(read.is_soft, is_soft);
        match read.what {
            What::Prefix(page) => assert!(long.starts_with(&page.target) && page.target.len() > 1000),
            what => assert_eq!(what, What::All),
        }
    }
}

/// A client can send a request that changes something to a name of 20 KB, or to none at all.
#[test]
fn whoever_names_a_page_oddly_makes_no_node_doubt_everything() {
    for (authority, target) in [
        (String::new(), "/".to_owned()),
        ("a".repeat(30_000), "/".to_owned()),
        ("a".repeat(2000), "/\\".repeat(20_000)),
    ] {
        let what = What::Url(Page { is_https: Some(true), authority: authority.clone(), target: target.clone() });
        let read = Record::read(record(what).write().as_bytes()).unwrap();
        match read.what {
            What::Url(page) => assert_eq!((page.authority, page.target), (authority, target)),
            What::Prefix(page) => assert!(page.authority.len() == 1024 && page.target.is_empty() && !read.is_soft),
            what => panic!("{what:?}"),
        }
    }
}

proptest! {
    #[test]
    fn a_position_that_is_written_is_read(epoch in "[a-zA-Z0-9._-]{1,80}", index: u64) {
        let position = Position::new(&epoch, index).unwrap();
        prop_assert_eq!(position.to_string().parse::<Position>().unwrap(), position);
    }

    /// One position has one text: what is compared as text is the same.
    #[test]
    fn what_is_read_is_written_so(text in "\\PC{0,100}|[a-z0-9.]{0,4}/[0-9+]{0,22}") {
        if let Ok(position) = text.parse::<Position>() {
            prop_assert_eq!(position.to_string(), text);
        }
    }
}

#[test]
fn what_is_no_position_is_none() {
    for text in ["", "/", "a/", "/1", "a/-1", "a/+1", "a/01", "a b/1", "a/1 ", "a/18446744073709551616", "a/1/2"] {
        assert!(text.parse::<Position>().is_err(), "{text}");
    }
    assert!(Position::new(&"a".repeat(81), 1).is_none());
}
