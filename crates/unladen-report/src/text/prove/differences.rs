//! One arm against the baseline: latencies, shares within a time, throughput, bytes and statuses; what got lighter, and
//! what got heavier elsewhere in exchange.

use std::io::{self, Write};

use unladen_document::{Arm, Change, Comparison, Metric, ProveDocument};
use unladen_lockin::{MARGIN, MARGIN_OF_THE_WHOLE};
use unladen_quantity::{Kind, short};

use super::verdict::{self, title, value, verdict};
use crate::style::Style;
use crate::text::prose::sentence;
use crate::text::table::{Grid, strong, warn};

/// Below this width, unclear differences have no intervals.
pub(super) const BRIEF_BELOW: u16 = 90;
/// Further rows of a section are in the JSON result.
const MOST_ROWS: usize = 12;
/// Below this width only the margin of a weight fits, not both ends.
const MARGIN_BELOW: u16 = 80;

pub(super) fn differences(result: &ProveDocument, arm: &Arm, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let mut table = Grid::new(&["latency", "baseline", &arm.name, "verdict, 95 % interval", "noise floor"])
        .left(3)
        .expendable(&[4, 1]);
    let mut is_empty = true;
    for comparison in result.of_arm(&arm.name).filter(|comparison| comparison.kind() != Metric::Weight) {
        is_empty = false;
        table.row([
            title(&comparison.metric),
            value(comparison, comparison.baseline),
            value(comparison, comparison.candidate),
            verdict(comparison, style.width < BRIEF_BELOW),
            comparison.floor_text(),
        ]);
    }
    if is_empty { Ok(()) } else { table.write(style, out) }
}

pub(super) fn weights(result: &ProveDocument, arm: &Arm, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let weights: Vec<&Comparison> =
        result.of_arm(&arm.name).filter(|comparison| comparison.kind() == Metric::Weight).collect();
    if weights.is_empty() {
        return Ok(());
    }
    let (elsewhere, weights): (Vec<&Comparison>, Vec<&Comparison>) =
        weights.into_iter().partition(|comparison| comparison.is_beside());
    for (change, heading) in [
        (Change::Better, "lighter, per request"),
        (Change::Worse, "heavier, per request"),
        (Change::Unclear, "unclear"),
        (Change::Equal, "no measurable difference, per request"),
    ] {
        section(listed(&weights, |comparison| comparison.change() == change), heading, &arm.name, style, out)?;
    }
    let beside = listed(&elsewhere, |comparison| comparison.change().is_told());
    let not_shown = elsewhere.len() - beside.len();
    section(beside, "not on the request's path", &arm.name, style, out)?;
    let unlisted: Vec<&&Comparison> = weights.iter().filter(|comparison| !is_listed(comparison)).collect();
    let equal = format!(
        "no measurable difference within ±{} % of the group's weight, or {} % of the request's",
        short(Kind::Count, MARGIN * 100.0),
        short(Kind::Count, MARGIN_OF_THE_WHOLE * 100.0)
    );
    let counts = [(Change::Equal, equal.as_str()), (Change::Unclear, "unclear")];
    let mut said = String::new();
    for (change, words) in counts {
        let count = unlisted.iter().filter(|comparison| comparison.change() == change).count();
        if count > 0 {
            let other = if count == weights.len() { "" } else { "other " };
            let s = if count == 1 { "" } else { "s" };
            let space = if said.is_empty() { "" } else { " " };
            said.push_str(&format!("{space}{count} {other}weight{s}: {words}."));
        }
    }
    if not_shown > 0 {
        let (s, are) = if not_shown == 1 { ("", "is") } else { ("s", "are") };
        let space = if said.is_empty() { "" } else { " " };
        said.push_str(&format!("{space}{not_shown} weight{s} {are} from groups that no request goes through."));
    }
    if said.is_empty() { Ok(()) } else { sentence(&said, style, out) }
}

/// Weights of groups on the requests' path that certainly changed, by rank.
pub(super) fn told<'a>(result: &'a ProveDocument, arm: &Arm) -> Vec<&'a Comparison> {
    let is_on_path = |one: &&Comparison| one.kind() == Metric::Weight && !one.is_beside();
    let weights: Vec<&Comparison> = result.of_arm(&arm.name).filter(is_on_path).collect();
    listed(&weights, |comparison| comparison.change().is_told())
}

/// The listed weights that are wanted, by rank.
fn listed<'a>(weights: &[&'a Comparison], is_wanted: impl Fn(&Comparison) -> bool) -> Vec<&'a Comparison> {
    let mut rows: Vec<&Comparison> =
        weights.iter().copied().filter(|comparison| is_wanted(comparison) && is_listed(comparison)).collect();
    rows.sort_by(|a, b| a.by_rank(b));
    rows
}

/// Certain changes, and those that their own interval alone would call a change; others are counted.
fn is_listed(comparison: &Comparison) -> bool {
    match comparison.change() {
        Change::Better | Change::Worse => true,
        Change::Unclear | Change::Equal => comparison.excludes_no_change(),
    }
}

fn section(rows: Vec<&Comparison>, heading: &str, arm: &str, style: Style, out: &mut dyn Write) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut table =
        Grid::new(&[heading, "", "baseline", arm, "change (95 %)", "noise floor"]).left(1).expendable(&[5, 2, 3]);
    for comparison in rows.iter().take(MOST_ROWS) {
        let approximate = if comparison.approximate.unwrap_or_default() { "≈ " } else { "" };
        let brief = comparison.ratio_span().filter(|_| style.width < MARGIN_BELOW).map(verdict::change);
        let change = brief.unwrap_or_else(|| comparison.change_text());
        table.row([
            comparison.group.clone().unwrap_or_default(),
            format!("{approximate}{}", comparison.title),
            value(comparison, comparison.baseline),
            value(comparison, comparison.candidate),
            match comparison.change() {
                Change::Worse => warn(&change),
                Change::Better => strong(&change),
                Change::Equal | Change::Unclear => change,
            },
            comparison.floor_text(),
        ]);
    }
    if rows.len() > MOST_ROWS {
        table.row([format!("and {} more, in the JSON result", rows.len() - MOST_ROWS)]);
    }
    table.write(style, out)
}
