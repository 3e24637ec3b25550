//! Latencies of a load: quantiles with their intervals, the shares answered within a time, the distribution, the course
//! over time, and those of its parts.

use std::io::{self, Write};
use std::time::Duration;

use unladen_document::{ByConnection, ByRequest, LoadDocument, Slice, Step};
use unladen_quantity::{Kind, Scale, bucket, bucket_text, grouped, lasting, plain};

use crate::latency::{Latency, LatencyQuantile};
use crate::style::Style;
use crate::text::figure::{axis, bar, columns, interval, share_text, sparkline};
use crate::text::table::{Grid, strong, warn};

/// Cells of the bar of all requests.
const BAR: usize = 40;
/// Minimum width for columns of the kinds of connections.
const KINDS_FROM: u16 = 80;
/// Minimum width for their full names.
const NAMES_FROM: u16 = 100;
/// Columns to the left of the bars.
const LABELS: usize = 34;
/// Rows of the distribution.
const ROWS: usize = 3;
/// Wider pictures show no more.
const WIDEST: usize = 76;
/// Share left out of the picture at either end.
const TAIL: f64 = 0.005;
/// Columns beside the course over time.
const BESIDE: usize = 22;
/// Quantiles of parts that fit.
const SHOWN: [&str; 3] = ["p50", "p95", "p99"];

/// Rows of the first screen.
const ON_SCREEN: [&str; 5] = ["p50", "p90", "p95", "p99", "max seen"];

pub(super) fn latency(result: &LoadDocument, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Some(latency) = Latency::of(&result.latency_ns, &result.latency_intervals_ns) else { return Ok(()) };
    let with_kinds = table(result, &latency, style.width >= KINDS_FROM, style);
    let table = if with_kinds.fits(style) { with_kinds } else { table(result, &latency, false, style) };
    table.write(style, out)
}

fn table(result: &LoadDocument, latency: &Latency, with_kinds: bool, style: Style) -> Grid {
    let title = if result.rate.is_some() { "latency since planned" } else { "latency since sent" };
    let of = |by: &Option<ByConnection>| {
        let by = by.as_ref()?;
        Some((by.requests, Latency::of(&by.latency_ns, &by.latency_intervals_ns)?))
    };
    // With one kind alone it would repeat the same figures.
    let kinds = match (of(&result.new_connections), of(&result.reused_connections)) {
        (Some(new), Some(reused)) if with_kinds => vec![("new", new), ("reused", reused)],
        _ => Vec::new(),
    };
    let mut headings = vec![title.to_owned(), String::new(), "95 % interval".to_owned()];
    headings.extend(kinds.iter().map(|(name, (requests, _))| {
        let is_long = *name == "new" && style.width >= NAMES_FROM;
        let s = if *requests == 1 { "" } else { "s" };
        let requests = grouped(*requests as f64, 0);
        if is_long { format!("{requests} {name} connection{s}") } else { format!("{requests} {name}") }
    }));
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let mut table = Grid::new(&headings).left_only(0);
    let count = result.requests.saturating_add(result.cut_short);
    let is_shown = |name: &str| style.details || ON_SCREEN.contains(&name);
    for quantile in latency.quantiles.iter().filter(|quantile| is_shown(quantile.name)) {
        let mut row = vec![
            quantile.name.to_owned(),
            strong(&plain(Kind::Time, quantile.value as f64)),
            match quantile.interval {
                Some(ends) => interval(ends),
                None if count < quantile.needs && style.width < KINDS_FROM => {
                    format!("needs {} requests", grouped(quantile.needs as f64, 0))
                }
                None if count < quantile.needs => {
                    format!("too few requests: needs {}", grouped(quantile.needs as f64, 0))
                }
                None => "too short a time".to_owned(),
            },
        ];
        row.extend(kinds.iter().map(|(_, (requests, of))| cell(of.quantile(quantile.name), *requests)));
        table.row(row);
    }
    let means =
        |latency: &Latency| [latency.mean, latency.max as f64, latency.sd].map(|value| plain(Kind::Time, value));
    let rows = ["mean", "max seen", "spread (sd)"].into_iter().zip(means(latency));
    for (index, (name, value)) in rows.enumerate().filter(|(_, (name, _))| is_shown(name)) {
        let mean = latency.mean_interval.filter(|_| index == 0);
        let mut row = vec![name.to_owned(), value, mean.map(interval).unwrap_or_default()];
        row.extend(kinds.iter().map(|(_, (_, of))| means(of)[index].clone()));
        table.row(row);
    }
    table
}

/// A quantile without its interval; omitted if so many requests, or the time in which they were sent, cannot support
/// it.
fn cell(quantile: Option<&LatencyQuantile>, requests: u64) -> String {
    match quantile {
        None => String::new(),
        Some(LatencyQuantile { interval: Some(_), value, .. }) => plain(Kind::Time, *value as f64),
        Some(LatencyQuantile { needs, .. }) if requests >= *needs => "·".to_owned(),
        Some(LatencyQuantile { needs, .. }) => format!("needs {}", grouped(*needs as f64, 0)),
    }
}

pub(super) fn within(result: &LoadDocument, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let bounds: Vec<(Duration, f64)> =
        result.within.iter().filter_map(|(bound, share)| Some((bucket(bound)?, *share))).collect();
    if bounds.is_empty() {
        return Ok(());
    }
    let mut table = Grid::new(&["answered within", "of all planned", ""]).left(2);
    let cells = usize::from(style.width).saturating_sub(LABELS).min(BAR);
    // Once all were answered, longer times add nothing.
    let told = bounds.iter().position(|(_, share)| *share >= 1.0).map_or(bounds.len(), |all| all + 1);
    let told = &bounds[..told];
    for (place, (bound, share)) in told.iter().enumerate() {
        // Nor does a time within which no more were answered than within the one before, or as few as within the next.
        let same = |other: Option<&(Duration, f64)>| other.is_some_and(|(_, other)| other == share);
        let before = place.checked_sub(1).and_then(|before| told.get(before));
        let tells_nothing = if *share > 0.0 { same(before) } else { same(told.get(place + 1)) };
        if tells_nothing {
            continue;
        }
        table.row([bucket_text(*bound), share_text(*share), bar(*share, 1.0, cells)]);
    }
    table.write(style, out)
}

pub(super) fn steps(steps: &[Step], style: Style, out: &mut dyn Write) -> io::Result<()> {
    if steps.is_empty() {
        return Ok(());
    }
    let mut table = grid("step");
    for step in steps {
        let name = format!("{}, {}", step.rate_text(" to "), lasting(Duration::from_nanos(step.time_ns)));
        let latency = Latency::of(&step.latency_ns, &step.latency_intervals_ns);
        table.row(row(name, step.requests, step.errors, latency.as_ref()));
    }
    table.write(style, out)
}

pub(super) fn requests(requests: &[ByRequest], style: Style, out: &mut dyn Write) -> io::Result<()> {
    if requests.is_empty() {
        return Ok(());
    }
    let mut table = grid("request");
    for by in requests {
        let latency = Latency::of(&by.latency_ns, &by.latency_intervals_ns);
        table.row(row(by.name.clone(), by.requests, by.errors, latency.as_ref()));
    }
    table.write(style, out)
}

fn grid(first: &str) -> Grid {
    let mut headings = vec![first, "answered", "failed"];
    headings.extend(SHOWN);
    headings.push("mean");
    Grid::new(&headings).expendable(&[6, 4])
}

fn row(name: String, requests: u64, errors: u64, latency: Option<&Latency>) -> Vec<String> {
    let failed = grouped(errors as f64, 0);
    let mut row = vec![name, grouped(requests as f64, 0), if errors > 0 { warn(&failed) } else { failed }];
    row.extend(SHOWN.map(|name| cell(latency.and_then(|latency| latency.quantile(name)), requests)));
    row.push(latency.map_or(String::new(), |latency| plain(Kind::Time, latency.mean)));
    row
}

pub(super) fn distribution(result: &LoadDocument, style: Style, out: &mut dyn Write) -> io::Result<()> {
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

pub(super) fn timeline(result: &LoadDocument, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let cells = usize::from(style.width).saturating_sub(BESIDE).clamp(10, WIDEST);
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
