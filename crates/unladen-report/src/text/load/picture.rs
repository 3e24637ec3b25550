//! The distribution, and the course over time.

use std::io::{self, Write};
use std::time::Duration;

use unladen_document::Slice;
use unladen_quantity::{Kind, Scale, lasting, plain};

use crate::load::Load;
use crate::style::Style;
use crate::text::bar::{axis, columns, sparkline};

const ROWS: usize = 3;
/// Wider pictures show no more.
const WIDEST: usize = 76;
/// Share left out of the picture at either end.
const TAIL: f64 = 0.005;
/// Columns beside the course over time.
const LABELS: usize = 22;

pub(super) fn distribution(result: &Load, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let points = &result.distribution;
    let (Some(low), Some(high)) = (quantile(points, TAIL), quantile(points, 1.0 - TAIL)) else { return Ok(()) };
    if low >= high {
        return Ok(());
    }
    let cells = usize::from(style.width).saturating_sub(2).clamp(20, WIDEST);
    let scale = Scale::new(low as f64 * 0.98, high as f64 * 1.02);
    let edge = |cell: usize| share_at(points, scale.value(cell as f64 / cells as f64));
    let shares: Vec<f64> = (0..cells).map(|cell| (edge(cell + 1) - edge(cell)).max(0.0)).collect();
    let note = if scale.is_log() { ", logarithmic" } else { "" };
    writeln!(out, "{}", style.heading(&format!("distribution of latency (99 % of it{note})")))?;
    for row in columns(&shares, ROWS) {
        writeln!(out, "{row}")?;
    }
    writeln!(out, "{}\n", style.faint(&axis(&scale, Kind::Time, cells)))
}

pub(super) fn timeline(result: &Load, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let cells = usize::from(style.width).saturating_sub(LABELS).clamp(10, WIDEST);
    let slices = &result.timeline;
    if slices.len() < 2 {
        return Ok(());
    }
    let times = (cells / slices.len()).max(1);
    let at_once = slices.len().div_ceil(cells);
    let row = |value: &dyn Fn(&[Slice]) -> Option<f64>| -> Vec<Option<f64>> {
        slices.chunks(at_once).flat_map(|slices| std::iter::repeat_n(value(slices), times)).collect()
    };
    let answered = |slices: &[Slice]| slices.iter().any(|slice| slice.planned > 0 && slice.max > 0);
    let p50 = row(&|slices| answered(slices).then(|| middle(slices)));
    let max = row(&|slices| answered(slices).then(|| slices.iter().map(|slice| slice.max as f64).fold(0.0, f64::max)));
    let errors = row(&|slices| {
        let errors: f64 = slices.iter().map(|slice| slice.errors as f64).sum();
        (errors > 0.0).then_some(errors)
    });
    let most = |values: &[Option<f64>]| values.iter().flatten().copied().fold(0.0, f64::max);
    let time = slices.last().map(|slice| slice.start_ns.saturating_add(slice.length_ns)).unwrap_or_default();
    writeln!(out, "{}", style.heading(&format!("over {}", lasting(Duration::from_nanos(time)))))?;
    writeln!(out, "p50     {}  to {}", sparkline(&p50), plain(Kind::Time, most(&p50)))?;
    writeln!(out, "max     {}  to {}", sparkline(&max), plain(Kind::Time, most(&max)))?;
    if most(&errors) > 0.0 {
        let line = format!("errors  {}  to {}", sparkline(&errors), plain(Kind::Count, most(&errors)));
        writeln!(out, "{}", style.warn(&line))?;
    }
    writeln!(out)
}

/// Medians do not add up; weighted by their requests they are close enough for a picture.
fn middle(slices: &[Slice]) -> f64 {
    let planned: f64 = slices.iter().map(|slice| slice.planned as f64).sum();
    let sum: f64 = slices.iter().map(|slice| slice.p50 as f64 * slice.planned as f64).sum();
    sum / planned.max(1.0)
}

/// The latency that this share of the requests does not exceed.
fn quantile(points: &[(u64, f64)], share: f64) -> Option<u64> {
    points.iter().find(|(_, at_or_below)| *at_or_below >= share).or(points.last()).map(|(latency, _)| *latency)
}

/// Share at or below a latency, interpolated linearly.
fn share_at(points: &[(u64, f64)], latency: f64) -> f64 {
    let after = points.partition_point(|(value, _)| *value as f64 <= latency);
    let (below, above) = (after.checked_sub(1).and_then(|i| points.get(i)), points.get(after));
    match (below, above) {
        (Some((x0, y0)), Some((x1, y1))) => {
            let part = (latency - *x0 as f64) / (*x1 as f64 - *x0 as f64).max(1.0);
            y0 + (y1 - y0) * part
        }
        (Some((_, share)), None) => *share,
        (None, _) => 0.0,
    }
}
