//! Results from findings ([`findings`]), from broken conditions ([`gates`]) and from a check of a class map
//! ([`classmap`]).

use unladen_document::{About, ClassmapCheckDocument, Finding, Gate, ProfileDocument};

use super::fingerprint::{Fingerprints, Identity};
use super::location::{at, location, related};
use super::log::{self, Level, Text, escaped, message};
use crate::classes::{Complaint, complaints};
use crate::place::{self, Place};

/// Rule of conditions that are not in `unladen rules`.
pub(super) const FAIL_ON: &str = "fail-on";

/// Findings that `--fail-on` names are errors.
pub(super) fn findings(
    all: &[Finding],
    profile: Option<&ProfileDocument>,
    gates: &[Gate],
    about: &About,
) -> Vec<log::Finding> {
    let mut fingerprints = Fingerprints::default();
    let one = |finding: &Finding| {
        let function = profile.and_then(|profile| place::of_function(finding, profile));
        let place = function.or_else(|| place::of_finding(finding));
        let is_named = gates.iter().any(|gate| {
            gate.broken
                && (gate.url.is_empty() || gate.url == finding.url)
                && (gate.condition == finding.rule || gate.condition == "any")
        });
        log::Finding {
            rule_id: finding.rule.clone(),
            rule_index: None,
            level: if is_named { Level::Error } else { Level::Warning },
            baseline_state: None,
            message: words(finding),
            locations: vec![location(place.as_ref(), &finding.url, &finding.group, about)],
            related_locations: related(finding, place.as_ref(), about),
            partial_fingerprints: fingerprints.next(identity(finding, place.as_ref())),
        }
    };
    all.iter().map(one).collect()
}

fn identity<'a>(finding: &'a Finding, place: Option<&'a Place>) -> Identity<'a> {
    let item = finding.evidence.items.first().map_or("", |item| item.name.as_str());
    let what = place.filter(|place| place.line.is_some()).map_or(item, |place| &place.file);
    Identity { rule: &finding.rule, url: &finding.url, group: &finding.group, state: &finding.state, what }
}

/// The sentence goes first: GitHub shows it alone in lists.
fn words(finding: &Finding) -> Text {
    let mut text = escaped(&finding.summary);
    if !finding.group.is_empty() {
        text.push_str(&format!(", by {}", escaped(&finding.group)));
    }
    if finding.state == "fresh" {
        text.push_str(", in the first request of a fresh process");
    }
    text.push_str(&format!(". Fix: {}.", escaped(&finding.fix.advice)));
    Text { text, markdown: None }
}

/// Broken conditions of loads and experiments.
pub(super) fn gates(gates: &[Gate], target: &str, about: &About) -> Vec<log::Finding> {
    let mut fingerprints = Fingerprints::default();
    let one = |gate: &Gate| {
        let of = if gate.arm.is_empty() { String::new() } else { format!(" in the arm `{}`", gate.arm) };
        let identity = Identity { rule: FAIL_ON, url: target, group: &gate.arm, state: "", what: &gate.condition };
        log::Finding {
            rule_id: FAIL_ON.to_owned(),
            rule_index: None,
            level: Level::Error,
            baseline_state: None,
            message: message(&format!("{}{of}: {}", gate.condition, gate.found)),
            locations: vec![location(None, target, "", about)],
            related_locations: Vec::new(),
            partial_fingerprints: fingerprints.next(identity),
        }
    };
    gates.iter().filter(|gate| gate.broken).map(one).collect()
}

/// Complaints, each at its file and line: those that fail the check are errors.
pub(super) fn classmap(document: &ClassmapCheckDocument) -> Vec<log::Finding> {
    let mut fingerprints = Fingerprints::default();
    complaints(document).iter().map(|complaint| of_complaint(complaint, &document.about, &mut fingerprints)).collect()
}

fn of_complaint(complaint: &Complaint, about: &About, fingerprints: &mut Fingerprints) -> log::Finding {
    let Complaint { kind, class, what, place, others, fails } = complaint;
    let said = match (class.as_str(), what.as_str()) {
        ("", what) => format!("{what}. Fix: {}.", kind.advice()),
        (class, what) => format!("`{class}`: {what}. Fix: {}.", kind.advice()),
    };
    // Problems are identified by their file, all others by the class.
    let what = if class.is_empty() { &place.file } else { class };
    let identity = Identity { rule: kind.name(), url: "", group: "", state: "", what };
    let related = |(index, place): (usize, _)| at(index + 1, place, "It is declared here too.", about);
    log::Finding {
        rule_id: kind.name().to_owned(),
        rule_index: None,
        level: if *fails { Level::Error } else { Level::Warning },
        baseline_state: None,
        message: message(&said),
        locations: vec![location(Some(place), "", "", about)],
        related_locations: others.iter().enumerate().map(related).collect(),
        partial_fingerprints: fingerprints.next(identity),
    }
}
