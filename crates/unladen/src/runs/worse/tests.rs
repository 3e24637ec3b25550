use super::*;
use crate::exit::Code;
use unladen_compare::{History, compare};
use unladen_document::Document;

const NOTHING: Tolerance = Tolerance { share: 0.0, requires_history: false };
const ALL_JUDGED: Tolerance = Tolerance { requires_history: true, ..NOTHING };

/// A gate that had nothing to look at was open.
#[test]
fn runs_without_a_common_figure_do_not_pass() {
    let run = || Document::read(br#"{"schema": "unladen.load/1", "target": "http://a/"}"#).unwrap();
    let compared = compare(&run(), &run(), &History::new());
    assert!(compared.rows.is_empty(), "{compared:?}");
    assert!(matches!(worse(&compared, NOTHING), Err(Failure::Gate(_))));
}

fn load(p50: u64, p90: u64) -> Document {
    let interval = |ns: u64| format!(r#"{{"low": {}, "high": {}}}"#, ns - ns / 400, ns + ns / 400);
    let text = format!(
        r#"{{"schema": "unladen.load/1", "target": "http://a/", "latency_ns": {{"p50": {p50}, "p90": {p90}}},
                "latency_intervals_ns": {{"p50": {}, "p90": {}}}}}"#,
        interval(p50),
        interval(p90)
    );
    Document::read(text.as_bytes()).unwrap()
}

/// A gate passed where a figure had no history, and only a person who read standard error learned of it.
#[test]
fn a_figure_without_a_history_passes_unless_it_is_required() {
    let compared = compare(&load(20_000_000, 30_000_000), &load(20_000_000, 60_000_000), &History::new());
    assert_eq!(compared.judged, 1, "{compared:?}");
    let not_judged: Vec<(&str, WhyUnjudged)> =
        compared.not_judged.iter().map(|unjudged| (unjudged.metric.as_str(), unjudged.why)).collect();
    assert_eq!(not_judged, [("latency.p90", WhyUnjudged::NoHistory)]);
    assert!(worse(&compared, NOTHING).is_ok());
    let failure = worse(&compared, ALL_JUDGED).unwrap_err();
    assert_eq!(failure.code(), Code::CannotMeasure);
    assert!(failure.to_string().contains("only 1 of 2 figures"), "{failure}");
    assert!(failure.to_string().contains("too few earlier runs: latency.p90"), "{failure}");
}

#[test]
fn with_a_history_all_are_judged() {
    let spread = |index: u64| load(20_000_000 + index % 3 * 40_000, 30_000_000 + index % 3 * 60_000);
    let past: Vec<Document> = (0..12).map(spread).collect();
    let history: History = past.iter().collect();
    let compared = compare(&load(20_010_000, 30_010_000), &load(20_020_000, 30_020_000), &history);
    assert_eq!((compared.judged, compared.not_judged.len()), (2, 0), "{compared:?}");
    assert!(worse(&compared, ALL_JUDGED).is_ok());
}

/// A gate that asks for all passed where nothing at all was judged.
#[test]
fn figures_that_vary_too_much_do_not_pass_alone_where_a_history_is_required() {
    let spread = |index: u64| load(20_000_000 + index % 3 * 9_000_000, 30_000_000 + index % 3 * 9_000_000);
    let past: Vec<Document> = (0..12).map(spread).collect();
    let history: History = past.iter().collect();
    let compared = compare(&load(20_010_000, 30_010_000), &load(20_110_000, 30_110_000), &history);
    assert_eq!((compared.judged, compared.not_judged.len()), (0, 2), "{compared:?}");
    assert!(compared.not_judged.iter().all(|unjudged| unjudged.why == WhyUnjudged::Varies), "{compared:?}");
    assert!(worse(&compared, NOTHING).is_ok());
    let failure = worse(&compared, ALL_JUDGED).unwrap_err();
    assert_eq!(failure.code(), Code::CannotMeasure);
    assert!(failure.to_string().contains("measure longer"), "{failure}");
}

/// What is worse is told before what is not known.
#[test]
fn what_is_worse_fails_as_before_where_a_history_is_required() {
    let compared = compare(&load(20_000_000, 30_000_000), &load(40_000_000, 60_000_000), &History::new());
    assert!(!compared.not_judged.is_empty());
    assert_eq!(worse(&compared, ALL_JUDGED).unwrap_err().code(), Code::Gate);
}
