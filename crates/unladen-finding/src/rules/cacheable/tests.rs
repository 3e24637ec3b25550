use super::super::answers::pages::{self, made};
use super::super::testing::{self, around};
use super::*;
use unladen_trace::QuerySeen;

#[test]
fn the_same_each_time_is_found() {
    let found = testing::only(&Cacheable, &made(&[], Vec::new()));
    assert_eq!(
        found.summary,
        "the same 14,230 bytes in all 12 answers, made anew for each: nothing says for how long it is good"
    );
    assert!(matches!(&found.share, Share::NearlyAll(_)));
    assert_eq!(found.cure.file.as_deref(), Some("unladen.toml"));
    assert_eq!(found.cure.lines[0], "[[front]]");
    assert_eq!(found.cure.commands, ["unladen serve --config unladen.toml"]);
    assert!(found.check_again.starts_with("unladen prove --a http://127.0.0.1/page --b "));
}

/// Nobody is asked about what is not kept.
#[test]
fn a_database_is_asked_about_what_may_be_kept() {
    let of = |said: &str| {
        let query = QuerySeen { database: "/run/postgresql/.s.PGSQL.5432".into(), ..QuerySeen::default() };
        let evidence = Evidence { queries: vec![query], ..made(&[("cache-control", said)], Vec::new()) };
        testing::only(&Cacheable, &evidence).cure
    };
    assert!(of("max-age=0").lines.contains(&"[[front.validator]]".to_owned()));
    for said in ["no-store", "private"] {
        let cure = of(said);
        assert_eq!(cure.lines.len(), 3, "{cure:?}");
        assert!(cure.advice.contains("if that is meant, leave it") && cure.advice.contains("for as long as that says"));
    }
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
