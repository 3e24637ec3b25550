use unladen_trace::{Counted, GroupSeen, Interval, Page, PhaseSeen, Phases, Series};

use super::*;

fn is_on(phase: usize) -> bool {
    matches!(phase % 4, 0 | 3)
}

/// Six blocks; in each phase that is on, 10 requests do `count` of it, each of so many ns.
fn counted(count: u64, ns: u64) -> Counted {
    let each = |value: u64| {
        let mut series = Series::default();
        (0..24).filter(|phase| is_on(*phase)).for_each(|phase| series.add(phase, 10 * value));
        series
    };
    Counted { count: each(count), time_ns: each(count * ns), ..Counted::default() }
}

fn seen(fingerprint: &str, counted: Counted) -> QuerySeen {
    let example = "select secret from t where password = 'hunter2'".to_owned();
    QuerySeen { fingerprint: fingerprint.to_owned(), example, counted, ..QuerySeen::default() }
}

fn evidence(queries: Vec<QuerySeen>) -> Evidence {
    let mut phases = Phases::default();
    (0..24).for_each(|phase| {
        let on = is_on(phase);
        phases.push(PhaseSeen { on, duration_ns: 1_000_000_000, requests: if on { 10 } else { 0 } });
    });
    let latency = Some(Interval { value: 20e6, low: 19e6, high: 21e6 });
    let groups = vec![GroupSeen { name: "www-data php-fpm8.2".into(), ..GroupSeen::default() }];
    Evidence { page: Page { latency, ..Page::default() }, groups, phases, queries, ..Evidence::default() }
}

/// Half of a page's time was its database's, and nothing said which of forty statements took it.
#[test]
fn the_dearest_statements_were_not_named() {
    let many =
        (0..7).map(|index| seen(&format!("select {index} from t where a = ?"), counted(1, 100_000 * (index + 1))));
    let mut many: Vec<QuerySeen> = many.collect();
    // The same statement, prepared and not.
    many.push(seen("select 0 from t where a = ?", counted(3, 1_000_000)));
    let rows = statements(&evidence(many));
    assert_eq!(rows.len(), 5);
    assert_eq!(rows[0].statement, "select 0 from t where a = ?");
    assert_eq!((rows[0].calls.value.round(), rows[0].time_ns.value.round()), (4.0, 3_100_000.0));
    assert_eq!(rows[1].statement, "select 6 from t where a = ?");
    assert!(rows.iter().all(|row| !format!("{row:?}").contains("hunter2")), "literals are nobody's business");
    assert_eq!(statements(&evidence(vec![seen("select ?", counted(1, 100_000))])), [], "0.5 % of the page");
}
