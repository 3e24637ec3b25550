use unladen_trace::{QueryProtocol, Series};

use super::*;
use crate::rules::tests::testing;

fn seen(count: u64, identical: u64) -> QuerySeen {
    QuerySeen {
        database: "/run/postgresql/.s.PGSQL.5432".into(),
        fingerprint: "select name from users where id = ?".into(),
        example: "select name from users where id = 17".into(),
        ..testing::query(count, identical)
    }
}

fn page(seen: QuerySeen) -> Evidence {
    Evidence { queries: vec![seen], ..testing::lean() }
}

#[test]
fn a_query_for_each_is_found() {
    let found = testing::only(&RULE, &page(seen(30, 0)));
    assert_eq!(
        found.summary,
        "30 queries per request, the same text with different values: select name from users where id = ?"
    );
    // 3 ms of 20.
    assert!((testing::part(&found).value - 0.15).abs() < 1e-9);
    assert_eq!(found.items[0].name, "select name from users where id = 17, of /run/postgresql/.s.PGSQL.5432");
    assert_eq!(found.fix.lines, ["SELECT id, name from users where id IN (?+)"]);
    assert!(found.fix.advice.ends_with("join the table to the query that found them"), "{}", found.fix.advice);
}

#[test]
fn repeats_are_not_counted_twice() {
    let found = testing::only(&RULE, &page(seen(30, 10)));
    assert!(found.summary.starts_with("20 queries"), "{}", found.summary);
    assert!((testing::part(&found).value - 0.1).abs() < 1e-9);
}

#[test]
fn rows_written_one_by_one() {
    let insert = QuerySeen { fingerprint: "insert into log values (?)".into(), writes: true, ..seen(12, 0) };
    let found = testing::only(&RULE, &page(insert));
    assert!(found.fix.advice.starts_with("for the developers of the application: write all rows with one INSERT"));
    assert!(found.fix.lines.is_empty());
}

#[test]
fn values_that_sqlite_hides() {
    let hidden = QuerySeen {
        protocol: QueryProtocol::Sqlite,
        example: "select name from users where id = ?".into(),
        ..seen(30, 29)
    };
    let found = testing::only(&RULE, &page(hidden));
    assert_eq!(
        found.summary,
        "30 queries per request, the same text, with values that were not seen: select name from users where id = ?"
    );
}

#[test]
fn long_texts_are_cut() {
    let long = QuerySeen { fingerprint: format!("select {} from t where id = ?", "é, ".repeat(200)), ..seen(30, 0) };
    let found = testing::only(&RULE, &page(long));
    assert!(found.summary.ends_with('…') && found.summary.chars().count() < 200);
}

#[test]
fn few_or_the_same_is_silent() {
    testing::silent(&RULE, &page(seen(9, 0)));
    testing::only(&RULE, &page(seen(10, 0)));
    testing::silent(&RULE, &page(seen(30, 21)));
    let begin = QuerySeen { fingerprint: "BEGIN".into(), ..seen(30, 0) };
    testing::silent(&RULE, &page(begin));
    let elsewhere =
        QuerySeen { counted: testing::counted_of(testing::once(9_000), 9, Series::default()), ..seen(30, 0) };
    testing::silent(&RULE, &page(elsewhere));
    testing::silent(&RULE, &testing::lean());
    testing::silent(&RULE, &Evidence::default());
}

#[test]
fn wordpress_was_told_of_mappers_that_it_does_not_have() {
    let of = |path: &str| {
        let file =
            testing::file(testing::PHP, unladen_trace::FileCall::Stat, path, unladen_trace::FileOutcome::Found, 1);
        let query = QuerySeen { group: testing::PHP, ..seen(30, 0) };
        testing::only(&RULE, &Evidence { files: vec![file], ..page(query) }).fix.advice
    };
    assert!(of("/srv/blog/wp-includes/post.php").contains("update_meta_cache"));
    assert!(of("/srv/shop/vendor/laravel/framework/a.php").contains("Eloquent"));
    for path in ["/srv/blog/wp-includes/post.php", "/srv/own/index.php"] {
        assert!(!of(path).contains("Eloquent") && !of(path).contains("Doctrine"), "{path}");
    }
}
