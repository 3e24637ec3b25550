use super::*;
use crate::CookiePattern;
use crate::tests::testing::{fields, patterns};

fn policy(ignored: &[&str], telling: &[&str]) -> Policy {
    Policy { ignore_cookies: patterns(ignored), vary_cookies: patterns(telling), ..Policy::default() }
}

#[test]
fn a_pattern_is_a_name_or_how_names_begin() {
    let matches = |pattern: &str, name: &str| CookiePattern(pattern.to_owned()).matches(name.as_bytes());
    assert!(matches("_ga*", "_ga") && matches("_ga*", "_ga_X1") && matches("*", "") && matches("a", "a"));
    assert!(!matches("_ga*", "_g") && !matches("a", "ab") && !matches("a", "A") && !matches("", "a"));
}

#[test]
fn ignored_cookies_are_as_if_not_sent() {
    let policy = policy(&["_ga*"], &[]);
    let left =
        |lines: &[&str]| policy.cookies_left(&fields(lines)).map(|left| String::from_utf8_lossy(&left).into_owned());
    assert_eq!(left(&["Cookie: _ga=1; a=2;b=3", "cookie: _gat=1; c"]).as_deref(), Some("a=2; b=3; c"));
    assert_eq!(left(&["Cookie: _ga=1; _gid; ;_ga_2=3"]).as_deref(), Some("_gid"));
    assert_eq!(left(&["Cookie: _ga=1"]), None);
    assert_eq!(left(&[]), None);
    assert!(!policy.has_cookies(&fields(&["Cookie: _ga=1; ;"])));
    assert!(policy.has_cookies(&fields(&["Cookie: _ga=1", "Cookie: a=_ga"])));
}

#[test]
fn only_the_cookies_that_tell_apart_count() {
    let policy = policy(&["session_old"], &["session*"]);
    assert!(policy.has_cookies(&fields(&["Cookie: theme=dark; session=1"])));
    assert!(!policy.has_cookies(&fields(&["Cookie: theme=dark; session_old=1"])));
    let left = |line: &str| policy.cookies_left(&fields(&[line]));
    assert_eq!(left("Cookie: theme=dark; session_old=1"), None);
    assert_eq!(left("Cookie: theme=dark; session=1; a=b").as_deref(), Some(&b"session=1"[..]));
}
