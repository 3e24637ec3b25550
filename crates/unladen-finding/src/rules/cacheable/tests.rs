use super::*;
use crate::rules::answers::tests::pages::{self, made};
use crate::rules::tests::testing::{self, around};
use unladen_trace::Response;

#[test]
fn the_same_each_time_is_found() {
    let found = testing::only(&RULE, &made(&[], Vec::new()));
    assert_eq!(
        found.summary,
        "the same 14,230 bytes in all 12 answers, generated for each: no header says how long it stays valid"
    );
    assert!(matches!(&found.takes, Share::NearlyAll(_)));
    assert_eq!(found.fix.file.as_deref(), Some("unladen.toml"));
    assert_eq!(found.fix.lines[0], "[[site]]");
    assert_eq!(found.fix.commands, ["unladen serve --config unladen.toml"]);
    assert!(found.check_again.starts_with("unladen prove --a http://127.0.0.1/page --b "));
}

/// An experiment with nothing but the cache was written: the application did not say that the page may be kept, each
/// answer was made anew behind it, and the fix was proven to be slower than nothing.
#[test]
fn a_cache_that_may_keep_nothing_is_not_tried() {
    let fix = testing::only(&RULE, &made(&[], Vec::new())).fix;
    assert!(fix.knob.is_none(), "{:?}", fix.knob);
    assert!(crate::unswitched(&fix).starts_with("the application first has to declare"), "{}", crate::unswitched(&fix));
}

/// Lines that keep nothing are not printed.
#[test]
fn where_it_is_forbidden_nothing_is_put_in_front() {
    for said in ["no-store", "private"] {
        let fix = testing::only(&RULE, &made(&[("cache-control", said)], Vec::new())).fix;
        assert!(fix.lines.is_empty() && fix.also.is_empty() && fix.commands.is_empty(), "{fix:?}");
        assert!(fix.advice.contains("If it is intended, leave it"), "{}", fix.advice);
    }
}

#[test]
fn no_store_is_said_and_doubted() {
    let found = testing::only(&RULE, &made(&[("cache-control", "no-store, no-cache")], Vec::new()));
    assert!(found.summary.ends_with("generated for each: Cache-Control says no-store, no-cache"));
    assert!(found.fix.advice.contains("If it is intended, leave it"));
    testing::only(&RULE, &made(&[("cache-control", "private, max-age=60")], Vec::new()));
    testing::silent(&RULE, &made(&[("cache-control", "no-store"), ("set-cookie", "sid=")], Vec::new()));
}

#[test]
fn fresh_changing_personal_or_quick_is_silent() {
    testing::silent(&RULE, &made(&[("cache-control", "max-age=60")], Vec::new()));
    testing::silent(&RULE, &made(&[("set-cookie", "sid=")], Vec::new()));
    let with = |change: fn(&mut Evidence, &mut Response)| {
        let mut evidence = made(&[], Vec::new());
        let mut response = evidence.response.take().unwrap();
        change(&mut evidence, &mut response);
        Evidence { response: Some(response), ..evidence }
    };
    testing::only(&RULE, &with(|_, response| response.answers = 10));
    testing::silent(&RULE, &with(|_, response| response.answers = 9));
    testing::silent(&RULE, &with(|_, response| response.changed = 1));
    testing::silent(&RULE, &with(|_, response| response.personal = true));
    testing::only(&RULE, &with(|evidence, _| evidence.page.latency = Some(around(2.1e6, 0.1e6))));
    testing::silent(&RULE, &with(|evidence, _| evidence.page.latency = Some(around(2.0e6, 0.1e6))));
    pages::lean_is_silent(&RULE);
    pages::only_pages(&RULE, &made(&[], Vec::new()));
}

/// Its answer may be used again only after asking, for ever: `max-age` beside it does not change that (RFC 9111,
/// 5.2.2.4).
#[test]
fn no_cache_was_taken_for_nothing_said() {
    let found = testing::only(&RULE, &made(&[("cache-control", "no-cache, max-age=60")], Vec::new()));
    assert!(found.fix.advice.contains("If it is intended, leave it"), "{}", found.fix.advice);
}
