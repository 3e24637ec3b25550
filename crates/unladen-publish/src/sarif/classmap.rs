//! [`results`]: complaints of a class map's check, each at its file and line.

use unladen_document::{About, ClassmapCheckDocument};

use super::fingerprint::{Fingerprints, Identity};
use super::location::{at, location};
use super::log::{self, Level};
use super::message::message;
use crate::classes::{Complaint, complaints};

/// Complaints that fail the check are errors.
pub(super) fn results(document: &ClassmapCheckDocument) -> Vec<log::Finding> {
    let mut fingerprints = Fingerprints::default();
    complaints(document).iter().map(|complaint| result(complaint, &document.about, &mut fingerprints)).collect()
}

fn result(complaint: &Complaint, about: &About, fingerprints: &mut Fingerprints) -> log::Finding {
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
