use super::*;
use unladen_compare::{History, compare};
use unladen_document::Document;

fn load(fields: &str) -> Document {
    Document::read(format!(r#"{{"schema": "unladen.load/1", "target": "http://a/"{fields}}}"#).as_bytes()).unwrap()
}

fn said(before: &str, after: &str) -> &'static str {
    undecided(&compare(&load(before), &load(after), &History::new())).0
}

/// Two runs of which nobody could tell anything were said to show no measurable difference.
#[test]
fn what_could_not_be_judged_is_no_equality() {
    let p50 = |ns: u64, within: u64| {
        let (low, high) = (ns - within, ns + within);
        format!(
            r#", "latency_ns": {{"p50": {ns}}}, "latency_intervals_ns": {{"p50": {{"low": {low}, "high": {high}}}}}"#
        )
    };
    assert_eq!(said("", ""), "Nothing could be compared");
    assert_eq!(said(&p50(20_000_000, 15_000_000), &p50(30_000_000, 20_000_000)), "No figure could be judged");
}
