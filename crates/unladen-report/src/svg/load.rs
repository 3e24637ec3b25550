//! A load: latency by percentile; latency and rate over time, with the steps of the schedule and failures.

use unladen_document::{LoadDocument, Slice, Step, statuses_text};
use unladen_quantity::{Area, Kind, PERCENTILES, Scale, grouped, interval_path, odds, short};

use super::draw::{GREY, LINE, MARGIN, WIDTH, column, columns, legend, line, lines, look, rows, text};
use crate::latency::Latency;

const LEFT: f64 = 76.0;
const HEIGHT: f64 = 240.0;
/// Height of the rate's plot, which shows less.
const LOW: f64 = 130.0;
/// Look of failures, in the picture and in the legend.
const FAILED: usize = 1;

/// Returns the height.
pub(super) fn load(result: &LoadDocument, body: &mut String) -> f64 {
    let pace = result.rate.map_or("closed loop".to_owned(), |rate| format!("{}/s", short(Kind::Count, rate)));
    let heading = format!("{}, {} requests, {pace}", result.target, grouped(result.planned as f64, 0));
    let mut y = lines(MARGIN, MARGIN + 10.0, "#000", &heading, body);
    if !result.unfit.is_empty() {
        y = lines(MARGIN, y, look(FAILED).0, "UNFIT: the generator was the bottleneck", body);
    }
    let failed = result.failed();
    if failed > 0 {
        let statuses = match result.statuses.is_empty() {
            true => String::new(),
            false => format!("; statuses: {}", statuses_text(&result.statuses)),
        };
        let words =
            format!("{} of {} requests failed{statuses}", grouped(failed as f64, 0), grouped(result.planned as f64, 0));
        y = lines(MARGIN, y, look(FAILED).0, &words, body);
    }
    if !result.distribution.is_empty() {
        y = percentiles(result, y, body);
    }
    if result.timeline.len() > 1 {
        y = latencies(&result.timeline, &result.steps, y, body);
        y = rates(&result.timeline, &result.steps, y, body);
    }
    y
}

/// As in HdrHistogram's plots, each nine takes as much room as the one before.
fn percentiles(result: &LoadDocument, y: f64, body: &mut String) -> f64 {
    let top = lines(MARGIN, y + LINE, GREY, "latency by percentile; bars are 95 % intervals", body);
    let last_share =
        result.distribution.iter().map(|(_, share)| *share).filter(|share| *share < 1.0).fold(0.9, f64::max);
    let latency = Latency::of(&result.latency_ns, &result.latency_intervals_ns);
    let quantiles = latency.iter().flat_map(|latency| &latency.quantiles);
    let bars: Vec<(f64, f64, f64)> = quantiles
        .filter_map(|quantile| Some((quantile.share, quantile.interval?.low as f64, quantile.interval?.high as f64)))
        .collect();
    let last = bars.iter().map(|(share, _, _)| *share).fold(last_share, f64::max).min(0.999999);
    let end = odds(last) * 1.6;
    let highest = latency.map_or(0.0, |latency| latency.max as f64);
    let values = result.distribution.iter().map(|(latency, _)| *latency as f64);
    let plot = Area {
        left: LEFT,
        right: WIDTH - MARGIN,
        top,
        bottom: top + HEIGHT,
        // Logarithmic however few nines there are.
        x: Scale::logarithmic(1.0, end),
        y: Scale::from_zero(values.chain([highest])),
    };
    rows(&plot, Kind::Time, 6, body);
    for (share, label) in PERCENTILES {
        if odds(share) <= end {
            column(&plot, odds(share), label, body);
        }
    }
    // The largest latency is at the end.
    let points = result.distribution.iter().map(|(latency, share)| (odds(*share).min(end), *latency as f64));
    line(&plot, points, look(0), body);
    for (share, low, high) in bars {
        let path = interval_path(plot.x(odds(share)), plot.y(low), plot.y(high), 4.0);
        body.push_str(&format!("<path d=\"{path}\" stroke=\"#000\" stroke-width=\"1.5\"/>\n"));
    }
    plot.bottom + 36.0
}

/// From the first request to the last, below `top`.
fn over_time(slices: &[Slice], top: f64, height: f64, y: Scale) -> Area {
    let end = slices.last().map_or(1.0, Slice::end);
    Area { left: LEFT, right: WIDTH - MARGIN, top, bottom: top + height, x: Scale::new(0.0, end), y }
}

/// The largest is drawn as dots, since it is often that of one request and a line would hide others.
fn latencies(slices: &[Slice], steps: &[Step], y: f64, body: &mut String) -> f64 {
    let top = lines(MARGIN, y + LINE, GREY, "latency over time", body);
    let answered = || slices.iter().filter(|slice| slice.max > 0);
    let values = answered().flat_map(|slice| [slice.p50 as f64, slice.p99 as f64, slice.max as f64]);
    let plot = over_time(slices, top, HEIGHT, Scale::around(values));
    rows(&plot, Kind::Time, 6, body);
    columns(&plot, body);
    boundaries(&plot, steps, body);
    let (half, most, largest) = (look(0), look(4), look(2));
    for slice in answered() {
        body.push_str(&format!(
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n",
            plot.x(slice.middle()),
            plot.y(slice.max as f64),
            largest.0
        ));
    }
    line(&plot, answered().map(|slice| (slice.middle(), slice.p99 as f64)), (most.0, "8 4"), body);
    line(&plot, answered().map(|slice| (slice.middle(), slice.p50 as f64)), half, body);
    let y = legend(
        &[("p50", half), ("p99", (most.0, "8 4")), ("max (dots)", (largest.0, "2 3"))],
        LEFT,
        plot.bottom + 44.0,
        body,
    );
    y - 8.0
}

/// Requests per second: planned, answered and failed.
fn rates(slices: &[Slice], steps: &[Step], y: f64, body: &mut String) -> f64 {
    let top = lines(MARGIN, y + LINE, GREY, "requests per second", body);
    let most = slices.iter().map(|slice| slice.rate(slice.planned)).fold(1.0, f64::max);
    let plot = over_time(slices, top, LOW, Scale::new(0.0, most * 1.05));
    rows(&plot, Kind::Count, 4, body);
    columns(&plot, body);
    boundaries(&plot, steps, body);
    let (answered, failed) = (look(0), look(FAILED));
    for slice in slices.iter().filter(|slice| slice.errors > 0) {
        let [from, to] = [slice.start_ns as f64, slice.end()].map(|at| plot.x(at));
        let top = plot.y(slice.rate(slice.errors)).min(plot.bottom - 2.0);
        body.push_str(&format!(
            "<rect x=\"{from:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\" fill-opacity=\"0.6\"/>\n",
            (to - from).max(1.0),
            plot.bottom - top,
            failed.0
        ));
    }
    line(&plot, slices.iter().map(|slice| (slice.middle(), slice.rate(slice.planned))), (GREY, "8 4"), body);
    let good = |slice: &Slice| slice.rate(slice.planned.saturating_sub(slice.errors));
    line(&plot, slices.iter().map(|slice| (slice.middle(), good(slice))), answered, body);
    let mut names = vec![("planned", (GREY, "8 4")), ("planned and not failed", answered)];
    if slices.iter().any(|slice| slice.errors > 0) {
        names.push(("failed", failed));
    }
    legend(&names, LEFT, plot.bottom + 44.0, body)
}

/// Start and rate of each step of the schedule.
fn boundaries(plot: &Area, steps: &[Step], body: &mut String) {
    if steps.len() < 2 {
        return;
    }
    let mut begins = 0.0;
    let mut free = f64::NEG_INFINITY;
    for step in steps {
        let x = plot.x(begins);
        body.push_str(&format!("<path d=\"{}\" stroke=\"{GREY}\" stroke-dasharray=\"2 3\"/>\n", plot.column(begins)));
        let label = step.rate_text("–");
        let width = label.chars().count() as f64 * 9.0;
        // Names of short steps would overlap.
        if x >= free && x + width <= plot.right + MARGIN {
            text(x + 4.0, plot.top + 14.0, "start", GREY, &label, body);
            free = x + width;
        }
        begins += step.time_ns as f64;
    }
}
