//! What is worse than it was: [`worse`], for gates.

use unladen_compare::{Comparison, FindingVerdict, Row, Verdict};
use unladen_quantity::{Kind, plain, with_sign};

use crate::exit::Failure;

/// Metrics that are told of one by one; of the others, how many.
const TOLD: usize = 10;

/// Fails if something is worse for certain, by more than is tolerated (a share), or if nothing could be compared: what
/// nobody looked at is not fine.
///
/// # Errors
/// What is worse.
pub(crate) fn worse(comparison: &Comparison, tolerated: f64) -> Result<(), Failure> {
    if !comparison.comparable.is_comparable() {
        let why = comparison.comparable.reasons().join("; ");
        return Err(Failure::Gate(format!("the two runs cannot be compared: {why}")));
    }
    if comparison.rows.is_empty() {
        return Err(Failure::Gate(
            "nothing of the two runs could be compared: they have no figure in common".to_owned(),
        ));
    }
    let rows = comparison.rows.iter().filter(|row| row.verdict.is_worse() && is_beyond(row, tolerated)).map(told);
    let is_new = |verdict: FindingVerdict| matches!(verdict, FindingVerdict::New | FindingVerdict::Heavier);
    let findings = comparison
        .findings
        .iter()
        .filter(|finding| is_new(finding.verdict))
        .map(|finding| format!("{}: {} ({}): {}", finding.url, finding.rule, finding.verdict, finding.summary));
    let all: Vec<String> = rows.chain(findings).collect();
    match all.len() {
        0 => {
            let is_unjudged = |row: &&Row| matches!(row.verdict, Verdict::TooFewRuns | Verdict::NotComparable);
            let unjudged = comparison.rows.iter().filter(is_unjudged).count();
            if unjudged > 0 {
                eprintln!(
                    "unladen: nothing is worse for certain; {unjudged} of {} figures could not be judged: more runs narrow them",
                    comparison.rows.len()
                );
            }
            Ok(())
        }
        count => {
            let mut said = all[..count.min(TOLD)].join("\n");
            if count > TOLD {
                said.push_str(&format!("\nand {} more", count - TOLD));
            }
            Err(Failure::Gate(format!(
                "worse than run {}:\n{said}",
                comparison.before.id.as_deref().unwrap_or("before")
            )))
        }
    }
}

/// Whether the least change that its interval has is more than is tolerated. One from nothing has no share.
fn is_beyond(row: &Row, tolerated: f64) -> bool {
    row.ratio.is_none_or(|ratio| {
        let least = if ratio.value >= 1.0 { ratio.low - 1.0 } else { 1.0 - ratio.high };
        least > tolerated
    })
}

fn told(row: &Row) -> String {
    let change = match (row.ratio, row.difference) {
        (Some(ratio), _) => {
            let [value, low, high] = [ratio.value, ratio.low, ratio.high].map(|ratio| with_sign(ratio - 1.0));
            format!(" by {value} % ({low} to {high})")
        }
        (None, Some(difference)) => {
            let kind = Kind::of_unit(&row.unit);
            let [value, low, high] =
                [difference.value, difference.low, difference.high].map(|value| plain(kind, value));
            format!(" by {value} ({low} to {high})")
        }
        (None, None) => String::new(),
    };
    let url = if row.url.is_empty() { String::new() } else { format!("{}: ", row.url) };
    format!("{url}{}: {}{change}", row.metric, row.verdict)
}

#[cfg(test)]
mod tests {
    use super::*;
    use unladen_compare::{History, compare};
    use unladen_document::Document;

    /// A gate that had nothing to look at was open.
    #[test]
    fn runs_without_a_common_figure_do_not_pass() {
        let run = || Document::read(br#"{"schema": "unladen.load/1", "target": "http://a/"}"#).unwrap();
        let compared = compare(&run(), &run(), &History::new());
        assert!(compared.rows.is_empty(), "{compared:?}");
        assert!(matches!(worse(&compared, 0.0), Err(Failure::Gate(_))));
    }
}
