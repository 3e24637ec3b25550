//! [`run`]: two runs as one of SARIF, whose results say whether they are new.

use unladen_compare::{Comparison, FindingChange, FindingVerdict, Row};
use unladen_document::{About, Revision};

use super::fingerprint::{Fingerprints, Identity};
use super::location::location;
use super::log::{self, Level};
use super::message::message;
use super::rule::WORSE;

pub(super) fn run(comparison: &Comparison) -> log::Run {
    let after = &comparison.after;
    let about = About {
        version: after.version.clone(),
        time: after.time.clone(),
        host: after.host.clone(),
        labels: after.labels.clone(),
        revision: after.commit.as_ref().map(|commit| Revision { commit: Some(commit.clone()), ..Revision::default() }),
        ..About::default()
    };
    let mut fingerprints = Fingerprints::default();
    let findings = comparison.findings.iter().filter_map(|change| finding(change, &about, &mut fingerprints));
    let mut results: Vec<log::Finding> = findings.collect();
    results.extend(
        comparison.rows.iter().filter(|row| row.verdict.is_worse()).map(|row| worse(row, &about, &mut fingerprints)),
    );
    let mut invocation = super::run::invocation(&about, 0);
    invocation.execution_successful = comparison.comparable.is_comparable();
    let remarks = comparison.comparable.reasons().iter().chain(&comparison.warnings);
    invocation.tool_execution_notifications =
        remarks.map(|said| log::Notification { level: Level::Note, message: message(said) }).collect();
    super::run::run("compare", &after.target, &about, invocation, results)
}

/// `None` if the later run did not look: that it is gone would be a guess.
fn finding(change: &FindingChange, about: &About, fingerprints: &mut Fingerprints) -> Option<log::Finding> {
    let (state, level) = match change.verdict {
        FindingVerdict::New => ("new", Level::Error),
        FindingVerdict::Heavier => ("updated", Level::Error),
        FindingVerdict::Lighter => ("updated", Level::Warning),
        FindingVerdict::StillThere => ("unchanged", Level::Warning),
        FindingVerdict::ComesAndGoes if change.after.is_some() => ("unchanged", Level::Note),
        FindingVerdict::Gone => ("absent", Level::Note),
        FindingVerdict::ComesAndGoes | FindingVerdict::NotLookedFor => return None,
    };
    let identity =
        Identity { rule: &change.rule, url: &change.url, group: &change.group, state: &change.state, what: "" };
    Some(log::Finding {
        rule_id: change.rule.clone(),
        rule_index: None,
        level,
        baseline_state: Some(state),
        message: message(&format!("{}: {}", change.verdict, change.summary)),
        locations: vec![location(None, &change.url, &change.group, about)],
        related_locations: Vec::new(),
        partial_fingerprints: fingerprints.next(identity),
    })
}

fn worse(row: &Row, about: &About, fingerprints: &mut Fingerprints) -> log::Finding {
    let group = row.group.as_deref().or(row.arm.as_deref()).unwrap_or_default();
    let identity = Identity { rule: WORSE, url: &row.url, group, state: "", what: &row.name() };
    log::Finding {
        rule_id: WORSE.to_owned(),
        rule_index: None,
        level: Level::Error,
        baseline_state: Some("new"),
        message: message(&format!("{} is {}: {}", row.name(), row.verdict, crate::markdown::plain_change(row))),
        locations: vec![location(None, &row.url, group, about)],
        related_locations: Vec::new(),
        partial_fingerprints: fingerprints.next(identity),
    }
}
