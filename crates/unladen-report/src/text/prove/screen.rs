//! The first screen of `unladen prove`: what changed, counts first, then CPU, then latency, and whether that is good.

use std::io::{self, Write};

use unladen_document::{Arm, Change, Comparison, Metric, ProveDocument};
use unladen_quantity::lasting;

use super::parts::came;
use super::verdict::{title, value, verdict};
use super::{counted, designs, differences};
use crate::proof::{Changed, Proof};
use crate::style::Style;
use crate::text::figure::equal;
use crate::text::gates::gates;
use crate::text::prose::{aside, clean, cut_short, few, fill, marked};
use crate::text::table::{Grid, strong, warn};

/// Rows of counts, and of weights.
const COUNTS: usize = 5;
const WEIGHTS: usize = 4;
/// Warnings that are shown, and lines of each.
const WARNINGS: usize = 2;
const LINES: usize = 3;
/// Parts of the sentence on what is less or more.
const PARTS: usize = 3;

pub(super) fn screen(result: &ProveDocument, style: Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", style.heading(&clean(&result.title)))?;
    came(&result.arms, style, out)?;
    cut_short(&result.ended, "it failed", "blocks", style, out)?;
    writeln!(out)?;
    if result.has("alone") {
        designs::ablation(result, style, out)?;
    }
    if result.has("combination") {
        designs::factorial(result, style, out)?;
    }
    if let Some(arm) = result.changed_arm() {
        changes(result, arm, style, out)?;
        in_words(result, arm, style, out)?;
    }
    gates(&result.gates, style, out)?;
    for line in result.put_back.iter().flat_map(|line| few(&clean(line), usize::from(style.width), 2, style)) {
        writeln!(out, "{}", style.faint(&line))?;
    }
    result.warnings.iter().take(WARNINGS).try_for_each(|warning| marked(warning, LINES, style, out))?;
    let more = match result.warnings.len().saturating_sub(WARNINGS) {
        0 => String::new(),
        1 => ", 1 more warning".to_owned(),
        more => format!(", {more} more warnings"),
    };
    let line = format!(
        "{} blocks in {}; the intervals are of 95 %. All figures, noise floors, box plots{more}: --details",
        result.blocks,
        lasting(std::time::Duration::from_nanos(result.elapsed_ns)),
    );
    aside(&line, style, out)
}

/// One table: counts, the weights that certainly changed on the requests' path, the latencies that decide.
fn changes(result: &ProveDocument, arm: &Arm, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let mut table = Grid::new(&["per request", "baseline", &arm.name, "change (95 %)"]).left(3).expendable(&[1]);
    let counts = counted::rows(result, arm, COUNTS);
    let is_counted = !counts.is_empty();
    for [name, before, after, change] in counts {
        table.row([name, before, after, format!("{change}, counted")]);
    }
    let weights = differences::told(result, arm).into_iter().filter(|one| !is_counted || is_cpu(one));
    let others = result.of_arm(&arm.name).filter(|one| is_shown(result, one));
    for comparison in weights.take(WEIGHTS).chain(others) {
        let name = match &comparison.group {
            Some(group) => format!("{}, {group}", comparison.title),
            None => title(&comparison.metric),
        };
        let change = match (comparison.change(), comparison.kind().is_share()) {
            (Change::Better, false) => strong(&comparison.change_text()),
            (Change::Worse, false) => warn(&comparison.change_text()),
            _ => verdict(comparison, true),
        };
        table.row([name, value(comparison, comparison.baseline), value(comparison, comparison.candidate), change]);
    }
    if !table.is_empty() {
        table.write(style, out)?;
    }
    if is_counted { counted::remarks(result, style, out) } else { counted::nothing(result, style, out) }
}

fn is_cpu(comparison: &Comparison) -> bool {
    comparison.counter.as_deref().is_some_and(|counter| counter.starts_with("cpu"))
}

/// The first quantile, cold and warm, and what else certainly changed but for further latencies.
fn is_shown(result: &ProveDocument, comparison: &Comparison) -> bool {
    match comparison.kind() {
        Metric::Latency => {
            let warm = comparison.metric.strip_prefix("cold.").unwrap_or(&comparison.metric);
            // A factorial design has a table of them.
            Some(warm) == result.first_quantile() && !result.has("combination")
        }
        Metric::Weight | Metric::Within => false,
        // In a closed loop it is the latency in other words.
        Metric::Throughput => result.rate.is_some() && comparison.change().is_told(),
        Metric::Bytes | Metric::Status | Metric::ErrorStatus => comparison.change().is_told(),
    }
}

/// `It helps: file checks −78 %; CPU of php-fpm8.2 −8.2 % (−10.1 to −7.0); …`
fn in_words(result: &ProveDocument, arm: &Arm, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let proof = Proof::of(result, arm);
    let short = |part: &Changed| format!("{} {}", part.name, part.change).trim_end().to_owned();
    let all = |parts: &mut dyn Iterator<Item = &Changed>| parts.take(PARTS).map(short).collect::<Vec<_>>().join("; ");
    // The counts are in the table: one of them tells enough.
    let less = all(&mut proof.fewer.iter().take(1).chain(&proof.less));
    let more = all(&mut proof.more.iter());
    let said = match (less.is_empty(), more.is_empty()) {
        (false, true) => format!("It helps: {less}."),
        (true, false) => format!("It costs more: {more}."),
        (false, false) => format!("It helps: {less}. But it costs more: {more}."),
        (true, true) if proof.is_nothing => {
            "No latency and no CPU was compared: whether it helps is not known.".to_owned()
        }
        (true, true) if proof.is_unclear => "Whether it helps is unclear so far.".to_owned(),
        (true, true) => format!("CPU and latency: {}.", equal()),
    };
    for line in fill(&clean(&said), usize::from(style.width), style) {
        writeln!(out, "{}", style.strong(&line))?;
    }
    // Further latencies take longer to tell than anybody waits.
    let is_unclear = |one: &Comparison| is_shown(result, one) && one.change() == Change::Unclear;
    let metrics: Vec<&str> =
        result.of_arm(&arm.name).filter(|one| is_unclear(one)).map(|one| one.metric.as_str()).collect();
    if let Some(unclear) = result.unclear_text(title, |metric| metrics.contains(&metric)) {
        aside(&format!("{unclear}."), style, out)?;
    }
    writeln!(out)
}
