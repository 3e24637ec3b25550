//! [`classmap`]: a case for each kind of complaint from a check of a class map.

use unladen_document::ClassmapCheckDocument;

use super::suite::{Outcome, Suite};
use crate::classes::{Complaint, Kind, complaints};

/// Complaints fail if they fail the check; others are reported.
pub(super) fn classmap(document: &ClassmapCheckDocument, suite: &mut Suite) {
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
