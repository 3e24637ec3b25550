//! Two runs in words, the same in all formats: each row's [`said`], [`change`] and [`floor`], and the [`counts`] of all.

use unladen_compare::{Comparison, Figure, FindingVerdict, Kind as Of, Row, Verdict};
use unladen_quantity::{Kind, percent, short, with_sign};

use crate::figures::{count, kind, share_text, with_margin};

/// A row's verdict: `no measurable difference within ±10 %`.
pub(crate) fn said(row: &Row) -> String {
    match row.verdict {
        Verdict::NoMeasurableDifference => format!("{}{}", row.verdict, margin(row)),
        verdict => word(verdict, row.kind).to_owned(),
    }
}

/// "Faster" would be wrong for shares within a time and rates.
fn word(verdict: Verdict, kind: Of) -> &'static str {
    match (verdict, kind) {
        (Verdict::Faster, Of::Within | Of::Rate) => "more",
        (Verdict::Slower, Of::Within | Of::Rate) => "less",
        (verdict, _) => verdict.into_str(),
    }
}

/// Margin of equality: ` within ±10 %`.
pub(crate) fn margin(row: &Row) -> String {
    match (row.margin, row.ratio) {
        (None, _) => String::new(),
        (Some(margin), Some(_)) => format!(" within ±{} %", short(Kind::Count, 100.0 * margin)),
        (Some(margin), None) => format!(" within ±{}", value(row, margin, None)),
    }
}

/// As a share or in the unit.
pub(crate) fn floor(row: &Row) -> String {
    match (row.floor, row.ratio) {
        (None, _) => "–".to_owned(),
        (Some(floor), Some(_)) => format!("{} %", percent(floor)),
        (Some(floor), None) => value(row, floor, None),
    }
}

/// One of a row's two figures.
pub(crate) fn figure(row: &Row, figure: Option<Figure>) -> String {
    figure.map_or("–".to_owned(), |figure| match (row.kind, row.unit.as_str()) {
        // A ratio to the baseline is a change.
        (Of::Effect, "1") => format!("{} %", with_sign(figure.value - 1.0)),
        _ => value(row, figure.value, figure.low.zip(figure.high)),
    })
}

/// `26.2 ± 0.3 ms`
pub(crate) fn value(row: &Row, value: f64, ends: Option<(f64, f64)>) -> String {
    let (low, high) = ends.unwrap_or((f64::NAN, f64::NAN));
    match (row.kind, row.unit.as_str()) {
        (Of::Within | Of::Errors | Of::Function, _) => share_text(value),
        (Of::Effect, "1") => format!("{} %", percent(value)),
        (_, "1/s") => format!("{}/s", with_margin(Kind::Count, value, low, high)),
        _ => with_margin(kind(&row.unit), value, low, high),
    }
}

/// `+3.1 % (+2.0 to +4.2)`
pub(crate) fn change(row: &Row) -> String {
    if let Some(ratio) = row.ratio {
        return ratio.change_text();
    }
    let Some(difference) = row.difference else { return row.verdict.to_string() };
    let sign = if difference.value > 0.0 { "+" } else { "" };
    let text = format!("{sign}{}", value(row, difference.value, Some((difference.low, difference.high))));
    // All other figures use this minus sign.
    text.strip_prefix('-').map_or_else(|| text.clone(), |rest| format!("−{rest}"))
}

/// `3 figures` and `better`: what differs for certain, the worst first.
pub(crate) fn counts(comparison: &Comparison) -> Vec<(String, &'static str)> {
    let rows = |is: &dyn Fn(&Row) -> bool| comparison.rows.iter().filter(|row| is(row)).count() as u64;
    let found = |verdict| comparison.findings.iter().filter(|change| change.verdict == verdict).count() as u64;
    let all = [
        (rows(&|row| row.verdict.is_worse()), "figure", "worse"),
        (rows(&|row| row.verdict.is_better()), "figure", "better"),
        (found(FindingVerdict::New), "finding", "new"),
        (found(FindingVerdict::Gone), "finding", "gone"),
    ];
    let some = all.into_iter().filter(|(number, _, _)| *number > 0);
    some.map(|(number, noun, word)| (count(number, noun), word)).collect()
}

/// Separate words for equality and for undecidable figures, where nothing differs for certain.
pub(crate) fn undecided(comparison: &Comparison) -> (&'static str, String) {
    let untold = || comparison.rows.iter().filter(|row| !row.verdict.is_told());
    let equal = untold().filter(|row| row.verdict == Verdict::NoMeasurableDifference).count() as u64;
    let unjudged = untold().count() as u64 - equal;
    match (equal, unjudged) {
        (0, 0) => ("Nothing could be compared", String::new()),
        (equal, 0) => ("No measurable difference", format!(" in any of {}", count(equal, "figure"))),
        (0, unjudged) => {
            ("No figure could be judged", format!(": unclear, or not comparable, in {}", count(unjudged, "figure")))
        }
        (equal, unjudged) => (
            "No certain difference",
            format!(
                ": {} without a measurable difference; {unjudged} unclear or not comparable",
                count(equal, "figure")
            ),
        ),
    }
}

#[cfg(test)]
mod tests;
