//! Designs of several knobs. Of an ablation each change alone, all but it, and all up to it, with cold and warm side by
//! side; of single changes, the effect of each; of a factorial design every combination, each knob's effect over all of
//! them, and how far pairs fail to multiply.

use std::io::{self, Write};

use unladen_document::{Arm, Change, Comparison, Interaction, ProveDocument};

use super::differences::BRIEF_BELOW;
use super::verdict::{amount, change, margin, title, value, verdict};
use crate::style::Style;
use crate::text::figure::equal;
use crate::text::prose::{aside, paragraph};
use crate::text::table::{Grid, faint, strong};

/// Shown if there is no measurable difference.
const EQUAL: &str = "·";
/// Shown if it is unclear.
const UNDECIDED: &str = "?";
/// Minimum width for cold and warm side by side.
const SIDE_BY_SIDE_FROM: u16 = 100;

pub(super) fn ablation(result: &ProveDocument, style: Style, out: &mut dyn Write) -> io::Result<()> {
    if !result.has("all but one") && !result.has("all") {
        return each(result, style, out);
    }
    let mut signs = Signs::default();
    let mean = style.details.then_some("latency.mean");
    for warm in result.first_quantile().into_iter().chain(mean) {
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
    let note = format!("all but it: only the others on; up to it: it and those above it on{equal}{undecided}");
    aside(&note, style, out)?;
    writeln!(out)
}

/// Effects of each change, if no two changes are ever on together.
fn each(result: &ProveDocument, style: Style, out: &mut dyn Write) -> io::Result<()> {
    for metric in result.first_quantile().into_iter().chain(["latency.mean", "throughput"]) {
        let of_metric = || result.comparisons.iter().filter(|comparison| comparison.metric == metric);
        let Some(any) = of_metric().next() else { continue };
        let name = title(metric);
        let mut grid = Grid::new(&[&name, "", "change"]).left_only(0);
        grid.row(vec!["baseline".to_owned(), value(any, any.baseline), String::new()]);
        for arm in result.arms.iter().filter(|arm| arm.has("alone")) {
            let Some(comparison) = of_metric().find(|comparison| comparison.arm == arm.name) else { continue };
            let gain = match (comparison.change(), comparison.ratio_span()) {
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
fn table(result: &ProveDocument, metrics: &[&str], style: Style, out: &mut dyn Write) -> io::Result<Signs> {
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
    let at = |arm: Option<&Arm>, metric: &str| -> Option<&Comparison> {
        result.of_arm(&arm?.name).find(|comparison| comparison.metric == metric)
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
        Some(comparison) if comparison.change() == Change::Equal => {
            signs.equal = Some(margin(comparison));
            EQUAL.to_owned()
        }
        Some(comparison) if comparison.change() == Change::Unclear => {
            signs.undecided = true;
            UNDECIDED.to_owned()
        }
        Some(comparison) => comparison.ratio_span().map_or(String::new(), |ratio| strong(&change(ratio))),
        None => String::new(),
    };
    let so_far = |comparison: Option<&Comparison>| {
        comparison.map_or(String::new(), |comparison| value(comparison, comparison.candidate))
    };
    let with = |is_it: &dyn Fn(&Arm) -> bool| result.arms.iter().find(|arm| is_it(arm));
    for (knob, name) in result.knobs().into_iter().enumerate() {
        let alone = with(&|arm| arm.has("alone") && arm.on.first().is_some_and(|on| on == name));
        let without = with(&|arm| arm.has("all but one") && arm.on.iter().all(|on| on != name));
        // Up to the first change is that change alone.
        let up_to = with(&|arm| arm.has("cumulative") && arm.on.len() == knob + 1).or(alone.filter(|_| knob == 0));
        let mut row = vec![name.to_owned()];
        for metric in metrics {
            row.extend([gain(at(alone, metric)), gain(at(without, metric)), so_far(at(up_to, metric))]);
        }
        grid.row(row);
    }
    let all = with(&|arm| arm.has("all"));
    if at(all, first).is_some() {
        let mut row = vec!["all together".to_owned()];
        for metric in metrics {
            let all = at(all, metric);
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

/// What changes do together but not alone.
pub(super) fn interactions(result: &ProveDocument, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let mut is_empty = true;
    for interaction in &result.interactions {
        if interaction.kind == Interaction::ALL_AGAINST_ALONE {
            is_empty = false;
            paragraph(&sentence(interaction), style, out)?;
        }
    }
    if is_empty { Ok(()) } else { writeln!(out) }
}

/// `p50: the gains alone multiply to 86.0 % less (…), all together come to 63.8 % less (…): they overlap.`
fn sentence(interaction: &Interaction) -> String {
    let metric = title(&interaction.metric);
    let together = amount(interaction.ratio_span());
    let Some(expected) = interaction.expected else {
        return format!("{metric}: all together give {together}.");
    };
    let word = match (interaction.told, interaction.is_equal()) {
        (false, true) => "no measurable interaction",
        (false, false) => "whether they interact is unclear",
        (true, _) if interaction.ratio > expected.value => "they overlap",
        (true, _) => "they reinforce each other",
    };
    let alone = amount(expected);
    format!("{metric}: the single changes multiply to {alone}; all together give {together}: {word}.")
}

pub(super) fn factorial(result: &ProveDocument, style: Style, out: &mut dyn Write) -> io::Result<()> {
    combinations(result, style, out)?;
    let mut metrics: Vec<&str> = Vec::new();
    for interaction in &result.interactions {
        if !metrics.contains(&interaction.metric.as_str()) {
            metrics.push(&interaction.metric);
        }
    }
    for metric in metrics {
        let of = |kind| result.interactions.iter().filter(move |i| i.metric == metric && i.kind == kind);
        let heading = format!("{}: each, over all others", title(metric));
        effects(of(Interaction::MAIN_EFFECT), &heading, "effect (95 %)", style, out)?;
        let heading = format!("{}: two together", title(metric));
        effects(of(Interaction::PAIR), &heading, "beyond their product (95 %)", style, out)?;
    }
    Ok(())
}

fn combinations(result: &ProveDocument, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Some(metric) = result.first_quantile() else { return Ok(()) };
    let heading = title(metric);
    let mut table = Grid::new(&["knobs on", &heading, "verdict, 95 % interval"]).left(2).expendable(&[1]);
    for arm in result.arms.iter().filter(|arm| !arm.has("baseline")) {
        let Some(comparison) = result.of_arm(&arm.name).find(|comparison| comparison.metric == metric) else {
            continue;
        };
        table.row([
            arm.name.clone(),
            value(comparison, comparison.candidate),
            verdict(comparison, style.width < BRIEF_BELOW),
        ]);
    }
    table.write(style, out)
}

fn effects<'a>(
    interactions: impl Iterator<Item = &'a Interaction>,
    heading: &str,
    what: &str,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut table = Grid::new(&[heading, what]);
    let mut is_empty = true;
    for interaction in interactions {
        is_empty = false;
        let change = interaction.ratio_span().change_text();
        let change = match (interaction.told, interaction.is_equal()) {
            (true, _) => strong(&change),
            (false, true) => faint(&untold(&equal(), &change, style)),
            (false, false) => untold("unclear", &change, style),
        };
        table.row([interaction.knobs.join(" × "), change]);
    }
    if is_empty { Ok(()) } else { table.write(style, out) }
}

fn untold(words: &str, change: &str, style: Style) -> String {
    if style.width < BRIEF_BELOW { words.to_owned() } else { format!("{words}, {change}") }
}
