//! [`comparison`]: two runs, a case for each metric and finding.

use unladen_compare::{Comparable, Comparison, FindingChange, FindingVerdict, Row, Unjudged, WhyUnjudged};

use super::suite::{Outcome, Suite};

/// Certain deteriorations fail. Metrics that could not be judged are skipped, with the reason.
pub(super) fn comparison(comparison: &Comparison, suite: &mut Suite) {
    let comparable = match &comparison.comparable {
        Comparable::No(reasons) => Outcome::Broken { message: format!("not comparable: {}", reasons.join("; ")) },
        with_care => Outcome::Passed(with_care.reasons().join("\n")),
    };
    suite.case("compare", "comparable", comparable);
    for row in &comparison.rows {
        let page = if row.url.is_empty() { String::new() } else { format!(" of {}", row.url) };
        suite.case("compare", &format!("{}{page}", row.name()), of_row(row));
    }
    for change in &comparison.findings {
        let by = if change.group.is_empty() { String::new() } else { format!(" by {}", change.group) };
        let state = if change.state == "fresh" { ", first request" } else { "" };
        suite.case("compare.findings", &format!("{}{by} on {}{state}", change.rule, change.url), of_finding(change));
    }
}

fn of_row(row: &Row) -> Outcome {
    let text = crate::markdown::plain_change(row);
    match row.verdict {
        verdict if verdict.is_worse() => {
            Outcome::Failed { kind: verdict.to_string(), message: format!("{verdict}: {text}"), text }
        }
        verdict => match Unjudged::of(row).map(|unjudged| unjudged.why) {
            None => Outcome::Passed(format!("{}: {text}", crate::markdown::said(row))),
            Some(WhyUnjudged::NotComparable) => {
                Outcome::Skipped("not comparable: the machines' speeds cannot be put into one figure".into())
            }
            Some(WhyUnjudged::RecordsLost) => {
                Outcome::Skipped("not comparable: one of the runs lost records, and its figure is too low".into())
            }
            Some(why) => Outcome::Skipped(format!("{verdict}, {why}: {text}")),
        },
    }
}

fn of_finding(change: &FindingChange) -> Outcome {
    let said = format!("{}: {}", change.verdict, change.summary);
    match change.verdict {
        FindingVerdict::New | FindingVerdict::Heavier => {
            Outcome::Failed { kind: change.rule.clone(), message: said.clone(), text: said }
        }
        FindingVerdict::NotLookedFor => Outcome::Skipped(change.why.clone().unwrap_or(said)),
        _ => Outcome::Passed(said),
    }
}
