//! The result of `unladen profile diff`: what a change moved, per function.

use std::io::{self, Write};

use unladen_document::{FunctionChange, Moved, OpenSpan, ProfileDiffDocument};
use unladen_quantity::{Kind, Quantity, grouped, plain};

use super::{Columns, about_setup, calls, close, function, further, margin_of, requests};
use crate::profile::{ProfileDiff, TOP};
use crate::style::Style;
use crate::text::prose::{aside, dressed};
use crate::text::table::{faint, strong, warn};

/// Functions on the first screen.
const LISTED: usize = 6;

pub(crate) fn diff(result: &ProfileDiff, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let diff = &result.document;
    let titles = [&diff.baseline, &diff.candidate];
    let [baseline, candidate] = titles;
    dressed(&format!("{baseline} → {candidate}"), |line| style.heading(line), style, out)?;
    match &diff.setups {
        Some(setups) => {
            for ((setup, title), count) in setups.iter().zip(titles).zip(diff.requests) {
                about_setup(&format!("{title}: "), setup, &requests(count), style, out)?;
            }
        }
        None if diff.per_request => {
            let [before, after] = diff.requests.map(requests);
            writeln!(out, "{}", style.faint(&format!("{before} → {after}")))?;
        }
        None => {}
    }
    let measure = if diff.per_request {
        "all figures are per request"
    } else {
        "all figures are parts of the whole, because the number of requests is not known"
    };
    aside(measure, style, out)?;
    if !diff.functions.is_empty() && !diff.functions.iter().any(has_interval) {
        let none = "too few requests, or requests not distinguished: no intervals, so no change can be distinguished \
            from noise";
        dressed(none, |line| style.warn(line), style, out)?;
    }
    writeln!(out)?;
    table(result, style, out)?;
    close(&diff.notes, &diff.written, style, out)
}

fn table(result: &ProfileDiff, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let diff = &result.document;
    let scale = Scale::of(diff);
    let has_any = diff.functions.iter().any(has_interval);
    // Without intervals nothing differs from chance, but functions that did not move at all are kept apart.
    let (changed, mut same): (Vec<&FunctionChange>, Vec<&FunctionChange>) =
        diff.functions.iter().partition(|row| row.changed);
    let count = same.len();
    if !has_any {
        same.retain(|row| row.own.difference.value != 0.0 || row.total.difference.value != 0.0);
    }
    let unmoved = count - same.len();
    let most = if style.details { TOP } else { LISTED };
    let top = result.top.unwrap_or(most).max(1);
    if diff.functions.is_empty() {
        writeln!(out, "{}\n", style.heading("no function was seen in either"))?;
    } else if changed.is_empty() && same.is_empty() {
        writeln!(out, "{}\n", style.heading("no difference in any function"))?;
        return Ok(());
    }
    let shown: Vec<&FunctionChange> = changed.iter().chain(&same).take(top).copied().collect();
    if changed.is_empty() && has_any {
        writeln!(out, "{}\n", style.heading("no certain change in any function"))?;
    }
    let headings = ["self", "change", "total", "change", "calls/request"];
    let mut columns = Columns::new(&headings, &[0, 2, 4, 1]);
    for row in &shown {
        let cells = [
            scale.both(&row.own),
            scale.change(row.own.difference),
            scale.both(&row.total),
            scale.change(row.total.difference),
            row.calls_per_request
                .map(|[before, after]| format!("{} → {}", calls(before), calls(after)))
                .unwrap_or_default(),
        ];
        let mut cells =
            if row.changed { cells } else { cells.map(|cell| if cell.is_empty() { cell } else { faint(&cell) }) };
        if row.changed {
            // More is worse.
            let mark = if row.total.difference.value > 0.0 { warn } else { strong };
            cells[3] = mark(&scale.change(row.total.difference));
        }
        columns.row(cells.into());
    }
    let room = columns.settle(style);
    for (index, row) in shown.iter().enumerate() {
        let name = function(&row.name, &row.file, row.line, room);
        columns.function(index, if row.changed { name } else { faint(&unmarked(&name)) });
        // If it is so for all, it was said above.
        if !row.changed && has_interval(row) && !changed.is_empty() {
            columns.below(faint("  no certain change"));
        }
    }
    if !shown.is_empty() {
        columns.write(style, out)?;
    }
    let left = |count: usize, shown: usize| count.saturating_sub(shown);
    let changed_left = left(changed.len(), top);
    if changed_left > 0 {
        writeln!(out, "{}\n", further(changed_left, " changed"))?;
    }
    let same_left = left(same.len(), top.saturating_sub(changed.len()));
    if same_left > 0 {
        writeln!(out, "{}\n", style.faint(&further(same_left, if has_any { ": no certain change" } else { "" })))?;
    }
    if unmoved > 0 {
        writeln!(out, "{}\n", style.faint(&further(unmoved, ": no difference")))?;
    }
    Ok(())
}

fn has_interval(row: &FunctionChange) -> bool {
    margin_of(row.total.difference).is_some()
}

/// Marks of a cell do not nest.
fn unmarked(text: &str) -> String {
    text.chars().filter(|c| !('\u{2060}'..='\u{2064}').contains(c)).collect()
}

/// Format of a comparison's weights.
struct Scale {
    kind: Kind,
    factor: f64,
    is_part: bool,
}

/// Two decimals if one would show zero.
fn decimals(percent: f64) -> usize {
    if percent != 0.0 && percent.abs() < 0.05 { 2 } else { 1 }
}

impl Scale {
    fn of(diff: &ProfileDiffDocument) -> Self {
        if !diff.per_request {
            return Self { kind: Kind::Count, factor: 100.0, is_part: true };
        }
        let (kind, factor) = diff.scale();
        Self { kind, factor, is_part: false }
    }

    /// `3.10 ms → 2.00 ms`
    fn both(&self, moved: &Moved) -> String {
        let weights = [moved.baseline, moved.candidate];
        if weights == [0.0; 2] {
            return "0".to_owned();
        }
        let [before, after] = weights.map(|weight| self.text(weight));
        format!("{before} → {after}")
    }

    fn text(&self, weight: f64) -> String {
        let value = weight * self.factor;
        if self.is_part { format!("{} %", grouped(value, decimals(value))) } else { plain(self.kind, value) }
    }

    /// `−1.10 ± 0.21 ms`; the value alone without an interval.
    fn change(&self, change: OpenSpan) -> String {
        let value = change.value * self.factor;
        let plus = if value > 0.0 { "+" } else { "" };
        let Some(margin) = margin_of(change).map(|margin| margin * self.factor) else {
            return if value == 0.0 { "0".to_owned() } else { format!("{plus}{}", self.text(change.value)) };
        };
        if value == 0.0 && margin == 0.0 {
            return "0".to_owned();
        }
        if self.is_part {
            return format!("{plus}{} ± {} %", grouped(value, 1), grouped(margin, 1));
        }
        format!("{plus}{}", Quantity { kind: self.kind, value, margin })
    }
}
