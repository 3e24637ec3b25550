//! [`profile_diff`]: which functions a change moved.

use unladen_document::{FunctionChange, Moved, OpenSpan, ProfileDiffDocument};
use unladen_quantity::{Kind, percent, plain, with_sign};

use super::inert::code;
use super::sheet::{Sheet, Table};
use crate::figures::{count, open_span};

pub(super) fn profile_diff(document: &ProfileDiffDocument, sheet: &mut Sheet) {
    sheet.part(&format!("## {} → {}", code(&document.baseline), code(&document.candidate)));
    let changed: Vec<&FunctionChange> = document.functions.iter().filter(|function| function.changed).collect();
    let rest = document.functions.len() - changed.len();
    match changed.first() {
        None => sheet.part("No function changed for certain."),
        Some(first) => sheet.part(&format!(
            "**{}** changed; the most, {}: {} with all that it calls.",
            count(changed.len() as u64, "function"),
            code(&first.name),
            difference(document, &first.total),
        )),
    }
    let mut table = Table::new(&["function", "itself", "change", "with all that it calls", "change"]);
    for function in changed {
        table.row(vec![
            code(&function.name),
            both(document, &function.own),
            difference(document, &function.own),
            both(document, &function.total),
            difference(document, &function.total),
        ]);
    }
    sheet.table(&table);
    if rest > 0 {
        sheet.part(&format!("{}: no change for certain.", count(rest as u64, "further function")));
    }
}

fn both(document: &ProfileDiffDocument, moved: &Moved) -> String {
    format!("{} → {}", value(document, moved.baseline), value(document, moved.candidate))
}

/// Per request, or a part of the whole.
fn value(document: &ProfileDiffDocument, value: f64) -> String {
    let (kind, factor) = unit(document);
    if document.per_request { plain(kind, value * factor) } else { format!("{} %", percent(value)) }
}

fn difference(document: &ProfileDiffDocument, moved: &Moved) -> String {
    let OpenSpan { value, low, high } = moved.difference;
    if document.per_request {
        let (kind, factor) = unit(document);
        let scaled = |end: Option<f64>| end.map(|end| end * factor);
        let sign = if value > 0.0 { "+" } else { "" };
        return sign.to_owned()
            + &open_span(kind, OpenSpan { value: value * factor, low: scaled(low), high: scaled(high) });
    }
    let ends = low.zip(high).map(|(low, high)| format!(" ({} to {})", with_sign(low), with_sign(high)));
    format!("{} points{}", with_sign(value), ends.unwrap_or_default())
}

/// Number format of weights, and their factor: a sample stands for a time.
fn unit(document: &ProfileDiffDocument) -> (Kind, f64) {
    match (document.unit.as_str(), document.period_ns) {
        ("samples", Some(period)) => (Kind::Time, period as f64),
        ("nanoseconds" | "cpu-nanoseconds", _) => (Kind::Time, 1.0),
        ("bytes", _) => (Kind::Bytes, 1.0),
        _ => (Kind::Count, 1.0),
    }
}
