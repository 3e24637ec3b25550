//! A load: latency by percentile, and over time.

use super::draw::{GREY, MARGIN, Plot, WIDTH, legend, look, text};
use crate::load::{Load, Slice};
use crate::quantity::{Kind, grouped, short};
use crate::scale::Scale;

const LEFT: f64 = 90.0;
const HEIGHT: f64 = 280.0;
/// Shares that are marked, if the requests reach so far.
const PERCENTILES: [(f64, &str); 8] = [
    (0.0, "0"),
    (0.5, "50 %"),
    (0.9, "90 %"),
    (0.99, "99 %"),
    (0.999, "99.9 %"),
    (0.9999, "99.99 %"),
    (0.99999, "99.999 %"),
    (0.999999, "99.9999 %"),
];

/// Draws it, and returns how high it is.
pub(super) fn load(result: &Load, body: &mut String) -> f64 {
    let setup = &result.setup;
    let pace = setup.rate.map_or("closed loop".to_owned(), |rate| format!("{}/s", short(Kind::Count, rate)));
    let heading = format!("{}, {} requests, {pace}", setup.target, grouped(result.planned as f64, 0));
    text(MARGIN, MARGIN + 10.0, "start", "#000", &heading, body);
    let mut y = MARGIN + 20.0;
    if !result.unfit.is_empty() {
        text(MARGIN, y + 10.0, "start", look(1).0, "UNFIT: the generator was the bottleneck", body);
        y += 20.0;
    }
    if !result.distribution.is_empty() {
        y = percentiles(result, y, body);
    }
    if result.timeline.len() > 1 {
        y = timeline(&result.timeline, y, body);
    }
    y
}

/// As of HdrHistogram's plots: each nine takes as much room as the one before.
fn percentiles(result: &Load, y: f64, body: &mut String) -> f64 {
    text(MARGIN, y + 20.0, "start", GREY, "latency by percentile; bars are 95 % intervals", body);
    let odds = |share: f64| 1.0 / (1.0 - share).max(1e-9);
    let last_share =
        result.distribution.iter().map(|(_, share)| *share).filter(|share| *share < 1.0).fold(0.9, f64::max);
    let quantiles = result.latency.iter().flat_map(|latency| &latency.quantiles);
    let bars: Vec<(f64, f64, f64)> = quantiles
        .filter_map(|quantile| {
            let share = quantile.name.strip_prefix('p')?.parse::<f64>().ok()? / 100.0;
            let (low, high) = quantile.interval?;
            Some((share, low as f64, high as f64))
        })
        .collect();
    let last = bars.iter().map(|(share, _, _)| *share).fold(last_share, f64::max).min(0.999999);
    let end = odds(last) * 1.6;
    let highest = result.latency.as_ref().map_or(0.0, |latency| latency.max as f64);
    let latencies = result.distribution.iter().map(|(latency, _)| *latency as f64);
    let plot = Plot {
        left: LEFT,
        right: WIDTH - MARGIN,
        top: y + 36.0,
        bottom: y + 36.0 + HEIGHT,
        // Logarithmic however few nines there are.
        x: Scale::logarithmic(1.0, end),
        y: from_zero(latencies.chain([highest])),
    };
    plot.rows(body);
    for (share, label) in PERCENTILES {
        if odds(share) <= end {
            plot.column(odds(share), label, body);
        }
    }
    // The largest stands at the end.
    let points = result.distribution.iter().map(|(latency, share)| (odds(*share).min(end), *latency as f64));
    plot.line(points, look(0), body);
    for (share, low, high) in bars {
        let (x, low, high) = (plot.x(odds(share)), plot.y(low), plot.y(high));
        body.push_str(&format!(
            "<path d=\"M{x:.1} {low:.1}V{high:.1}M{l:.1} {low:.1}h8M{l:.1} {high:.1}h8\" stroke=\"#000\" stroke-width=\"1.5\"/>\n",
            l = x - 4.0
        ));
    }
    plot.bottom + 36.0
}

fn timeline(slices: &[Slice], y: f64, body: &mut String) -> f64 {
    text(MARGIN, y + 20.0, "start", GREY, "latency over time", body);
    let end = slices.last().map_or(1.0, |slice| slice.start.saturating_add(slice.length).as_nanos() as f64);
    let answered = || slices.iter().filter(|slice| slice.max > 0);
    let plot = Plot {
        left: LEFT,
        right: WIDTH - MARGIN,
        top: y + 36.0,
        bottom: y + 36.0 + HEIGHT,
        x: Scale::new(0.0, end),
        y: Scale::around(answered().flat_map(|slice| [slice.p50 as f64, slice.max as f64])),
    };
    plot.rows(body);
    plot.columns(body);
    let middle = |slice: &Slice| slice.start.saturating_add(slice.length / 2).as_nanos() as f64;
    let values: [fn(&Slice) -> u64; 3] = [|slice| slice.p50, |slice| slice.p99, |slice| slice.max];
    for (index, value) in values.into_iter().enumerate() {
        plot.line(answered().map(|slice| (middle(slice), value(slice) as f64)), look(index), body);
    }
    let mut names = vec!["p50", "p99", "max"];
    for slice in slices.iter().filter(|slice| slice.errors > 0) {
        body.push_str(&format!(
            "<path d=\"M{:.1} {:.1}v-10\" stroke=\"{}\" stroke-width=\"3\"/>\n",
            plot.x(middle(slice)),
            plot.bottom,
            look(names.len()).0
        ));
    }
    if slices.iter().any(|slice| slice.errors > 0) {
        names.push("requests failed");
    }
    let names: Vec<_> = names.iter().enumerate().map(|(index, name)| (*name, look(index))).collect();
    legend(&names, LEFT, plot.bottom + 44.0, body)
}

/// From zero, unless that leaves most values in a corner.
fn from_zero(values: impl Iterator<Item = f64>) -> Scale {
    let around = Scale::around(values);
    if around.is_log() { around } else { Scale::new(0.0, around.value(1.0)) }
}
