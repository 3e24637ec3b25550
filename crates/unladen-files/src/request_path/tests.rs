use proptest::prelude::*;

use super::*;

fn fit(target: &[u8]) -> (Vec<u8>, Option<Unfit>) {
    let path = RequestPath::parse(target).unwrap();
    let (fit, why) = path.fit(false);
    (fit.to_vec(), why)
}

#[test]
fn paths_are_decoded_once() {
    for (target, wanted) in [
        (&b"/"[..], &b"/"[..]),
        (b"/a/b.css?x=/../y", b"/a/b.css"),
        (b"/a%20b", b"/a b"),
        (b"/%61", b"/a"),
        (b"/%C3%A9.txt", b"/\xc3\xa9.txt"),
        (b"/a%2520b", b"/a%20b"),
        (b"/a%3Fb?c", b"/a?b"),
        (b"//a///b//", b"/a/b/"),
        (b"///", b"/"),
        (b"/a;b=c", b"/a;b=c"),
        (b"/a. ", b"/a. "),
        (b"/a...", b"/a..."),
        (b"/...", b"/..."),
    ] {
        assert_eq!(RequestPath::parse(target).unwrap().bytes(), wanted, "{}", String::from_utf8_lossy(target));
    }
}

#[test]
fn most_paths_are_not_copied() {
    let path = RequestPath::parse(b"/wp-content/themes/x/style.css?ver=6.1").unwrap();
    assert!(matches!(path.bytes, Cow::Borrowed(_)));
}

#[test]
fn what_no_client_may_send() {
    use PathFault::{Control, DotSegment, NoPath, Percent};
    for (target, wanted) in [
        (&b""[..], NoPath),
        (b"*", NoPath),
        (b"?x", NoPath),
        (b"a", NoPath),
        (b"/%", Percent),
        (b"/%4", Percent),
        (b"/%4g", Percent),
        (b"/%%34%31", Percent),
        (b"/%u0041", Percent),
        (b"/a%00.php", Control),
        (b"/a%0d%0ab", Control),
        (b"/a%7f", Control),
        (b"/a\x01", Control),
        (b"/..", DotSegment),
        (b"/.", DotSegment),
        (b"/a/../b", DotSegment),
        (b"/a/./b", DotSegment),
        (b"/a/..", DotSegment),
        (b"/%2e%2e/etc/passwd", DotSegment),
        (b"/%2E./etc/passwd", DotSegment),
        (b"//..//etc/passwd", DotSegment),
        (b"/..%2fetc%2fpasswd", DotSegment),
        (b"/a%2f..%2f..%2fetc%2fpasswd", DotSegment),
        (b"/..%5c..%5cetc", DotSegment),
        (b"/..\\..\\etc", DotSegment),
        (b"/a\\..\\b", DotSegment),
    ] {
        assert_eq!(RequestPath::parse(target), Err(wanted), "{}", String::from_utf8_lossy(target));
    }
}

#[test]
fn what_no_file_is_looked_for_by() {
    for (target, before, wanted) in [
        (&b"/wiki/AC%2FDC"[..], &b"/wiki/"[..], Some(Unfit::EncodedSlash)),
        (b"/a%2f/b%5cc", b"/", Some(Unfit::EncodedSlash)),
        (b"/a/b%5cc", b"/a/", Some(Unfit::Backslash)),
        (b"/a/b\\c", b"/a/", Some(Unfit::Backslash)),
        (b"/M%FCnchen", b"/", Some(Unfit::NotUtf8)),
        (b"/%c0%ae%c0%ae/etc/passwd", b"/", Some(Unfit::NotUtf8)),
        (b"/%e0%80%af", b"/", Some(Unfit::NotUtf8)),
        (b"/\xff", b"/", Some(Unfit::NotUtf8)),
        (b"/.git/config", b"/", Some(Unfit::Hidden)),
        (b"/%2egit/config", b"/", Some(Unfit::Hidden)),
        (b"/a/.env", b"/a/", Some(Unfit::Hidden)),
        (b"/a/.well-known/x", b"/a/", Some(Unfit::Hidden)),
        (b"/.well-known/.secret", b"/.well-known/", Some(Unfit::Hidden)),
        (b"/.well-known/x", b"/.well-known/x", None),
        (b"/.git/a%2fb", b"/", Some(Unfit::Hidden)),
    ] {
        assert_eq!(fit(target), (before.to_vec(), wanted), "{}", String::from_utf8_lossy(target));
    }
    assert_eq!(RequestPath::parse(b"/.git/x").unwrap().fit(true), (&b"/.git/x"[..], None));
}

#[test]
fn a_beginning_is_left_out() {
    let path = RequestPath::parse(b"/static/a/.b/c%2fd").unwrap();
    let rest = path.without(b"/static").unwrap();
    assert_eq!(rest.bytes(), b"/a/.b/c%2Fd");
    assert_eq!(rest.fit(false), (&b"/a/"[..], Some(Unfit::Hidden)));
    assert_eq!(rest.fit(true), (&b"/a/.b/"[..], Some(Unfit::EncodedSlash)));
    assert_eq!(path.without(b"/stat"), None);
    assert_eq!(path.without(b"").unwrap().bytes(), path.bytes());
    assert_eq!(RequestPath::parse(b"/static").unwrap().without(b"/static").unwrap().bytes(), b"");
}

proptest! {
    #[test]
    fn a_path_has_one_form(target in proptest::collection::vec(prop_oneof![
        Just(b'/'), Just(b'.'), Just(b'%'), Just(b'2'), Just(b'e'), Just(b'f'), Just(b'\\'), any::<u8>()
    ], 0..24)) {
        let target = [b"/".as_slice(), &target].concat();
        if let Ok(path) = RequestPath::parse(&target) {
            let (fit, _) = path.fit(false);
            prop_assert!(fit.starts_with(b"/"));
            prop_assert!(!path.bytes().windows(2).any(|two| two == b"//"));
            prop_assert!(!path.bytes().iter().any(u8::is_ascii_control));
            prop_assert!(!path.bytes().split(|byte| *byte == b'/').any(|segment| segment == b"." || segment == b".."));
            prop_assert!(std::str::from_utf8(fit).is_ok());
            prop_assert!(!fit.contains(&b'\\'));
        }
    }
}
