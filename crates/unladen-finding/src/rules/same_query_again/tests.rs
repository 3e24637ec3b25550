use unladen_trace::QueryProtocol;

use super::*;
use crate::rules::tests::testing;

fn seen(count: u64, identical: u64) -> QuerySeen {
    QuerySeen {
        database: "127.0.0.1:5432".into(),
        fingerprint: "select count(*) from pledge where deadline > $1".into(),
        example: "select count(*) from pledge where deadline > $1".into(),
        ..testing::query(count, identical)
    }
}

fn page(seen: QuerySeen) -> Evidence {
    Evidence { queries: vec![seen], ..testing::lean() }
}

#[test]
fn repeats_are_found() {
    let found = testing::only(&RULE, &page(seen(12, 11)));
    assert_eq!(
        found.summary,
        "11 repeats per request of a query that was answered before, same text and values: \
         select count(*) from pledge where deadline > $1"
    );
    // 1.1 ms of 20: the first one is needed.
    assert!((testing::part(&found).value - 0.055).abs() < 1e-9);
    assert!(
        found
            .fix
            .advice
            .starts_with("for the developers of the application: keep the result for the rest of the request")
    );
    assert_eq!(found.items[0].name, "select count(*) from pledge where deadline > $1, of 127.0.0.1:5432");
}

#[test]
fn one_repeat_is_silent() {
    testing::silent(&RULE, &page(seen(12, 1)));
    testing::only(&RULE, &page(seen(12, 2)));
    testing::silent(&RULE, &testing::lean());
    testing::silent(&RULE, &Evidence::default());
}

#[test]
fn what_sqlite_hides_is_not_the_same() {
    let sqlite =
        |example: &str| page(QuerySeen { protocol: QueryProtocol::Sqlite, example: example.into(), ..seen(12, 11) });
    testing::silent(&RULE, &sqlite("select count(*) from pledge where deadline > ?"));
    testing::only(&RULE, &sqlite("select count(*) from pledge where deadline > '2030'"));
}

#[test]
fn what_is_not_asked_for_its_answer_is_silent() {
    for text in
        ["begin", "set names utf8", "select nextval(?)", "SELECT LAST_INSERT_ID()", "select * from t for update"]
    {
        testing::silent(&RULE, &page(QuerySeen { fingerprint: text.into(), ..seen(12, 11) }));
    }
    testing::silent(&RULE, &page(QuerySeen { writes: true, ..seen(12, 11) }));
}
