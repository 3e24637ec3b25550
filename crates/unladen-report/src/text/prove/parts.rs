//! What both views of a proof show: the answers, what is unclear, the gates.

use std::io::{self, Write};
use std::time::Duration;

use unladen_document::{Arm, Change, Comparison, Gate, Metric, ProveDocument};
use unladen_quantity::settling;

use super::verdict::title;
use crate::style::Style;
use crate::text::prose::{answer, answers, clean, fill};

/// Width of `PASS` or `FAIL`, and a gap.
const GATE: usize = 6;
/// Maximum number of arms whose answers are shown.
const MOST_ARMS: usize = 4;

/// Answers to the arms: once if they are the same, otherwise by arm. With several URLs, doubts alone.
pub(super) fn came(arms: &[Arm], style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Some((baseline, others)) = arms.split_first() else { return Ok(()) };
    answers(&baseline.answers, style, out)?;
    let is_again = |arm: &&Arm| !arm.has("baseline again");
    for arm in others.iter().filter(is_again).filter(|arm| !arm.answers.is_empty()).take(MOST_ARMS) {
        for (here, before) in arm.answers.iter().zip(&baseline.answers) {
            if !here.doubts.is_empty() || arm.answers.len() == 1 && here.told() != before.told() {
                let of = if arm.answers.len() > 1 { format!(", {}", here.request) } else { String::new() };
                answer(&format!("{}{of}: ", arm.name), here, style, out)?;
            }
        }
    }
    Ok(())
}

/// Unclear latencies and throughput that are wanted, each metric once, with the remaining time to settle it in every arm.
pub(super) fn unclear(result: &ProveDocument, is_wanted: impl Fn(&str) -> bool) -> Option<String> {
    let mut unclear: Vec<(&str, Option<Duration>)> = Vec::new();
    let is_unclear = |one: &&Comparison| {
        one.change() == Change::Unclear && matches!(one.kind(), Metric::Latency | Metric::Throughput)
    };
    for comparison in result.comparisons.iter().filter(is_unclear).filter(|one| is_wanted(&one.metric)) {
        let more = comparison.time_to_settle_ns.map(|ns| Duration::from_nanos(ns.saturating_sub(result.elapsed_ns)));
        match unclear.iter_mut().find(|(metric, _)| *metric == comparison.metric) {
            Some((_, longest)) => *longest = (*longest).max(more),
            None => unclear.push((&comparison.metric, more)),
        }
    }
    settling(unclear.into_iter().map(|(metric, more)| (title(metric), more)))
}

pub(super) fn gates(gates: &[Gate], style: Style, out: &mut dyn Write) -> io::Result<()> {
    if gates.is_empty() {
        return Ok(());
    }
    for gate in gates {
        let word = if gate.broken { style.warn("FAIL") } else { style.strong("PASS") };
        let untold = if gate.untold { "; unclear whether it holds: measure longer" } else { "" };
        let text = format!("{} in `{}` (fails if {}{untold})", gate.found, gate.arm, gate.condition);
        for (index, line) in
            fill(&clean(&text), usize::from(style.width).saturating_sub(GATE), style).iter().enumerate()
        {
            writeln!(out, "{}  {line}", if index == 0 { &word } else { "    " })?;
        }
    }
    writeln!(out)
}
