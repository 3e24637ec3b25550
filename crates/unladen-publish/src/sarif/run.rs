//! A document as a run of SARIF, [`of`], and a comparison of two, [`of_comparison`].

use std::collections::BTreeMap;

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use unladen_compare::{Comparison, FindingChange, FindingVerdict, Row};
use unladen_document::{About, Document, Gate, LoadDocument, ProfileDocument, ProveDocument, Revision, WeighDocument};

use super::fingerprint::{Fingerprints, Identity};
use super::location::{ROOT, location, page, root, uri};
use super::log::{
    ArtifactLocation, AutomationDetails, Driver, Finding, Invocation, Level, Notification, Rule, Run, Tool,
    VersionControl, message,
};
use super::results::{classmap, findings, gates};
use super::rule::{WORSE, rule};
use crate::compared::change;
use crate::visible::{command_line, visible};

/// Maximum results: GitHub accepts 25,000 per run, and shows 5,000.
const RESULTS: usize = 5_000;

pub(super) fn of(document: &Document) -> Run {
    let about = document.about();
    let (results, ended, elapsed_ns) = match document {
        Document::Weigh(weigh) => of_weigh(weigh),
        Document::Load(load) => (gates(&load.gates, &load.target, about), load.ended.as_str(), load.elapsed_ns),
        Document::Prove(prove) => (gates(&prove.gates, &prove.target, about), prove.ended.as_str(), prove.elapsed_ns),
        Document::Profile(profile) => of_profile(profile),
        Document::ProfileDiff(_) => (Vec::new(), "", 0),
        Document::Bill(bill) => (findings(&bill.findings, None, &[], about), bill.ended.as_str(), bill.elapsed_ns),
        Document::ClassmapCheck(check) => (classmap(check), "", 0),
    };
    let mut invocation = invocation(about, elapsed_ns);
    invocation.execution_successful = matches!(ended, "" | "complete");
    invocation.exit_code = exit_code(document, ended);
    invocation.tool_execution_notifications = notifications(document);
    run(document.verb(), document.target(), about, invocation, results)
}

pub(super) fn run(
    verb: &str,
    target: &str,
    about: &About,
    mut invocation: Invocation,
    mut results: Vec<Finding>,
) -> Run {
    if results.len() > RESULTS {
        let said = format!("{} more results were left out; the JSON document has all", results.len() - RESULTS);
        invocation.tool_execution_notifications.push(Notification { level: Level::Warning, message: message(&said) });
        results.truncate(RESULTS);
    }
    let mut rules: Vec<Rule> = Vec::new();
    for result in &mut results {
        let known = rules.iter().position(|rule| rule.id == result.rule_id);
        result.rule_index = Some(known.unwrap_or_else(|| {
            rules.push(rule(&result.rule_id));
            rules.len() - 1
        }));
    }
    // The part before the last slash is the same in each run: by it GitHub replaces the results of the last one.
    let time = about.time.as_deref().map(visible).unwrap_or_default();
    let folder = |root: &str| ArtifactLocation { uri: format!("file://{}/", uri(root)), uri_base_id: None };
    Run {
        tool: Tool { driver: Driver { name: "Unladen", version: about.version.as_deref().map(visible), rules } },
        automation_details: AutomationDetails { id: format!("unladen/{verb}/{}/{time}", page(target)) },
        invocations: vec![invocation],
        version_control_provenance: version_control(about).into_iter().collect(),
        original_uri_base_ids: root(about).map(|root| (ROOT.to_owned(), folder(root))).into_iter().collect(),
        column_kind: "unicodeCodePoints",
        results,
        properties: about
            .labels
            .iter()
            .map(|(name, value)| (visible(name), visible(value)))
            .collect::<BTreeMap<_, _>>(),
    }
}

fn of_weigh(document: &WeighDocument) -> (Vec<Finding>, &str, u64) {
    let mut found = findings(&document.findings, None, &document.gates, &document.about);
    let conditions: Vec<Gate> = document.gates.iter().filter(|gate| !gate.is_of_rule()).cloned().collect();
    found.extend(gates(&conditions, &document.target, &document.about));
    (found, &document.ended, document.elapsed_ns)
}

fn of_profile(document: &ProfileDocument) -> (Vec<Finding>, &str, u64) {
    let found = findings(&document.findings, Some(document), &document.gates, &document.about);
    let (ended, elapsed_ns) = document.setup.as_ref().map_or(("", 0), |setup| (setup.ended.as_str(), setup.elapsed_ns));
    (found, ended, elapsed_ns)
}

/// When and where, but not how it ended.
pub(super) fn invocation(about: &About, elapsed_ns: u64) -> Invocation {
    let end = about.time.as_ref().and_then(|time| DateTime::parse_from_rfc3339(time).ok()).map(|end| end.to_utc());
    let elapsed = TimeDelta::nanoseconds(i64::try_from(elapsed_ns).unwrap_or(i64::MAX));
    let start = end.filter(|_| elapsed_ns > 0).and_then(|end| end.checked_sub_signed(elapsed));
    let text = |time: DateTime<Utc>| time.to_rfc3339_opts(SecondsFormat::Millis, true);
    let words: Vec<String> = about.command.iter().map(|word| visible(word)).collect();
    Invocation {
        command_line: Some(visible(&command_line(&about.command))).filter(|line| !line.is_empty()),
        arguments: words.get(1..).unwrap_or_default().to_vec(),
        start_time_utc: start.map(text),
        end_time_utc: end.map(text),
        machine: about.host.as_deref().map(visible),
        working_directory: root(about)
            .map(|root| ArtifactLocation { uri: format!("file://{}/", uri(root)), uri_base_id: None }),
        ..Invocation::default()
    }
}

fn version_control(about: &About) -> Option<VersionControl> {
    let revision = about.revision.as_ref()?;
    Some(VersionControl {
        repository_uri: format!("file://{}/", uri(root(about)?)),
        revision_id: visible(revision.commit.as_deref()?),
        branch: revision.branch.as_deref().map(visible),
    })
}

/// The exit code as far as the document has it, without later errors such as a full disk.
fn exit_code(document: &Document, ended: &str) -> Option<i32> {
    const GATE: i32 = 8;
    const INTERRUPTED: i32 = 130;
    const ANSWERED_OTHERWISE: i32 = 4;
    let is_broken = |gates: &[Gate]| gates.iter().any(|gate| gate.broken);
    let accepts_errors = |gates: &[Gate]| gates.iter().any(|gate| gate.condition.starts_with("errors"));
    let (gates, failed) = match document {
        Document::Weigh(weigh) => (weigh.gates.as_slice(), false),
        Document::Profile(profile) => (profile.gates.as_slice(), false),
        Document::Load(load) => (load.gates.as_slice(), has_failed(load) && !accepts_errors(&load.gates)),
        Document::Prove(prove) => (prove.gates.as_slice(), has_failed_arms(prove) && !accepts_errors(&prove.gates)),
        Document::Bill(_) => (&[][..], false),
        Document::ProfileDiff(_) => return None,
        Document::ClassmapCheck(check) => return Some(if check.is_broken() { GATE } else { 0 }),
    };
    match ended {
        "complete" if is_broken(gates) => Some(GATE),
        "complete" if failed => Some(ANSWERED_OTHERWISE),
        "complete" => Some(0),
        "interrupted" => Some(INTERRUPTED),
        _ => None,
    }
}

fn has_failed(load: &LoadDocument) -> bool {
    load.capacity.is_none() && (load.unsent > 0 || load.errors.iter().any(|(_, count)| *count > 0))
}

fn has_failed_arms(prove: &ProveDocument) -> bool {
    prove.arms.iter().any(|arm| arm.errors > 0)
}

fn notifications(document: &Document) -> Vec<Notification> {
    let warnings = document.warnings().iter().cloned();
    let missing: Vec<String> = match document {
        Document::Weigh(weigh) => {
            let looked = weigh.not_looked_for.iter().map(|missing| {
                format!("{} could not be checked on {}: {}", missing.rules.join(", "), missing.url, missing.why)
            });
            let judged = weigh.not_judged.iter().map(|part| format!("{} was not judged: {}", part.what, part.why));
            looked.chain(judged).collect()
        }
        _ => Vec::new(),
    };
    let all = warnings.chain(missing).take(RESULTS);
    all.map(|said| Notification { level: Level::Note, message: message(&said) }).collect()
}

// --- Comparisons ---

/// Two runs as one of SARIF, whose results say whether they are new.
pub(super) fn of_comparison(comparison: &Comparison) -> Run {
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
    let findings = comparison.findings.iter().filter_map(|one| changed(one, &about, &mut fingerprints));
    let mut results: Vec<Finding> = findings.collect();
    results.extend(
        comparison.rows.iter().filter(|row| row.verdict.is_worse()).map(|row| worse(row, &about, &mut fingerprints)),
    );
    let mut invocation = invocation(&about, 0);
    invocation.execution_successful = comparison.comparable.is_comparable();
    let remarks = comparison.comparable.reasons().iter().chain(&comparison.warnings);
    invocation.tool_execution_notifications =
        remarks.map(|said| Notification { level: Level::Note, message: message(said) }).collect();
    run("compare", &after.target, &about, invocation, results)
}

/// `None` if the later run did not look: that it is gone would be a guess.
fn changed(change: &FindingChange, about: &About, fingerprints: &mut Fingerprints) -> Option<Finding> {
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
    Some(Finding {
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

fn worse(row: &Row, about: &About, fingerprints: &mut Fingerprints) -> Finding {
    let group = row.group.as_deref().or(row.arm.as_deref()).unwrap_or_default();
    let identity = Identity { rule: WORSE, url: &row.url, group, state: "", what: &row.name() };
    Finding {
        rule_id: WORSE.to_owned(),
        rule_index: None,
        level: Level::Error,
        baseline_state: Some("new"),
        message: message(&format!("{} is {}: {}", row.name(), row.verdict, change(row))),
        locations: vec![location(None, &row.url, group, about)],
        related_locations: Vec::new(),
        partial_fingerprints: fingerprints.next(identity),
    }
}
