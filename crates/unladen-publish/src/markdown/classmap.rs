//! [`classmap`]: whether a class map is up to date, and what is wrong with the classes.

use unladen_document::ClassmapCheckDocument;

use super::inert::{code, prose};
use super::sheet::{Sheet, Table};
use crate::classes::{Complaint, Kind, complaints};
use crate::figures::{capital, classes};

pub(super) fn classmap(document: &ClassmapCheckDocument, sheet: &mut Sheet) {
    sheet.part(&format!("## Class map of {}", code(&document.root)));
    let complaints = complaints(document);
    let verdict = if document.is_broken() { "**Fail**" } else { "**Pass**" };
    let state = match document.current {
        true => format!("the map is what it would be now, with {}", classes(document.class_count)),
        false => format!("{}; {}", Kind::OutOfDate.about(), Kind::OutOfDate.advice()),
    };
    sheet.part(&format!("{verdict}: {}.", prose(&state)));
    for kind in Kind::ALL {
        let of_kind: Vec<&Complaint> = complaints.iter().filter(|complaint| complaint.kind == kind).collect();
        if of_kind.is_empty() {
            continue;
        }
        // For the map itself it was given above.
        let advice = if kind == Kind::OutOfDate { "" } else { kind.advice() };
        let advice = if advice.is_empty() { String::new() } else { format!(": {}", prose(advice)) };
        sheet.part(&format!("**{}** ({}){advice}.", prose(&capital(kind.about())), of_kind.len()));
        // All columns are texts.
        let mut table = Table::new(&["class", "what ", "where "]);
        for complaint in of_kind {
            let class = if complaint.class.is_empty() { String::new() } else { code(&complaint.class) };
            table.row(vec![class, prose(&complaint.what), code(&complaint.place.to_string())]);
        }
        sheet.table(&table);
    }
}
