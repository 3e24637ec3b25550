use super::*;
use crate::rules::answers::tests::pages::{self, asked, made};
use crate::rules::tests::testing::{self, around};

const ETAG: (&str, &str) = ("etag", "\"a\"");

fn not_modified(cost: f64) -> Variant {
    Variant { status: 304, cost: Some(around(cost, 0.03)), ..asked(Ask::Conditional, None, &[ETAG]) }
}

#[test]
fn a_304_that_costs_a_page_is_found() {
    let found =
        testing::only(&RULE, &made(&[ETAG, ("vary", "Accept-Language, Accept-Encoding")], vec![not_modified(0.92)]));
    assert_eq!(found.summary, "304 to its own validators takes 92.0 ± 3.0 % of a full answer");
    assert_eq!(found.group, "");
    assert!(matches!(&found.takes, Share::NotKnown(why) if why.starts_with("only requests with validators")));
    assert_eq!(found.fix.file.as_deref(), Some("unladen.toml"));
    assert_eq!(found.fix.lines, ["[[site]]", "listen = \"127.0.0.1:17080\"", "upstream = \"http://127.0.0.1\""]);
    assert!(found.fix.advice.contains("passes on requests with a cookie"), "{}", found.fix.advice);
    assert_eq!(
        found.check_again,
        "unladen prove --a http://127.0.0.1/page --b http://127.0.0.1:17080/page -H 'Host: 127.0.0.1' --concurrency 8"
    );
}

/// A cache keeps what the application says it may, and no more.
#[test]
fn a_page_that_may_be_kept_is_tried_with_a_cache_and_no_other() {
    let knob =
        |said: &[(&'static str, &'static str)]| testing::only(&RULE, &made(said, vec![not_modified(0.92)])).fix.knob;
    assert!(knob(&[ETAG, ("cache-control", "s-maxage=60")]).is_some_and(|knob| knob.site.is_some()));
    assert!(knob(&[ETAG]).is_none());
}

#[test]
fn a_page_for_one_is_not_given_to_a_cache() {
    for private in [("cache-control", "private"), ("set-cookie", "sid=")] {
        let found = testing::only(&RULE, &made(&[ETAG, private], vec![not_modified(0.92)]));
        assert_eq!(found.fix.file, None);
        assert!(found.fix.advice.starts_with("compute the validator before"));
        assert_eq!(found.check_again, "unladen weigh http://127.0.0.1/page");
    }
}

#[test]
fn validators_that_are_sent_and_not_looked_at() {
    let of = |before: (&str, &str), after: (&str, &str)| {
        made(&[before], vec![asked(Ask::Conditional, Some(true), &[after])])
    };
    let found = testing::only(&RULE, &of(ETAG, ("etag", "W/\"a\"")));
    assert_eq!(found.summary, "200 to its own unchanged ETag: the page sends it but does not check it");
    let found = testing::only(&RULE, &of(ETAG, ("etag", "\"b\"")));
    assert!(found.summary.starts_with("its ETag changes although the body stays the same"));
    assert!(found.fix.advice.starts_with("compare If-None-Match"));
    let modified = |time| ("last-modified", time);
    testing::only(&RULE, &of(modified("1"), modified("1")));
    testing::silent(&RULE, &of(modified("1"), modified("2")));
    let mut changing = of(ETAG, ETAG);
    changing.response.as_mut().unwrap().changed = 1;
    testing::silent(&RULE, &changing);
}

#[test]
fn quick_ones_are_silent() {
    testing::silent(&RULE, &made(&[ETAG], vec![not_modified(0.52)]));
    testing::only(&RULE, &made(&[ETAG], vec![not_modified(0.54)]));
    testing::silent(&RULE, &made(&[ETAG], vec![Variant { cost: None, ..not_modified(0.9) }]));
    let mut quick = made(&[ETAG], vec![not_modified(0.9)]);
    quick.page.latency = Some(around(2.1e6, 0.2e6));
    testing::silent(&RULE, &quick);
    testing::silent(&RULE, &made(&[], Vec::new()));
    pages::lean_is_silent(&RULE);
    pages::only_pages(&RULE, &made(&[ETAG], vec![not_modified(0.92)]));
}

/// Beside compilers a page's latency had an interval down to nothing, and that its 304 costs all of it was told nowhere.
#[test]
fn a_304_that_likely_costs_a_page_was_passed_over() {
    let mut evidence = made(&[ETAG], vec![not_modified(0.92)]);
    assert!(crate::unjudged(&evidence).is_empty());
    evidence.page.latency = Some(around(20e6, 25e6));
    testing::silent(&RULE, &evidence);
    let told = crate::unjudged(&evidence);
    assert!(
        told.iter().any(|part| part.rules == ["slow-conditional"] && part.what == "the page's answers"),
        "{told:?}"
    );
}
