//! The result of `unladen prove`: the verdicts, then other changes, then the distributions.

use std::io::{self, Write};
use std::time::Duration;

use unladen_document::{Arm, ArmProfile, BoxPlot, ProveDocument};
use unladen_quantity::{Kind, Scale, grouped, lasting, plain, short};

use super::agents::agents;
use super::figure::{axis, box_plot};
use super::gates::gates;
use super::prose::{aside, clean, cookies, cut_short, files_unseen, paragraph, sentence, warnings};
use crate::style::Style;

mod counted;
mod designs;
mod differences;
mod parts;
mod screen;
mod verdict;

use parts::came;
pub(crate) use verdict::title;

/// Wider box plots show no more.
const WIDEST: usize = 76;
/// Longer names of arms are cut.
const LONGEST_NAME: usize = 24;

pub(super) fn prove(result: &ProveDocument, style: Style, out: &mut dyn Write) -> io::Result<()> {
    if !style.details {
        return screen::screen(result, style, out);
    }
    head(result, style, out)?;
    agents(&result.agents, style, out)?;
    if result.has("alone") {
        designs::ablation(result, style, out)?;
    }
    if result.has("combination") {
        designs::factorial(result, style, out)?;
    }
    designs::interactions(result, style, out)?;
    if let Some(arm) = result.changed_arm() {
        counted::counted(result, arm, style, out)?;
        differences::differences(result, arm, style, out)?;
        differences::weights(result, arm, style, out)?;
    }
    boxes(&result.arms, style, out)?;
    how_long(result, style, out)?;
    profiles(&result.profiles, style, out)?;
    gates(&result.gates, style, out)?;
    result.put_back.iter().try_for_each(|line| aside(line, style, out))?;
    if !result.put_back.is_empty() {
        writeln!(out)?;
    }
    files_unseen(style, out)?;
    warnings(&result.warnings, style, out)
}

fn head(result: &ProveDocument, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let s = |n: u64| if n == 1 { "" } else { "s" };
    let pace = match result.rate {
        Some(rate) => format!("{}/s, at most {} at once", short(Kind::Count, rate), result.concurrency),
        None => format!("closed loop, always {} at once", result.concurrency),
    };
    let lag = result.send_lag_p99_ns.map(|p99| format!("; 99 % sent at most {} late", plain(Kind::Time, p99 as f64)));
    let restarts = match result.restarts {
        0 | 1 => String::new(),
        restarts => format!(", {restarts} restarts"),
    };
    let line = format!(
        "{}: {} requests in {} arms, {} block{}{}, phases of {}, {} in total; {pace}{}{}; intervals over {}; seed {}",
        result.target,
        grouped(result.arms.iter().map(|arm| arm.requests as f64).sum(), 0),
        result.arms.len(),
        result.blocks,
        s(result.blocks),
        restarts,
        short(Kind::Time, result.phase_ns as f64),
        lasting(Duration::from_nanos(result.elapsed_ns)),
        cookies(result.keep_cookies),
        lag.unwrap_or_default(),
        result.resampled,
        result.about.seed.unwrap_or_default(),
    );
    writeln!(out, "{}", style.heading(&clean(&result.title)))?;
    came(&result.arms, style, out)?;
    aside(&line, style, out)?;
    cut_short(&result.ended, "it failed", "blocks", style, out)?;
    writeln!(out)
}

/// Box plots of all arms on one scale.
fn boxes(arms: &[Arm], style: Style, out: &mut dyn Write) -> io::Result<()> {
    let has_cold = arms.iter().any(|arm| arm.cold_box_plot_ns.is_some());
    if has_cold {
        panel("cold requests", arms, |arm| arm.cold_box_plot_ns, style, out)?;
    }
    panel(if has_cold { "warm requests" } else { "latency" }, arms, |arm| arm.box_plot_ns, style, out)
}

fn panel(
    heading: &str,
    arms: &[Arm],
    plot: impl Fn(&Arm) -> Option<BoxPlot>,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let rows: Vec<(String, BoxPlot)> =
        arms.iter().filter_map(|arm| Some((cut(&arm.name, style), plot(arm)?))).collect();
    if rows.is_empty() {
        return Ok(());
    }
    let name = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let cells = usize::from(style.width).saturating_sub(name + 4).clamp(20, WIDEST);
    let scale = Scale::around(rows.iter().flat_map(|(_, plot)| [plot.p5 as f64, plot.p95 as f64]));
    let note = if scale.is_log() { ", logarithmic" } else { "" };
    let legend = format!("p5 ├─▒█▒─┤ p95, the box from p25 to p75{note}");
    let line = format!("{heading}  {legend}");
    if line.chars().count() <= usize::from(style.width) {
        writeln!(out, "{}  {}", style.heading(heading), style.faint(&legend))?;
    } else {
        writeln!(out, "{}", style.heading(heading))?;
        aside(&legend, style, out)?;
    }
    for (arm, plot) in &rows {
        writeln!(out, "{arm:name$}  {}", box_plot(plot, &scale, cells))?;
    }
    writeln!(out, "{:name$}  {}\n", "", style.faint(&axis(&scale, Kind::Time, cells)))
}

fn cut(name: &str, style: Style) -> String {
    let name = style.text(&clean(name)).into_owned();
    if name.chars().count() <= LONGEST_NAME {
        return name;
    }
    style.text(&name.chars().take(LONGEST_NAME - 3).chain(['…']).collect::<String>()).into_owned()
}

fn profiles(profiles: &[ArmProfile], style: Style, out: &mut dyn Write) -> io::Result<()> {
    for profile in profiles {
        let requests = grouped(profile.requests as f64, 0);
        let changed = match profile.functions_changed {
            Some(1) => ": 1 function certainly changed".to_owned(),
            Some(changed) => format!(": {changed} functions certainly changed"),
            None => String::new(),
        };
        let ArmProfile { arm, file, picture, .. } = profile;
        paragraph(&format!("Profile of {arm}, {requests} requests: {file}; {picture}{changed}"), style, out)?;
    }
    if !profiles.is_empty() {
        writeln!(out)?;
    }
    Ok(())
}

fn how_long(result: &ProveDocument, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let mut sentences: Vec<String> =
        result.unclear_text(title, |_| true).map(|text| format!("{text}.")).into_iter().collect();
    if let Some(ns) = result.time_for_one_percent_ns {
        let metric = result.first_quantile().unwrap_or("latency");
        sentences.push(format!(
            "To detect a difference of 1 % of {}, the run would need {} in total.",
            title(metric),
            lasting(Duration::from_nanos(ns))
        ));
    }
    if sentences.is_empty() {
        return Ok(());
    }
    sentence(&sentences.join(" "), style, out)
}
