//! What is said of the figures of two runs that show no difference for certain: [`undecided`].

use unladen_compare::{Comparison, Verdict};

use crate::figures::count;

/// Equality, and what nobody can tell, are two things: the words for both.
pub(crate) fn undecided(comparison: &Comparison) -> (&'static str, String) {
    let untold = || comparison.rows.iter().filter(|row| !row.verdict.is_told());
    let equal = untold().filter(|row| row.verdict == Verdict::NoMeasurableDifference).count() as u64;
    let unjudged = untold().count() as u64 - equal;
    match (equal, unjudged) {
        (0, 0) => ("Nothing could be compared", String::new()),
        (equal, 0) => ("No measurable difference", format!(" in any of {}", count(equal, "figure"))),
        (0, unjudged) => {
            ("No figure could be judged", format!(": unclear, or not comparable, in {}", count(unjudged, "figure")))
        }
        (equal, unjudged) => (
            "No difference for certain",
            format!(
                ": {} without a measurable difference; {unjudged} unclear or not comparable",
                count(equal, "figure")
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
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
}
