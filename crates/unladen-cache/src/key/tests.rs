use proptest::prelude::*;

use super::*;
use crate::testing::{get, patterns, policy};

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
}

#[test]
fn nothing_is_decoded() {
    for target in ["/a%2Fb", "/a%2fb", "//a", "/a/../b", "/a?", "/a?b=1&&c", "/A;x?y?z=1&utm%5Fx=1"] {
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
}

proptest! {
    #[test]
    fn two_targets_have_two_keys(one in "/[a-b/.]{0,3}(\\?[ab=&u]{0,6})?", other in "/[a-b/.]{0,3}(\\?[ab=&u]{0,6})?") {
        prop_assert_eq!(one == other, key("h", &one, false, &[]) == key("h", &other, false, &[]));
        let stripped = key("h", &one, false, &["u*"]);
        prop_assert_eq!(key("h", &stripped["http://h".len()..], false, &["u*"]), stripped);
    }
}
