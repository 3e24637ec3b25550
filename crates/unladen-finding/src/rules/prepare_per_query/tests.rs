use super::*;
use crate::rules::tests::testing::{self, PHP};

/// A text that is prepared and executed so often.
fn seen(text: &str, prepares: u64, executions: u64) -> QuerySeen {
    QuerySeen {
        group: PHP,
        database: "/run/postgresql/.s.PGSQL.5432".into(),
        fingerprint: text.into(),
        example: text.into(),
        counted: testing::counted(executions, 100_000),
        prepares: testing::counted(prepares, 80_000),
        ..QuerySeen::default()
    }
}

fn page(queries: Vec<QuerySeen>) -> Evidence {
    Evidence { queries, ..testing::lean() }
}

#[test]
fn a_round_trip_for_each_query_is_found() {
    let given_up = QuerySeen { prepares: Counted::default(), ..seen("DEALLOCATE pdo_stmt_?", 0, 24) };
    let evidence = page(vec![seen("select a from t where b = $1", 16, 16), seen("select c from u", 8, 8), given_up]);
    let found = testing::only(&RULE, &evidence);
    assert_eq!(
        found.summary,
        "24 statements are prepared per request for a single execution each, and 24 are closed again, in extra round \
         trips to PostgreSQL"
    );
    // 24 × 80 µs and 24 × 100 µs of 20 ms.
    assert!((testing::part(&found).value - 0.216).abs() < 1e-9, "{found:?}");
    assert!(found.fix.lines.iter().any(|line| line.contains("PGSQL_ATTR_DISABLE_PREPARES")), "{found:?}");
    assert_eq!(found.items[0].per_request, 16.0);
}

#[test]
fn what_is_executed_again_was_worth_it() {
    testing::silent(&RULE, &page(vec![seen("select a from t where b = $1", 5, 10)]));
    testing::only(&RULE, &page(vec![seen("select a from t where b = $1", 5, 5)]));
    testing::silent(&RULE, &page(vec![seen("select a from t where b = $1", 4, 4)]));
    testing::silent(&RULE, &page(vec![seen("select a from t where b = $1", 0, 40)]));
    testing::silent(&RULE, &testing::lean());
    testing::silent(&RULE, &Evidence::default());
}

#[test]
fn prepare_and_execute_as_statements_are_found() {
    let said = |text: &str, count| QuerySeen { prepares: Counted::default(), ..seen(text, 0, count) };
    let evidence = |executed| {
        page(vec![said("PREPARE a AS select ?", 6), said("EXECUTE a(?)", executed), said("DEALLOCATE a", 6)])
    };
    let found = testing::only(&RULE, &evidence(6));
    assert!(found.summary.starts_with("6 statements are prepared per request"), "{}", found.summary);
    testing::silent(&RULE, &evidence(60));
}

#[test]
fn mysql_has_another_fix() {
    let mysql = QuerySeen { protocol: QueryProtocol::Mysql, ..seen("select a from t where b = ?", 9, 9) };
    let found = testing::only(&RULE, &page(vec![mysql]));
    assert!(found.summary.ends_with("to MySQL"), "{}", found.summary);
    assert!(found.fix.lines.iter().any(|line| line.contains("ATTR_EMULATE_PREPARES")), "{found:?}");
}

#[test]
fn what_other_traffic_prepares_drops_out() {
    let background = Counted { count: testing::with(0, 500), ..Counted::default() };
    let other = QuerySeen { prepares: background, ..seen("select a from t", 0, 0) };
    testing::silent(&RULE, &page(vec![other]));
}

/// 26.8 ms were said to be saved, where the proof had 9 % of the latency: to parse a text remains, and a new process of
/// PostgreSQL loads its catalogue for whatever is asked first.
#[test]
fn the_whole_time_of_preparing_was_said_to_be_saved() {
    let slow = QuerySeen { prepares: testing::counted(16, 500_000), ..seen("select a from t where b = $1", 16, 16) };
    let given_up = QuerySeen {
        counted: testing::counted(16, 40_000),
        prepares: Counted::default(),
        ..seen("DEALLOCATE pdo_stmt_?", 0, 16)
    };
    let found = testing::only(&RULE, &page(vec![slow.clone(), given_up]));
    let Share::Known { time, .. } = &found.takes else { panic!("{found:?}") };
    assert!((time.value - 16.0 * 540e3).abs() < 1.0, "{time:?}");
    // 16 round trips of 40 µs, and 16 of giving up, with as much again on both sides.
    let Saves::AtMost { time, .. } = found.saves else { panic!("{found:?}") };
    assert!((time - 2.0 * 16.0 * (40e3 + 40e3)).abs() < 1.0, "{time}");
    // No more than it takes with that, where nothing tells what a round trip is.
    let alone = testing::only(&RULE, &page(vec![slow]));
    let (Saves::AtMost { time, .. }, Share::Known { time: takes, .. }) = (&alone.saves, &alone.takes) else { panic!() };
    assert!(*time <= 2.0 * takes.high, "{alone:?}");
}

/// Both sides of a wait are traced, and what tracing adds to the other one was told as the wait's.
#[test]
fn a_wait_for_who_is_traced_too_was_told_in_full() {
    let mut evidence = page(vec![seen("select a from t where b = $1", 16, 16)]);
    let takes = |evidence: &Evidence| testing::part(&testing::only(&RULE, evidence)).value;
    let before = takes(&evidence);
    evidence.page.traced_latency = Some(testing::around(40e6, 0.4e6));
    assert!((takes(&evidence) - before / 2.0).abs() < 1e-6);
    // A traced request that was faster by chance makes nothing longer.
    evidence.page.traced_latency = Some(testing::around(10e6, 0.1e6));
    assert!((takes(&evidence) - before).abs() < 1e-6);
}
