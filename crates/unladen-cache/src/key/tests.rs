use proptest::prelude::*;

use super::*;
use crate::tests::testing::{get, patterns, policy};

fn key(authority: &str, target: &str, is_https: bool, ignored: &[&str]) -> String {
    let mut request = get(target, &[]);
    request.authority = authority.into();
    let mut out = Vec::new();
    write_key(&request, is_https, &Policy { ignore_query: patterns(ignored), ..policy() }, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

#[test]
fn hosts() {
    assert_eq!(key("Example.ORG", "/A", false, &[]), "http://example.org/A");
    assert_eq!(key("example.org:80", "/", false, &[]), "http://example.org/");
    assert_eq!(key("example.org:", "/", false, &[]), "http://example.org/");
    assert_eq!(key("example.org:443", "/", false, &[]), "http://example.org:443/");
    assert_eq!(key("example.org:443", "/", true, &[]), "https://example.org/");
    assert_eq!(key("[::1]:80", "/", false, &[]), "http://[::1]/");
    assert_eq!(key("", "*", false, &[]), "http://*");
    assert_eq!(key("Example.org.", "/", false, &[]), "http://example.org/");
    assert_eq!(key("example.org.:80", "/", false, &[]), "http://example.org/");
    assert_eq!(key("example.org.:8080", "/", false, &[]), "http://example.org:8080/");
    assert_eq!(key("[::1]:8080", "/", false, &[]), "http://[::1]:8080/");
}

#[test]
fn nothing_is_decoded() {
    for target in ["/a%2Fb", "/a%2fb", "//a", "/a/../b", "/a?", "/a?b=1&&c", "/A;x?y?z=1&utm-%5Fx=1"] {
        assert_eq!(key("h", target, false, &["utm_*"]), format!("http://h{target}"));
    }
}

#[test]
fn parameters_that_are_ignored() {
    let of = |target: &str| key("h", target, false, &["utm_*", "gclid"]);
    assert_eq!(of("/a?utm_x=1"), "http://h/a");
    assert_eq!(of("/a?b=1&utm_x=1&c&gclid=2&gclid2=3"), "http://h/a?b=1&c&gclid2=3");
    assert_eq!(of("/a?&utm_x&=1"), "http://h/a?&=1");
    assert_eq!(of("/utm_x=1?b=utm_x"), "http://h/utm_x=1?b=utm_x");
    // As applications read them.
    assert_eq!(of("/a?b=1;utm_x=1;c=2"), "http://h/a?b=1;c=2");
    assert_eq!(of("/a?utm_x=1;c=2&d"), "http://h/a?c=2&d");
    assert_eq!(of("/a?%75tm_x=1&utm%5fx=1&utm%5Fx&gcl%69d&b"), "http://h/a?b");
    assert_eq!(of("/a?%2575tm_x=1&gclid%20&gclid%&%4"), "http://h/a?%2575tm_x=1&gclid%20&gclid%&%4");
    // Order and number stay, since an application may make something of them.
    assert_ne!(of("/a?b=1&c=2"), of("/a?c=2&b=1"));
    assert_ne!(of("/a?b=1&b=1"), of("/a?b=1"));
}

proptest! {
    /// The application is asked for what is in the key, and for nothing else; and told the host that is in it.
    #[test]
    fn what_is_asked_for_is_what_is_in_the_key(
        target in "/[ab/.%;]{0,3}(\\?[ab=&;u%7521]{0,12})?",
        host in "[aB](\\.[aB])?\\.?(:[0-9]{0,4})?",
        is_https: bool,
    ) {
        let policy = Policy { ignore_query: patterns(&["u*"]), ..policy() };
        let mut request = get(&target, &[]);
        request.authority = host.clone().into();
        let mut before = Vec::new();
        write_key(&request, is_https, &policy, &mut before);
        request.target = policy.target_left(&request.target).into_owned();
        normalise_host(&mut request.authority, is_https);
        let mut after = Vec::new();
        write_key(&request, is_https, &policy, &mut after);
        prop_assert_eq!(&before, &after);
        let scheme = if is_https { "https://" } else { "http://" };
        let asked = [scheme.as_bytes(), &request.authority, &request.target].concat();
        prop_assert_eq!(String::from_utf8_lossy(&asked), String::from_utf8_lossy(&after));
        let query = request.target.split(|byte| *byte == b'?').nth(1).unwrap_or_default();
        for parameter in query.split(|byte| matches!(byte, b'&' | b';')) {
            prop_assert!(!parameter.starts_with(b"u") && !parameter.starts_with(b"%75"));
        }
    }

    #[test]
    fn two_targets_have_two_keys(one in "/[a-b/.]{0,3}(\\?[ab=&u]{0,6})?", other in "/[a-b/.]{0,3}(\\?[ab=&u]{0,6})?") {
        prop_assert_eq!(one == other, key("h", &one, false, &[]) == key("h", &other, false, &[]));
        let stripped = key("h", &one, false, &["u*"]);
        prop_assert_eq!(key("h", &stripped["http://h".len()..], false, &["u*"]), stripped);
    }
}
