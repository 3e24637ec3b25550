use super::*;
use crate::rules::answers::tests::pages::{self, asked, made};
use crate::rules::tests::testing;

fn variant(ask: Ask, header: &str, same: Option<bool>, lines: &[(&str, &str)]) -> Variant {
    Variant { header: header.into(), ..asked(ask, same, lines) }
}

fn german() -> Variant {
    variant(Ask::Language, "accept-language: de", Some(false), &[])
}

#[test]
fn another_language_is_found() {
    let found = testing::only(&RULE, &made(&[("vary", "Accept-Encoding")], vec![german()]));
    assert_eq!(found.summary, "the answer differs for `accept-language: de`, but Vary does not name Accept-Language");
    assert_eq!(found.fix.lines, ["header('Vary: Accept-Language', false);"]);
    assert!(matches!(&found.takes, Share::NotKnown(why) if why.starts_with("a cache would serve the wrong page")));
    let named = variant(Ask::Language, "accept-language: de", None, &[("content-language", "de")]);
    testing::only(&RULE, &made(&[("content-language", "en")], vec![named]));
}

#[test]
fn compression_is_nginx_s_to_say() {
    let gzip = variant(Ask::Compressed, "accept-encoding: gzip, br, zstd", Some(true), &[("content-encoding", "gzip")]);
    let found = testing::only(&RULE, &made(&[], vec![gzip]));
    assert_eq!(
        found.summary,
        "the answer differs for `accept-encoding: gzip, br, zstd`, but Vary does not name Accept-Encoding"
    );
    assert_eq!(found.fix.file.as_deref(), Some("/etc/nginx/conf.d/unladen-vary.conf"));
    assert_eq!(found.fix.lines, ["gzip_vary on;"]);
    assert!(found.check_again.contains("gzip_vary on;"));
}

#[test]
fn two_cookies_are_one_finding() {
    let cookies = || {
        vec![
            variant(Ask::Cookie, "cookie: sid=…", Some(false), &[]),
            variant(Ask::UnknownCookie, "cookie: unladen=1", Some(false), &[]),
        ]
    };
    let found = testing::only(&RULE, &made(&[], cookies()));
    assert_eq!(found.summary, "the answer differs for `cookie: sid=…`, but Vary does not name Cookie");
    testing::silent(&RULE, &made(&[("cache-control", "private")], cookies()));
    assert_eq!(RULE.check(&made(&[], [cookies(), vec![german()]].concat())).len(), 2);
}

#[test]
fn what_is_named_the_same_or_not_stored_is_silent() {
    for line in [("vary", "*"), ("vary", "accept-language"), ("cache-control", "no-store")] {
        testing::silent(&RULE, &made(&[line], vec![german()]));
    }
    for same in [Some(true), None] {
        testing::silent(&RULE, &made(&[], vec![Variant { same, ..german() }]));
    }
    testing::silent(&RULE, &made(&[], vec![Variant { status: 302, ..german() }]));
    pages::lean_is_silent(&RULE);
    pages::only_pages(&RULE, &made(&[], vec![german()]));
}
