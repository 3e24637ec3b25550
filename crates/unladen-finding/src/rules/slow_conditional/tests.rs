use super::super::answers::pages::{self, asked, made};
use super::super::testing::{self, around};
use super::*;

const ETAG: (&str, &str) = ("etag", "\"a\"");

fn not_modified(cost: f64) -> Variant {
    Variant { status: 304, cost: Some(around(cost, 0.03)), ..asked(Ask::Conditional, None, &[ETAG]) }
}

#[test]
fn a_304_that_costs_a_page_is_found() {
    let found = testing::only(
        &SlowConditional,
        &made(&[ETAG, ("vary", "Accept-Language, Accept-Encoding")], vec![not_modified(0.92)]),
    );
    assert_eq!(found.summary, "304 to its own validators takes 92.0 ± 3.0 % of a full answer");
    assert_eq!(found.group, "");
    assert!(matches!(&found.share, Share::NotKnown(why) if why.starts_with("only requests with validators")));
    assert_eq!(found.cure.file.as_deref(), Some("/etc/nginx/conf.d/unladen-cache.conf"));
    assert_eq!(
        found.cure.lines,
        [
            "fastcgi_cache_path /var/cache/nginx-unladen levels=1:2 keys_zone=unladen:10m max_size=1g inactive=1d;",
            "fastcgi_cache unladen;",
            "fastcgi_cache_key \"$scheme$request_method$host$request_uri$http_accept_language\";",
            "fastcgi_cache_revalidate on;",
            "fastcgi_cache_use_stale updating;",
            "fastcgi_cache_background_update on;",
            "fastcgi_cache_lock on;",
            "fastcgi_cache_bypass $http_authorization $http_cookie;",
            "fastcgi_no_cache $http_authorization $http_cookie;",
        ]
    );
    assert!(found.cure.advice.contains("header('Cache-Control: public, max-age=60')"));
    assert!(found.check_again.contains("\n[[knob]]\nname = \"cache\""), "{}", found.check_again);
}

#[test]
fn a_page_for_one_is_not_given_to_a_cache() {
    for private in [("cache-control", "private"), ("set-cookie", "sid=")] {
        let found = testing::only(&SlowConditional, &made(&[ETAG, private], vec![not_modified(0.92)]));
        assert_eq!(found.cure.file, None);
        assert!(found.cure.advice.starts_with("know the validator before"));
        assert_eq!(found.check_again, "unladen weigh http://127.0.0.1/page");
    }
}

#[test]
fn other_stacks_have_their_own_lines() {
    let mut python = made(&[ETAG], vec![not_modified(0.92)]);
    python.groups.retain(|group| !group.name.contains("php"));
    let found = testing::only(&SlowConditional, &python);
    assert!(found.cure.lines.contains(&"proxy_cache_lock on;".to_owned()));
    let mut apache = made(&[ETAG], vec![not_modified(0.92)]);
    apache.response.as_mut().unwrap().headers[0].1 = "Apache/2.4.66 (Debian)".into();
    let found = testing::only(&SlowConditional, &apache);
    assert_eq!(found.cure.file, None);
    assert!(found.cure.advice.ends_with("mod_cache with mod_cache_disk is one"));
}

#[test]
fn validators_that_are_sent_and_not_looked_at() {
    let of = |before: (&str, &str), after: (&str, &str)| {
        made(&[before], vec![asked(Ask::Conditional, Some(true), &[after])])
    };
    let found = testing::only(&SlowConditional, &of(ETAG, ("etag", "W/\"a\"")));
    assert_eq!(found.summary, "200 to its own ETag, which is unchanged: the page sends it and does not look at it");
    let found = testing::only(&SlowConditional, &of(ETAG, ("etag", "\"b\"")));
    assert!(found.summary.starts_with("its ETag is another one for the same body"));
    assert!(found.cure.advice.starts_with("compare If-None-Match"));
    let modified = |time| ("last-modified", time);
    testing::only(&SlowConditional, &of(modified("1"), modified("1")));
    testing::silent(&SlowConditional, &of(modified("1"), modified("2")));
    let mut changing = of(ETAG, ETAG);
    changing.response.as_mut().unwrap().changed = 1;
    testing::silent(&SlowConditional, &changing);
}

#[test]
fn quick_ones_are_silent() {
    testing::silent(&SlowConditional, &made(&[ETAG], vec![not_modified(0.52)]));
    testing::only(&SlowConditional, &made(&[ETAG], vec![not_modified(0.54)]));
    testing::silent(&SlowConditional, &made(&[ETAG], vec![Variant { cost: None, ..not_modified(0.9) }]));
    let mut quick = made(&[ETAG], vec![not_modified(0.9)]);
    quick.page.latency = Some(around(2.1e6, 0.2e6));
    testing::silent(&SlowConditional, &quick);
    testing::silent(&SlowConditional, &made(&[], Vec::new()));
    pages::lean_is_silent(&SlowConditional);
    pages::only_pages(&SlowConditional, &made(&[ETAG], vec![not_modified(0.92)]));
}
