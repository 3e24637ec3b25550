//! Each change alone, all but it, and all up to it, with cold and warm side by side. In a design of single changes, the
//! effect of each.

use std::io::{self, Write};

use super::verdict::{change, margin, title, value};
use unladen_lockin::Role;

use crate::prove::{ArmResult, Change, Comparison, Prove};
use crate::style::Style;
use crate::text::prose::fill;
use crate::text::table::{Grid, strong};

/// Shown if there is no measurable difference.
const EQUAL: &str = "·";
/// Shown if it is unclear.
const UNDECIDED: &str = "?";
/// Minimum width for cold and warm side by side.
const SIDE_BY_SIDE_FROM: u16 = 100;

pub(super) fn ablation(result: &Prove, style: Style, out: &mut dyn Write) -> io::Result<()> {
    if !result.has(|role| matches!(role, Role::Without(_) | Role::All)) {
        return each(result, style, out);
    }
    let mut signs = Signs::default();
    for warm in result.first_quantile().into_iter().chain(["latency.mean"]) {
        let cold = format!("cold.{warm}");
        let has = |metric: &str| result.comparisons.iter().any(|comparison| comparison.metric == metric);
        let metrics: Vec<&str> = [cold.as_str(), warm].into_iter().filter(|metric| has(metric)).collect();
        if style.width >= SIDE_BY_SIDE_FROM {
            signs.add(table(result, &metrics, style, out)?);
        } else {
            for metric in metrics {
                signs.add(table(result, &[metric], style, out)?);
            }
        }
    }
    let equal = signs.equal.map_or(String::new(), |within| format!("; {EQUAL} no measurable difference{within}"));
    let undecided = if signs.undecided { format!("; {UNDECIDED} unclear") } else { String::new() };
    let note = format!("all but it: the others on; up to it: it and those above it on{equal}{undecided}");
    for line in fill(&note, usize::from(style.width), style) {
        writeln!(out, "{}", style.faint(&line))?;
    }
    writeln!(out)
}

/// Effects of each change, if no two changes are ever on together.
fn each(result: &Prove, style: Style, out: &mut dyn Write) -> io::Result<()> {
    for metric in result.first_quantile().into_iter().chain(["latency.mean", "throughput"]) {
        let of_metric = || result.comparisons.iter().filter(|comparison| comparison.metric == metric);
        let Some(any) = of_metric().next() else { continue };
        let name = title(metric);
        let mut grid = Grid::new(&[&name, "", "change"]).left_only(0);
        grid.row(vec!["baseline".to_owned(), value(any, any.baseline), String::new()]);
        let is_alone = |arm: &&ArmResult| arm.roles.iter().any(|role| matches!(role, Role::Alone(_)));
        for arm in result.arms.iter().filter(is_alone) {
            let Some(comparison) = of_metric().find(|comparison| comparison.arm == arm.name) else { continue };
            let gain = match (comparison.verdict, comparison.ratio) {
                (Change::Equal, _) => format!("no measurable difference{}", margin(comparison)),
                (Change::Unclear, Some(ratio)) => format!("unclear, {}", change(ratio)),
                (Change::Unclear, None) => "unclear".to_owned(),
                (_, Some(ratio)) => strong(&change(ratio)),
                (_, None) => String::new(),
            };
            grid.row(vec![arm.name.clone(), value(comparison, comparison.candidate), gain]);
        }
        grid.write(style, out)?;
    }
    Ok(())
}

/// Returns the signs used in place of figures.
fn table(result: &Prove, metrics: &[&str], style: Style, out: &mut dyn Write) -> io::Result<Signs> {
    let Some(first) = metrics.first() else { return Ok(Signs::default()) };
    let name = match metrics {
        [only] => title(only),
        _ => title(metrics[metrics.len() - 1]),
    };
    let mut headings = vec![name];
    for metric in metrics {
        let alone = match (metrics.len(), metric.starts_with("cold.")) {
            (1, _) => "alone",
            (_, true) => "cold, alone",
            (_, false) => "warm, alone",
        };
        headings.extend([alone, "all but it", "up to it"].map(str::to_owned));
    }
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let mut grid = Grid::new(&headings).left_only(0);
    let at = |role: Role, metric: &str| -> Option<&Comparison> {
        let arm = result.arms.iter().find(|arm| arm.roles.contains(&role))?;
        result.of_arm(&arm.name).find(|comparison| comparison.metric == metric)
    };
    let any = |metric: &str| result.comparisons.iter().find(|comparison| comparison.metric == metric);
    let mut row = vec!["baseline".to_owned()];
    for metric in metrics {
        let baseline = any(metric).map_or(String::new(), |comparison| value(comparison, comparison.baseline));
        row.extend([String::new(), String::new(), baseline]);
    }
    grid.row(row);
    let mut signs = Signs::default();
    let mut gain = |comparison: Option<&Comparison>| match comparison {
        Some(comparison) if comparison.verdict == Change::Equal => {
            signs.equal = Some(margin(comparison));
            EQUAL.to_owned()
        }
        Some(comparison) if comparison.verdict == Change::Unclear => {
            signs.undecided = true;
            UNDECIDED.to_owned()
        }
        Some(comparison) => comparison.ratio.map_or(String::new(), |ratio| strong(&change(ratio))),
        None => String::new(),
    };
    let so_far = |comparison: Option<&Comparison>| {
        comparison.map_or(String::new(), |comparison| value(comparison, comparison.candidate))
    };
    let all = result.arms.iter().find(|arm| arm.roles.contains(&Role::All));
    let alone = |knob| result.arms.iter().find(|arm| arm.roles.contains(&Role::Alone(knob)));
    let knobs = (0..).map_while(|knob| Some((knob, name_of(alone(knob), all, knob)?)));
    for (knob, name) in knobs {
        let mut row = vec![name];
        for metric in metrics {
            // Up to the first change is that change alone.
            let first = at(Role::Alone(0), metric).filter(|_| knob == 0);
            row.extend([
                gain(at(Role::Alone(knob), metric)),
                gain(at(Role::Without(knob), metric)),
                so_far(at(Role::UpTo(knob), metric).or(first)),
            ]);
        }
        grid.row(row);
    }
    if at(Role::All, first).is_some() {
        let mut row = vec!["all together".to_owned()];
        for metric in metrics {
            let all = at(Role::All, metric);
            row.extend([gain(all), String::new(), so_far(all)]);
        }
        grid.row(row);
    }
    grid.write(style, out)?;
    Ok(signs)
}

/// Signs of a table, explained below it.
#[derive(Debug, Default, Clone)]
struct Signs {
    /// With the margin.
    equal: Option<String>,
    undecided: bool,
}

impl Signs {
    fn add(&mut self, other: Self) {
        self.equal = other.equal.or(self.equal.take());
        self.undecided |= other.undecided;
    }
}

/// A knob's name; `None` if there is no such knob.
fn name_of(alone: Option<&ArmResult>, all: Option<&ArmResult>, knob: usize) -> Option<String> {
    let named = alone.and_then(|arm| arm.on.first().or(Some(&arm.name)));
    named.or_else(|| all.and_then(|arm| arm.on.get(knob))).cloned()
}
