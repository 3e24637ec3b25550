use proptest::prelude::*;

use super::*;
use crate::tests::testing::{fields, get, response, value};

#[test]
fn unsafe_methods_that_succeed() {
    for method in ["POST", "PUT", "DELETE", "PATCH", "M-SEARCH", "get"] {
        assert!(invalidates(method.as_bytes(), 200) && invalidates(method.as_bytes(), 303), "{method}");
        assert!(!invalidates(method.as_bytes(), 404) && !invalidates(method.as_bytes(), 500), "{method}");
    }
    for method in ["GET", "HEAD", "OPTIONS", "TRACE"] {
        assert!(!invalidates(method.as_bytes(), 200), "{method}");
    }
}

// RFC 9111, section 4.4; RFC 3986, section 5
#[test]
fn other_targets_of_the_same_origin() {
    let table = [
        ("/x", Some("/x")),
        ("/x?y#z", Some("/x?y")),
        ("x", Some("/a/x")),
        ("./x/../y/.", Some("/a/y/")),
        ("../../x", Some("/x")),
        ("..", Some("/")),
        ("?y", Some("/a/b?y")),
        ("", Some("/a/b?c=/d")),
        ("#z", Some("/a/b?c=/d")),
        ("x:y/..", None),
        ("//EXAMPLE.org/x", Some("/x")),
        ("//example.org:80/x/../y", Some("/y")),
        ("HTTP://Example.org", Some("/")),
        ("http://example.org?x", Some("/?x")),
        ("http://example.org:81/x", None),
        ("http://example.com/x", None),
        ("http://me@example.org/x", None),
        ("https://example.org/x", None),
        ("http:/x", None),
        ("//example.org.evil/x", None),
        ("/a//b", Some("/a//b")),
        ("/p?r=../x", Some("/p?r=../x")),
    ];
    let request = get("/a/b?c=/d", &[]);
    for (reference, expected) in table {
        let of = |name: &str| targets(&request, &response(201, &[&format!("{name}: {reference}")]), false);
        let expected: Vec<_> = expected.iter().map(|target| target.as_bytes().to_vec()).collect();
        assert_eq!(of("Location"), expected, "{reference}");
        assert_eq!(of("content-location"), expected, "{reference}");
    }
    let two = response(201, &["Content-Location: /2", "Location: https://example.org/1"]);
    assert_eq!(targets(&request, &two, true), [b"/1", b"/2"]);
}

// RFC 9875, section 3
#[test]
fn groups() {
    let of = |lines: &[&str]| group_invalidations(&fields(lines));
    let names = |names: &[&str]| names.iter().map(|name| Box::from(*name)).collect::<Vec<Box<str>>>();
    assert_eq!(of(&["Cache-Group-Invalidation: \"a\", \"b \\\" c\";x=1"]), names(&["a", "b \" c"]));
    assert_eq!(of(&["cache-group-invalidation: \"a\"", "Cache-Group-Invalidation: \"b\""]), names(&["a", "b"]));
    for none in ["", "a", "\"a\", b", "\"a", "\"a\",", "(\"a\")", "\"\u{fc}\""] {
        assert_eq!(of(&[&format!("Cache-Group-Invalidation: {none}")]), names(&[]), "{none}");
    }
    assert_eq!(of(&[]), names(&[]));
}

proptest! {
    #[test]
    fn any_bytes_are_a_target_or_none(reference in value(), target in "[*/][a-z/.?]{0,12}") {
        let request = get(&target, &[]);
        let mut answer = response(201, &[]);
        answer.fields.push(b"Location", &reference);
        for target in targets(&request, &answer, false) {
            prop_assert!(target == request.target || target[0] == b'/' || request.target[0] == b'*');
            prop_assert!(!target.contains(&b'#'));
        }
        let _ = group_invalidations(&answer.fields);
    }
}
