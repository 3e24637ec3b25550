//! JUnit's XML, for the test reports of Jenkins, GitLab and others: [`Junit`].
//!
//! There is no standard. These documents use what all readers share: `testsuites`, `testsuite` with `properties`,
//! `testcase` with `failure`, `error`, `skipped` or `system-out`.

use std::io::{self, Write};

use unladen_compare::{Comparable, Comparison, FindingChange, FindingVerdict, Row, Unjudged, WhyUnjudged};
use unladen_document::{ClassmapCheckDocument, Document, Gate, Metric, ProveDocument};

use crate::classes::{Complaint, Kind, complaints};
use crate::compared::{change, said};
use crate::publication::Publication;
use crate::verdict;

mod findings;
mod suite;

use suite::{Outcome, Suite};

pub(crate) struct Junit;

impl Publication for Junit {
    fn name(&self) -> &'static str {
        "junit"
    }

    fn about(&self) -> &'static str {
        "a test report, as Jenkins and GitLab show it: one test for each condition, rule or metric"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["xml"]
    }

    fn document(&self, document: &Document, out: &mut dyn Write) -> io::Result<()> {
        let mut suite = Suite::of(document);
        match document {
            Document::Weigh(weigh) => {
                gates(weigh.gates.iter().filter(|gate| !gate.is_of_rule()), "weigh", &mut suite);
                findings::weigh(weigh, &mut suite);
            }
            Document::Profile(profile) => findings::profile(profile, &mut suite),
            Document::Load(load) => gates(&load.gates, "load", &mut suite),
            Document::Prove(prove) => experiment(prove, &mut suite),
            Document::Bill(bill) => gates(&bill.gates, "bill", &mut suite),
            Document::ProfileDiff(_) => {}
            Document::ClassmapCheck(check) => classmap(check, &mut suite),
        }
        suite.write(out)
    }

    fn comparison(&self, comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
        let mut suite = Suite::of_comparison(comparison);
        compared(comparison, &mut suite);
        suite.write(out)
    }
}

/// A case for each condition: broken ones fail, undecided ones pass and say so.
fn gates<'a>(gates: impl IntoIterator<Item = &'a Gate>, verb: &str, suite: &mut Suite) {
    for gate in gates {
        let of = if gate.arm.is_empty() { &gate.url } else { &gate.arm };
        let title = if of.is_empty() { gate.condition.clone() } else { format!("{} in {of}", gate.condition) };
        suite.case(verb, &title, of_gate(gate));
    }
}

fn of_gate(gate: &Gate) -> Outcome {
    match (gate.broken, gate.untold) {
        (true, _) => Outcome::Failed {
            kind: gate.condition.clone(),
            message: gate.found.clone(),
            text: format!("fails if {}; found: {}", gate.condition, gate.found),
        },
        (false, true) => Outcome::Passed(format!("{}; unclear whether it holds: measure longer", gate.found)),
        (false, false) => Outcome::Passed(gate.found.clone()),
    }
}

/// Conditions, and comparisons, which fail only by a condition. Of the hundreds of weights, those that differ.
fn experiment(document: &ProveDocument, suite: &mut Suite) {
    gates(&document.gates, "prove", suite);
    let is_shown = |comparison: &&unladen_document::Comparison| {
        comparison.kind() != Metric::Weight || comparison.change().is_told()
    };
    for comparison in document.comparisons.iter().filter(is_shown) {
        let title = format!("{} of {}", comparison.metric, comparison.arm);
        let figures = format!(
            "{}; {} in the baseline, {} with it; noise floor {}",
            verdict::verdict(comparison),
            verdict::value(comparison, comparison.baseline),
            verdict::value(comparison, comparison.candidate),
            verdict::floor(comparison),
        );
        suite.case("prove.compared", &title, Outcome::Passed(figures));
    }
}

/// Complaints fail if they fail the check; others are reported.
fn classmap(document: &ClassmapCheckDocument, suite: &mut Suite) {
    let all = complaints(document);
    for kind in Kind::ALL {
        let of_kind: Vec<&Complaint> = all.iter().filter(|complaint| complaint.kind == kind).collect();
        let text = of_kind.iter().map(|complaint| line(complaint)).collect::<Vec<_>>().join("\n");
        let outcome = if of_kind.iter().any(|complaint| complaint.fails) {
            let message = format!("{} ({}): {}", kind.about(), of_kind.len(), kind.advice());
            Outcome::Failed { kind: kind.name().to_owned(), message, text }
        } else {
            Outcome::Passed(text)
        };
        suite.case("classmap", kind.wish(), outcome);
    }
}

fn line(complaint: &Complaint) -> String {
    let class = if complaint.class.is_empty() { String::new() } else { format!("{}: ", complaint.class) };
    format!("{}: {class}{}", complaint.place, complaint.what)
}

/// Certain deteriorations fail. Metrics that could not be judged are skipped, with the reason.
fn compared(comparison: &Comparison, suite: &mut Suite) {
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
    let text = change(row);
    match row.verdict {
        verdict if verdict.is_worse() => {
            Outcome::Failed { kind: verdict.to_string(), message: format!("{verdict}: {text}"), text }
        }
        verdict => match Unjudged::of(row).map(|unjudged| unjudged.why) {
            None => Outcome::Passed(format!("{}: {text}", said(row))),
            Some(WhyUnjudged::NotComparable) => {
                Outcome::Skipped("not comparable: the machines' speeds cannot be expressed as one figure".into())
            }
            Some(WhyUnjudged::RecordsLost) => {
                Outcome::Skipped("not comparable: one of the runs lost records, so its figure is too low".into())
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

#[cfg(test)]
mod tests;
