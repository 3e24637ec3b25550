use super::super::testing::{self, PHP};
use super::*;

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
    let found = testing::only(&PreparePerQuery, &evidence);
    assert_eq!(
        found.summary,
        "24 statements are prepared per request for one execution each, and 24 are given up again, by round trips of their own to \
         PostgreSQL"
    );
    // 24 × 80 µs and 24 × 100 µs of 20 ms.
    assert!((testing::part(&found).value - 0.216).abs() < 1e-9, "{found:?}");
    assert!(found.fix.lines.iter().any(|line| line.contains("PGSQL_ATTR_DISABLE_PREPARES")), "{found:?}");
    assert_eq!(found.items[0].per_request, 16.0);
}

#[test]
fn what_is_executed_again_was_worth_it() {
    testing::silent(&PreparePerQuery, &page(vec![seen("select a from t where b = $1", 5, 10)]));
    testing::only(&PreparePerQuery, &page(vec![seen("select a from t where b = $1", 5, 5)]));
    testing::silent(&PreparePerQuery, &page(vec![seen("select a from t where b = $1", 4, 4)]));
    testing::silent(&PreparePerQuery, &page(vec![seen("select a from t where b = $1", 0, 40)]));
    testing::silent(&PreparePerQuery, &testing::lean());
    testing::silent(&PreparePerQuery, &Evidence::default());
}

#[test]
fn prepare_and_execute_as_statements_are_found() {
    let said = |text: &str, count| QuerySeen { prepares: Counted::default(), ..seen(text, 0, count) };
    let evidence = |executed| {
        page(vec![said("PREPARE a AS select ?", 6), said("EXECUTE a(?)", executed), said("DEALLOCATE a", 6)])
    };
    let found = testing::only(&PreparePerQuery, &evidence(6));
    assert!(found.summary.starts_with("6 statements are prepared per request"), "{}", found.summary);
    testing::silent(&PreparePerQuery, &evidence(60));
}

#[test]
fn mysql_has_another_fix() {
    let mysql = QuerySeen { protocol: QueryProtocol::Mysql, ..seen("select a from t where b = ?", 9, 9) };
    let found = testing::only(&PreparePerQuery, &page(vec![mysql]));
    assert!(found.summary.ends_with("to MySQL"), "{}", found.summary);
    assert!(found.fix.lines.iter().any(|line| line.contains("ATTR_EMULATE_PREPARES")), "{found:?}");
}

#[test]
fn what_other_traffic_prepares_drops_out() {
    let background = Counted { count: testing::with(0, 500), ..Counted::default() };
    let other = QuerySeen { prepares: background, ..seen("select a from t", 0, 0) };
    testing::silent(&PreparePerQuery, &page(vec![other]));
}
