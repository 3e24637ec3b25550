use super::super::answers::pages::{self, made};
use super::super::testing::{self, around};
use super::*;

#[test]
fn the_same_each_time_is_found() {
    let found = testing::only(&Cacheable, &made(&[], Vec::new()));
    assert_eq!(
        found.summary,
        "the same 14,230 bytes in all 12 answers, made anew for each: nothing says for how long it is good"
    );
    assert!(matches!(&found.share, Share::NearlyAll(_)));
    assert_eq!(found.cure.file.as_deref(), Some("/etc/nginx/conf.d/unladen-cache.conf"));
    assert_eq!(found.cure.lines[2], "fastcgi_cache_key \"$scheme$request_method$host$request_uri\";");
    assert_eq!(found.cure.commands, ["nginx -t && nginx -s reload"]);
    assert!(found.check_again.contains("/etc/nginx/conf.d/unladen-cache.conf"));
}

#[test]
fn no_store_is_said_and_doubted() {
    let found = testing::only(&Cacheable, &made(&[("cache-control", "no-store, no-cache")], Vec::new()));
    assert!(found.summary.ends_with("made anew for each: Cache-Control says no-store, no-cache"));
    assert!(found.cure.advice.contains("if that is meant, leave it"));
    testing::only(&Cacheable, &made(&[("cache-control", "private, max-age=60")], Vec::new()));
    testing::silent(&Cacheable, &made(&[("cache-control", "no-store"), ("set-cookie", "sid=")], Vec::new()));
}

#[test]
fn who_has_a_cookie_passes_the_cache_by() {
    let found = testing::only(&Cacheable, &made(&[("vary", "Cookie, Accept-Encoding, X-Country")], Vec::new()));
    assert_eq!(found.cure.lines[2], "fastcgi_cache_key \"$scheme$request_method$host$request_uri$http_x_country\";");
    assert_eq!(found.cure.lines[7], "fastcgi_cache_bypass $http_authorization $http_cookie;");
    assert!(found.cure.advice.ends_with("whoever sends a cookie passes it by"));
}

#[test]
fn fresh_changing_personal_or_quick_is_silent() {
    testing::silent(&Cacheable, &made(&[("cache-control", "max-age=60")], Vec::new()));
    testing::silent(&Cacheable, &made(&[("set-cookie", "sid=")], Vec::new()));
    let with = |change: fn(&mut Evidence, &mut Response)| {
        let mut evidence = made(&[], Vec::new());
        let mut response = evidence.response.take().unwrap();
        change(&mut evidence, &mut response);
        Evidence { response: Some(response), ..evidence }
    };
    testing::only(&Cacheable, &with(|_, response| response.answers = 10));
    testing::silent(&Cacheable, &with(|_, response| response.answers = 9));
    testing::silent(&Cacheable, &with(|_, response| response.changed = 1));
    testing::silent(&Cacheable, &with(|_, response| response.personal = true));
    testing::only(&Cacheable, &with(|evidence, _| evidence.page.latency = Some(around(2.1e6, 0.1e6))));
    testing::silent(&Cacheable, &with(|evidence, _| evidence.page.latency = Some(around(2.0e6, 0.1e6))));
    pages::lean_is_silent(&Cacheable);
    pages::only_pages(&Cacheable, &made(&[], Vec::new()));
}

/// Its answer may be used again only after asking, for ever: `max-age` beside it does not change that (RFC 9111, 5.2.2.4).
#[test]
fn no_cache_was_taken_for_nothing_said() {
    let found = testing::only(&Cacheable, &made(&[("cache-control", "no-cache, max-age=60")], Vec::new()));
    assert!(found.cure.advice.contains("if that is meant, leave it"), "{}", found.cure.advice);
}
