//! [`comparison`]: two runs, side by side.

use unladen_compare::{Comparable, Comparison, FindingChange, FindingVerdict, Row, Side, Verdict};
use unladen_quantity::{Kind, percent, short, with_sign};

use super::inert::{code, prose};
use super::sheet::{Sheet, Table};
use crate::figures::{count, kind, share_text, with_margin};
use crate::undecided::undecided;

pub(super) fn comparison(comparison: &Comparison, sheet: &mut Sheet) {
    sheet.part(&format!("## {} against {}", run(&comparison.after), run(&comparison.before)));
    match &comparison.comparable {
        Comparable::Yes => {}
        Comparable::AcrossMachines(reasons) => {
            sheet.part("Runs of different machines: counts compare as they are, times in units of the reference work.");
            sheet.list(reasons.iter().map(|reason| prose(reason)));
        }
        Comparable::No(reasons) => {
            sheet.part("**Not comparable.**");
            sheet.list(reasons.iter().map(|reason| prose(reason)));
            return sides(comparison, sheet);
        }
    }
    sheet.part(&in_words(comparison));
    findings(&comparison.findings, sheet);
    rows(comparison, sheet);
    speed(comparison, sheet);
    sides(comparison, sheet);
}

/// `run 15`, `before.json`, or the time of the run.
fn run(side: &Side) -> String {
    match (&side.id, &side.time) {
        (Some(id), _) if id.bytes().all(|byte| byte.is_ascii_digit()) => format!("run {id}"),
        (Some(id), _) => code(id),
        (None, Some(time)) => code(time),
        (None, None) => code(&side.target),
    }
}

fn in_words(comparison: &Comparison) -> String {
    let worse = comparison.rows.iter().filter(|row| row.verdict.is_worse()).count() as u64;
    let better = comparison.rows.iter().filter(|row| row.verdict.is_better()).count() as u64;
    let found = |verdict| comparison.findings.iter().filter(|change| change.verdict == verdict).count() as u64;
    let mut parts = Vec::new();
    for (number, noun, word) in [
        (worse, "figure", "worse"),
        (better, "figure", "better"),
        (found(FindingVerdict::New), "finding", "new"),
        (found(FindingVerdict::Gone), "finding", "gone"),
    ] {
        if number > 0 {
            parts.push(format!("**{} {word}**", count(number, noun)));
        }
    }
    let rest = comparison.rows.iter().filter(|row| !row.verdict.is_told()).count() as u64;
    let mut text = if parts.is_empty() {
        let (strong, rest) = undecided(comparison);
        format!("**{strong}**{rest}")
    } else {
        parts.join(", ")
    };
    if rest > 0 && !parts.is_empty() {
        text.push_str(&format!("; {} without a difference that could be told", count(rest, "figure")));
    }
    let past = comparison.history;
    text.push_str(&match past.runs {
        0 => {
            ". No other runs tell how much two runs of the same thing differ: a default stands in for them.".to_owned()
        }
        runs => format!(
            ". {} of the same told how much two runs of the same thing differ.",
            count(runs as u64, "other run")
        ),
    });
    let heads = comparison.rows.iter().filter(|row| row.headline);
    let heads: Vec<String> = heads.map(|row| format!("\n- {}: {}", name(row), change(row))).collect();
    format!("{text}\n{}", heads.concat())
}

fn findings(changes: &[FindingChange], sheet: &mut Sheet) {
    let mut table = Table::new(&["finding", "", "in words "]);
    for change in changes {
        let of = if change.group.is_empty() { String::new() } else { format!(" of {}", code(&change.group)) };
        let why = change.why.as_ref().map(|why| format!(": {}", prose(why))).unwrap_or_default();
        let is_told = matches!(change.verdict, FindingVerdict::New | FindingVerdict::Gone);
        let verdict = if is_told { format!("**{}**", change.verdict) } else { change.verdict.to_string() };
        table.row(vec![code(&change.rule) + &of, verdict + &why, prose(&change.summary)]);
    }
    sheet.table(&table);
}

const HEAD: [&str; 6] = ["", "before", "after", "change, 95 % interval ", "floor between runs", " "];

fn rows(comparison: &Comparison, sheet: &mut Sheet) {
    let (told, rest): (Vec<&Row>, Vec<&Row>) = comparison.rows.iter().partition(|row| row.verdict.is_told());
    // Worse figures come first.
    let mut told = told;
    told.sort_by_key(|row| !row.verdict.is_worse());
    let mut table = Table::new(&HEAD);
    told.iter().for_each(|row| table.row(cells(row)));
    sheet.table(&table);
    let mut table = Table::new(&HEAD);
    rest.iter().for_each(|row| table.row(cells(row)));
    if !table.is_empty() {
        let title = format!("{} without a difference that could be told", count(rest.len() as u64, "figure"));
        sheet.details(&title, |sheet| sheet.table(&table));
    }
}

fn cells(row: &Row) -> Vec<String> {
    let figure = |figure: Option<unladen_compare::Figure>| {
        let Some(figure) = figure else { return "–".to_owned() };
        let ends = figure.low.zip(figure.high);
        value(row, figure.value, ends)
    };
    let floor = floor(row);
    let verdict = said(row);
    let verdict = if row.verdict.is_told() { format!("**{verdict}**") } else { verdict };
    let units = if row.in_reference_units { ", in units of the reference work" } else { "" };
    vec![name(row), figure(row.before), figure(row.after), change(row) + units, floor, verdict]
}

fn name(row: &Row) -> String {
    let page = if row.url.is_empty() { String::new() } else { format!(" of {}", code(&row.url)) };
    format!("{}{page}", code(&row.name()))
}

/// A row's verdict: `no measurable difference within ±10 %`.
pub(crate) fn said(row: &Row) -> String {
    match row.verdict {
        Verdict::NoMeasurableDifference => format!("{}{}", row.verdict, margin(row)),
        verdict => verdict.to_string(),
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

/// `26.2 ± 0.3 ms`
pub(crate) fn value(row: &Row, value: f64, ends: Option<(f64, f64)>) -> String {
    use unladen_compare::Kind as Of;
    match (row.kind, row.unit.as_str()) {
        (Of::Within | Of::Errors | Of::Function, _) => share_text(value),
        (Of::Effect, "1") => format!("{} %", percent(value)),
        (_, "1/s") => format!("{}/s", figure(Kind::Count, value, ends)),
        _ => figure(kind(&row.unit), value, ends),
    }
}

fn figure(kind: Kind, value: f64, ends: Option<(f64, f64)>) -> String {
    let (low, high) = ends.unwrap_or((f64::NAN, f64::NAN));
    with_margin(kind, value, low, high)
}

/// `+3.1 % (+2.0 to +4.2)`
pub(crate) fn change(row: &Row) -> String {
    if let Some(ratio) = row.ratio {
        let [value, low, high] = [ratio.value, ratio.low, ratio.high].map(|ratio| with_sign(ratio - 1.0));
        return format!("{value} % ({low} to {high})");
    }
    let Some(difference) = row.difference else { return row.verdict.to_string() };
    let sign = if difference.value > 0.0 { "+" } else { "" };
    let text = format!("{sign}{}", value(row, difference.value, Some((difference.low, difference.high))));
    // All other figures use this minus sign.
    text.strip_prefix('-').map_or_else(|| text.clone(), |rest| format!("−{rest}"))
}

fn speed(comparison: &Comparison, sheet: &mut Sheet) {
    let Some(speed) = &comparison.speed else { return };
    if let Some(disagreement) = &speed.disagreement {
        sheet.part(&prose(disagreement));
    }
    if let Some(ratio) = speed.ratio {
        let [value, low, high] = [ratio.value, ratio.low, ratio.high].map(|ratio| with_sign(ratio - 1.0));
        sheet.part(&format!("The reference work took {value} % ({low} to {high}) of time beside the earlier run's."));
    }
}

fn sides(comparison: &Comparison, sheet: &mut Sheet) {
    let mut table = Table::new(&["run", "time ", "host ", "commit ", "target ", "Unladen "]);
    for side in [&comparison.before, &comparison.after] {
        let text = |text: &Option<String>| text.as_deref().map(code).unwrap_or_default();
        let commit: Option<String> = side.commit.as_ref().map(|commit| commit.chars().take(12).collect());
        let dirty = if side.dirty == Some(true) { " with changes" } else { "" };
        let cells = vec![
            run(side),
            text(&side.time),
            text(&side.host),
            text(&commit) + dirty,
            code(&side.target),
            text(&side.version),
        ];
        table.row(cells);
    }
    sheet.details("The two runs", |sheet| sheet.table(&table));
}
