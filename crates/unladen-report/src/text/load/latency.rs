//! Latencies: quantiles with their intervals, and the shares answered within a time.

use std::io::{self, Write};
use std::time::Duration;

use unladen_quantity::{Kind, bucket_text, grouped, plain};

use crate::latency::{Latency, LatencyQuantile};
use crate::load::{ByConnection, Load};
use crate::style::Style;
use crate::text::bar::bar;
use crate::text::figure::{interval, share_text};
use crate::text::table::{Grid, strong};

/// Cells of the bar of all requests.
const BAR: usize = 40;
/// Minimum width for columns of the kinds of connections.
const KINDS_FROM: u16 = 80;
/// Minimum width for their full names.
const NAMES_FROM: u16 = 100;
/// Columns to the left of the bars.
const LABELS: usize = 34;

pub(super) fn latency(result: &Load, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Some(latency) = &result.latency else { return Ok(()) };
    let with_kinds = table(result, latency, style.width >= KINDS_FROM, style);
    let table = if with_kinds.fits(style) { with_kinds } else { table(result, latency, false, style) };
    table.write(style, out)
}

fn table(result: &Load, latency: &Latency, with_kinds: bool, style: Style) -> Grid {
    let title = if result.setup.rate.is_some() { "latency since planned" } else { "latency since sent" };
    // With one kind alone it would repeat the same figures.
    let kinds: Vec<(&str, &ByConnection)> = match (&result.new_connections, &result.reused_connections) {
        (Some(new), Some(reused)) if with_kinds => vec![("new", new), ("reused", reused)],
        _ => Vec::new(),
    };
    let mut headings = vec![title.to_owned(), String::new(), "95 % interval".to_owned()];
    headings.extend(kinds.iter().map(|(name, by)| {
        let requests = grouped(by.requests as f64, 0);
        let is_long = *name == "new" && style.width >= NAMES_FROM;
        let s = if by.requests == 1 { "" } else { "s" };
        if is_long { format!("{requests} {name} connection{s}") } else { format!("{requests} {name}") }
    }));
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let mut table = Grid::new(&headings).left_only(0);
    for quantile in &latency.quantiles {
        let mut row = vec![
            quantile.name.to_owned(),
            strong(&plain(Kind::Time, quantile.value as f64)),
            match quantile.interval {
                Some((low, high)) => interval(low as f64, high as f64),
                None if count(result) < quantile.needs && style.width < KINDS_FROM => {
                    format!("needs {} requests", grouped(quantile.needs as f64, 0))
                }
                None if count(result) < quantile.needs => {
                    format!("not carried: needs {} requests", grouped(quantile.needs as f64, 0))
                }
                None => "not carried: too short a time".to_owned(),
            },
        ];
        row.extend(
            kinds
                .iter()
                .map(|(_, by)| named(&by.latency, quantile.name).map_or(String::new(), |of| cell(of, by.requests))),
        );
        table.row(row);
    }
    let means =
        |latency: &Latency| [latency.mean, latency.max as f64, latency.sd].map(|value| plain(Kind::Time, value));
    let rows = ["mean", "max seen", "spread (sd)"].into_iter().zip(means(latency));
    for (index, (name, value)) in rows.enumerate() {
        let mean = latency.mean_interval.filter(|_| index == 0);
        let mut row = vec![name.to_owned(), value, mean.map(|(low, high)| interval(low, high)).unwrap_or_default()];
        row.extend(kinds.iter().map(|(_, by)| means(&by.latency)[index].clone()));
        table.row(row);
    }
    table
}

pub(super) fn named<'a>(latency: &'a Latency, name: &str) -> Option<&'a LatencyQuantile> {
    latency.quantiles.iter().find(|quantile| quantile.name == name)
}

fn count(result: &Load) -> u64 {
    result.requests + result.cut_short
}

/// A quantile without its interval; omitted if so many requests, or the time in which they were sent, cannot support
/// it.
pub(super) fn cell(quantile: &LatencyQuantile, requests: u64) -> String {
    match quantile.interval {
        Some(_) => plain(Kind::Time, quantile.value as f64),
        None if requests >= quantile.needs => "·".to_owned(),
        None => format!("needs {}", grouped(quantile.needs as f64, 0)),
    }
}

pub(super) fn within(result: &Load, style: Style, out: &mut dyn Write) -> io::Result<()> {
    if result.within.is_empty() {
        return Ok(());
    }
    let mut table = Grid::new(&["answered within", "of all planned", ""]).left(2);
    let cells = usize::from(style.width).saturating_sub(LABELS).min(BAR);
    // Once all were answered, longer times add nothing.
    let told = result.within.iter().position(|(_, share)| *share >= 1.0).map_or(result.within.len(), |all| all + 1);
    let told = &result.within[..told];
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
