//! [`comparison_text`]: two runs, side by side, for a terminal.

use unladen_compare::{Comparable, Comparison, FindingChange, Row, Side};

use crate::columns::columns;
use crate::compared::{change, counts, figure, floor, said, undecided};
use crate::figures::count;
use crate::visible::visible;

const HEAD: [&str; 6] = ["metric", "before", "after", "change, 95 % interval", "floor", "verdict"];

/// Two runs as tables of a terminal: certain differences, each page's headline, and the number of other figures. The
/// other formats have every figure.
pub fn comparison_text(comparison: &Comparison) -> String {
    let after = &comparison.after;
    let mut text =
        visible(&format!("{} {}: {} against {}", after.verb, after.target, run(after), run(&comparison.before)));
    text.push('\n');
    let mut part = |lines: &str| {
        if !lines.is_empty() {
            text.push('\n');
            text.push_str(lines.trim_end());
            text.push('\n');
        }
    };
    if let Comparable::No(reasons) = &comparison.comparable {
        part(&format!("not comparable: {}", visible(&reasons.join("; "))));
        return text;
    }
    part(&in_words(comparison));
    part(&findings(&comparison.findings));
    part(&rows(comparison));
    let remarks = comparison.comparable.reasons().iter().chain(&comparison.warnings);
    part(&remarks.map(|said| format!("! {}\n", visible(said))).collect::<String>());
    text
}

/// `run 15`, `before.json`, or the time of the run.
fn run(side: &Side) -> String {
    match (&side.id, &side.time) {
        (Some(id), _) if id.bytes().all(|byte| byte.is_ascii_digit()) => format!("run {id}"),
        (Some(name), _) | (None, Some(name)) => name.clone(),
        (None, None) => "a run".to_owned(),
    }
}

fn in_words(comparison: &Comparison) -> String {
    let parts: Vec<String> = counts(comparison).into_iter().map(|(number, word)| format!("{number} {word}")).collect();
    if parts.is_empty() {
        let (said, rest) = undecided(comparison);
        return format!("{said}{rest}");
    }
    parts.join(", ")
}

fn findings(changes: &[FindingChange]) -> String {
    let rows: Vec<Vec<String>> = changes
        .iter()
        .map(|change| {
            let of = if change.group.is_empty() { String::new() } else { format!(" of {}", change.group) };
            let why = change.why.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
            vec![change.verdict.to_string(), format!("{}{of}", change.rule), format!("{}{why}", change.summary)]
        })
        .collect();
    if rows.is_empty() { String::new() } else { columns(&["finding", "", ""], &rows, &[]) }
}

fn rows(comparison: &Comparison) -> String {
    let is_shown = |row: &&Row| row.verdict.is_told() || row.headline;
    let mut shown: Vec<&Row> = comparison.rows.iter().filter(is_shown).collect();
    // Worse figures come first.
    shown.sort_by_key(|row| (!row.verdict.is_worse(), !row.verdict.is_told()));
    let cells: Vec<Vec<String>> = shown.iter().map(|row| cells(row, &comparison.after.target)).collect();
    let mut text = if cells.is_empty() { String::new() } else { columns(&HEAD, &cells, &[false, true, true]) };
    if shown.iter().any(|row| row.in_reference_units) {
        text.push_str("* in units of the reference work: the machine's own speed is divided out\n");
    }
    let rest = comparison.rows.len() - shown.len();
    if rest > 0 {
        let before = if text.is_empty() { "" } else { "\n" };
        text.push_str(&format!(
            "{before}{} without a measurable difference: --markdown - lists them\n",
            count(rest as u64, "further figure")
        ));
    }
    text
}

fn cells(row: &Row, target: &str) -> Vec<String> {
    let page = if row.url.is_empty() || row.url == target { String::new() } else { format!(" of {}", row.url) };
    let units = if row.in_reference_units { " *" } else { "" };
    vec![
        format!("{}{page}", row.name()),
        figure(row, row.before),
        figure(row, row.after),
        change(row) + units,
        floor(row),
        said(row),
    ]
}

#[cfg(test)]
mod tests;
