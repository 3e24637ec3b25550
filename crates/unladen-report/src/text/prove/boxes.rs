//! Box plots of all arms on one scale.

use std::io::{self, Write};

use unladen_document::BoxPlot;
use unladen_quantity::{Kind, Scale};

use crate::prove::{ArmResult, Prove};
use crate::style::Style;
use crate::text::bar::{axis, box_plot};
use crate::text::prose::{aside, clean};

/// Wider plots show no more.
const WIDEST: usize = 76;
/// Longer names are cut.
const LONGEST_NAME: usize = 24;

pub(super) fn boxes(result: &Prove, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let has_cold = result.arms.iter().any(|arm| arm.cold.is_some());
    if has_cold {
        panel("cold requests", &result.arms, |arm| arm.cold, style, out)?;
    }
    panel(if has_cold { "warm requests" } else { "latency" }, &result.arms, |arm| arm.box_plot, style, out)
}

fn panel(
    heading: &str,
    arms: &[ArmResult],
    plot: impl Fn(&ArmResult) -> Option<BoxPlot>,
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
