//! The result of `unladen prove`: the verdicts, then other changes, then the distributions.

use std::io::{self, Write};
use std::time::Duration;

use super::agents::agents;
use super::prose::{answer, answers, clean, cookies, files_unseen, fill, paragraph, warnings};
use unladen_document::{ArmProfile, Gate};
use unladen_lockin::Role;
use unladen_quantity::{Kind, grouped, lasting, plain, settling, short};

use crate::ended::Ended;
use crate::prove::{ArmResult, Change, Comparison, Metric, Prove};
use crate::style::Style;

mod ablation;
mod boxes;
mod differences;
mod factorial;
mod interaction;
mod verdict;
mod weights;

pub(crate) use verdict::title;

/// Width of `PASS` or `FAIL`, and a gap.
const GATE: usize = 6;
/// Maximum number of arms whose answers are shown.
const MOST_ARMS: usize = 4;

pub(super) fn prove(result: &Prove, style: Style, out: &mut dyn Write) -> io::Result<()> {
    head(result, style, out)?;
    agents(&result.setup.agents, style, out)?;
    if result.has(|role| matches!(role, Role::Alone(_))) {
        ablation::ablation(result, style, out)?;
    }
    if result.has(|role| matches!(role, Role::Combination(_))) {
        factorial::factorial(result, style, out)?;
    }
    interaction::sentences(result, style, out)?;
    if let Some(arm) = result.changed_arm() {
        differences::differences(result, arm, style, out)?;
        weights::weights(result, arm, style, out)?;
    }
    boxes::boxes(result, style, out)?;
    how_long(result, style, out)?;
    profiles(&result.profiles, style, out)?;
    gates(&result.gates, style, out)?;
    for line in &result.put_back {
        for line in fill(&clean(line), usize::from(style.width), style) {
            writeln!(out, "{}", style.faint(&line))?;
        }
    }
    if !result.put_back.is_empty() {
        writeln!(out)?;
    }
    files_unseen(style, out)?;
    warnings(&result.warnings, style, out)
}

fn head(result: &Prove, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let setup = &result.setup;
    let s = |n: usize| if n == 1 { "" } else { "s" };
    let pace = match setup.rate {
        Some(rate) => format!("{}/s, at most {} at once", short(Kind::Count, rate), setup.concurrency),
        None => format!("closed loop, always {} at once", setup.concurrency),
    };
    let lag = setup.send_lag_p99.map(|p99| format!("; 99 % sent at most {} late", plain(Kind::Time, p99 as f64)));
    let restarts = match setup.restarts {
        0 | 1 => String::new(),
        restarts => format!(", {restarts} restarts"),
    };
    let line = format!(
        "{}: {} requests in {} arms, {} block{}{}, phases of {}, {} in all; {pace}{}{}; intervals over {}; seed {}",
        clean(&setup.target),
        grouped(result.arms.iter().map(|arm| arm.requests as f64).sum(), 0),
        result.arms.len(),
        setup.blocks,
        s(setup.blocks),
        restarts,
        short(Kind::Time, setup.phase.as_nanos() as f64),
        lasting(setup.elapsed),
        cookies(setup.keep_cookies),
        lag.unwrap_or_default(),
        setup.unit,
        setup.seed,
    );
    writeln!(out, "{}", style.heading(&clean(&result.title)))?;
    came(&result.arms, style, out)?;
    for line in fill(&line, usize::from(style.width), style) {
        writeln!(out, "{}", style.faint(&line))?;
    }
    match result.ended {
        Ended::Complete => {}
        Ended::Interrupted => writeln!(out, "{}", style.warn("interrupted: these are the blocks until then"))?,
        Ended::Failed => writeln!(out, "{}", style.warn("it failed: these are the blocks until then"))?,
    }
    writeln!(out)
}

/// Answers to the arms: once if they are the same, otherwise by arm. With several URLs, doubts alone.
fn came(arms: &[ArmResult], style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Some((baseline, others)) = arms.split_first() else { return Ok(()) };
    answers(&baseline.answers, style, out)?;
    let is_again = |arm: &&ArmResult| !arm.roles.contains(&Role::BaselineAgain);
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

fn profiles(profiles: &[ArmProfile], style: Style, out: &mut dyn Write) -> io::Result<()> {
    for profile in profiles {
        let requests = grouped(profile.requests as f64, 0);
        let changed = match profile.functions_changed {
            Some(1) => ": 1 function told from no change".to_owned(),
            Some(changed) => format!(": {changed} functions told from no change"),
            None => String::new(),
        };
        let text = format!(
            "Profile of {}, {requests} requests: {}; {}{changed}",
            clean(&profile.arm),
            clean(&profile.file),
            clean(&profile.picture)
        );
        for line in fill(&text, usize::from(style.width), style) {
            writeln!(out, "{line}")?;
        }
    }
    if !profiles.is_empty() {
        writeln!(out)?;
    }
    Ok(())
}

fn how_long(result: &Prove, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let mut sentences: Vec<String> = unclear(result).map(|text| format!("{text}.")).into_iter().collect();
    if let Some(time) = result.time_for_one_percent {
        let metric = result.first_quantile().unwrap_or("latency");
        sentences.push(format!("To tell 1 % of {} it would take {} in all.", verdict::title(metric), lasting(time)));
    }
    if sentences.is_empty() {
        return Ok(());
    }
    paragraph(&sentences.join(" "), style, out)?;
    writeln!(out)
}

/// Unclear latencies and throughput, each metric once, with the remaining time to settle it in every arm.
fn unclear(result: &Prove) -> Option<String> {
    let mut unclear: Vec<(&str, Option<Duration>)> = Vec::new();
    let is_unclear =
        |one: &&Comparison| one.verdict == Change::Unclear && matches!(one.kind, Metric::Latency | Metric::Throughput);
    for comparison in result.comparisons.iter().filter(is_unclear) {
        let more = comparison.settled_after.map(|time| time.saturating_sub(result.setup.elapsed));
        match unclear.iter_mut().find(|(metric, _)| *metric == comparison.metric) {
            Some((_, longest)) => *longest = (*longest).max(more),
            None => unclear.push((&comparison.metric, more)),
        }
    }
    settling(unclear.into_iter().map(|(metric, more)| (title(metric), more)))
}

fn gates(gates: &[Gate], style: Style, out: &mut dyn Write) -> io::Result<()> {
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
