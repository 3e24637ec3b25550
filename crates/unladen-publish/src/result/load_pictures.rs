//! Pictures of a load: latency by percentile, its distribution, and both over time.

use unladen_document::{LoadDocument, Slice};
use unladen_quantity::{Area, Kind, PERCENTILES, Scale, grouped, odds, plain, short};

use crate::figures;
use crate::page::picture::{LEFT, Picture, RIGHT, wide};
use crate::page::table::{Cell, Table};

const TOP: f64 = 14.0;
const HEIGHT: f64 = 200.0;
/// Height below the area for the labels of the axis.
const FOOT: f64 = 26.0;
/// The distribution omits the slowest requests: one of them would squeeze all others into one bar.
const SHOWN: f64 = 0.99;
const BINS: usize = 48;
/// Maximum points of a line: more are indistinguishable.
const MOST_POINTS: usize = 600;

fn area(height: f64, x: Scale, y: Scale) -> Area {
    Area { left: LEFT, right: RIGHT, top: TOP, bottom: TOP + height, x, y }
}

/// As in HdrHistogram's plots, each nine takes as much room as the one before.
pub(super) fn percentiles(document: &LoadDocument) -> Option<Picture> {
    let points = thinned(&document.distribution);
    if points.len() < 2 {
        return None;
    }
    let bars: Vec<(&str, f64, f64, f64)> = figures::QUANTILES
        .iter()
        .filter_map(|(key, title)| {
            let share = title.strip_prefix('p')?.parse::<f64>().ok()? / 100.0;
            let (low, high) = figures::latency_interval(&document.latency_intervals_ns, key)?;
            Some((*title, share, low, high))
        })
        .collect();
    let shares = points.iter().map(|(_, share)| *share).filter(|share| *share < 1.0);
    let last = shares.chain(bars.iter().map(|bar| bar.1)).fold(0.9, f64::max).min(0.999_999);
    let end = odds(last) * 1.6;
    let highest = figures::latency(&document.latency_ns, "max").unwrap_or_default();
    let values = points.iter().map(|(ns, _)| *ns as f64).chain([highest]);
    let area = area(HEIGHT, Scale::logarithmic(1.0, end), Scale::from_zero(values));
    let mut picture = Picture::new(
        "Latency by percentile; bars are 95 % intervals",
        "Each additional nine of the percentile takes the same width.",
        area.bottom + FOOT,
    );
    picture.rows(&area, Kind::Time, 6);
    for (share, label) in PERCENTILES {
        if odds(share) <= end {
            picture.column(&area, odds(share), label);
        }
    }
    picture.line(&area, "c0", points.iter().map(|(ns, share)| (odds(*share).min(end), *ns as f64)));
    for (_, share, low, high) in bars {
        picture.interval(area.x(odds(share)), area.y(low), area.y(high));
    }
    Some(picture)
}

pub(super) fn distribution(document: &LoadDocument) -> Option<Picture> {
    let points: Vec<(f64, f64)> = document
        .distribution
        .iter()
        .map(|(ns, share)| (*ns as f64, *share))
        .filter(|(_, share)| *share <= SHOWN)
        .collect();
    let (first, last) = (points.first()?.0, points.last()?.0);
    if last <= first || points.len() < 5 {
        return None;
    }
    let width = (last - first) / BINS as f64;
    // The document has no more than points, between which requests are assumed to be even.
    let mut bins = [0.0; BINS];
    for pair in points.windows(2) {
        let [(from, before), (to, at)] = [pair[0], pair[1]];
        let share = (at - before).max(0.0);
        for (index, bin) in bins.iter_mut().enumerate() {
            let start = first + index as f64 * width;
            let common = (to.min(start + width) - from.max(start)).max(0.0);
            let is_here = to <= from && (start..start + width).contains(&from);
            *bin += if is_here {
                share
            } else if to > from {
                share * common / (to - from)
            } else {
                0.0
            };
        }
    }
    let most = bins.iter().copied().fold(0.0, f64::max);
    let area = area(HEIGHT, Scale::new(first, last), Scale::new(0.0, most));
    let mut picture = Picture::new(
        "Distribution of latency, of the fastest 99 %",
        "How many requests took how long, in bins of equal width, with the median.",
        area.bottom + FOOT,
    );
    for tick in area.y.ticks(4) {
        picture.row(&area, tick, &format!("{} %", short(Kind::Count, tick * 100.0)));
    }
    picture.columns(&area, Kind::Time, 4);
    for (index, share) in bins.iter().enumerate().filter(|(_, share)| **share > 0.0) {
        let [from, to] = [index, index + 1].map(|edge| area.x(first + edge as f64 * width));
        let top = area.y(*share);
        picture.rect("area", from + 0.5, top, to - from - 1.0, area.bottom - top);
    }
    if let Some(half) = figures::latency(&document.latency_ns, "p50").filter(|half| (first..=last).contains(half)) {
        let x = area.x(half);
        picture.path("mark", &area.column(half));
        picture.text(x + 5.0, area.top + 10.0, "start", "tick", &format!("median {}", plain(Kind::Time, half)));
    }
    Some(picture)
}

fn over_time(slices: &[Slice], height: f64, y: Scale) -> Area {
    let end = slices.last().map_or(1.0, Slice::end);
    area(height, Scale::new(0.0, end), y)
}

/// The largest is drawn as rings, since it is often that of one request and a line would hide others.
pub(super) fn latencies_over_time(document: &LoadDocument) -> Option<Picture> {
    let slices = thinned(&document.timeline);
    let answered: Vec<&Slice> = slices.iter().filter(|slice| slice.max > 0).collect();
    if answered.len() < 2 {
        return None;
    }
    let values = answered.iter().flat_map(|slice| [slice.p50 as f64, slice.p99 as f64, slice.max as f64]);
    let area = over_time(&slices, HEIGHT, Scale::from_zero(values));
    let mut picture = Picture::new(
        "Latency over time",
        "Median, 99 % quantile and maximum of each slice of the run.",
        area.bottom + FOOT,
    );
    picture.rows(&area, Kind::Time, 6);
    picture.columns(&area, Kind::Time, 5);
    steps(&mut picture, &area, document);
    for slice in &answered {
        let says = format!("at {}: {} at most", plain(Kind::Time, slice.middle()), plain(Kind::Time, slice.max as f64));
        picture.dot("ring c2", area.x(slice.middle()), area.y(slice.max as f64), 2.4, &says);
    }
    picture.line(&area, "c1", answered.iter().map(|slice| (slice.middle(), slice.p99 as f64)));
    picture.line(&area, "c0", answered.iter().map(|slice| (slice.middle(), slice.p50 as f64)));
    for (class, text) in [("c0", "p50"), ("c1", "p99"), ("c2", "max (rings)")] {
        picture.legend(class, text);
    }
    Some(picture.with_table(slices_table(&slices)))
}

/// Requests per second: planned, and of those, not failed.
pub(super) fn rates(document: &LoadDocument) -> Option<Picture> {
    let slices = thinned(&document.timeline);
    if slices.len() < 2 {
        return None;
    }
    let most = slices.iter().map(|slice| slice.rate(slice.planned)).fold(1.0, f64::max);
    let area = over_time(&slices, HEIGHT, Scale::new(0.0, most * 1.05));
    let mut picture = Picture::new(
        "Requests per second",
        "Planned requests, those that did not fail, and those that failed, over the run.",
        area.bottom + FOOT,
    );
    picture.rows(&area, Kind::Count, 5);
    picture.columns(&area, Kind::Time, 5);
    steps(&mut picture, &area, document);
    let mut has_failed = false;
    for slice in slices.iter().filter(|slice| slice.errors > 0) {
        has_failed = true;
        let [from, to] = [slice.start_ns as f64, slice.end()].map(|at| area.x(at));
        let top = area.y(slice.rate(slice.errors)).min(area.bottom - 2.0);
        picture.rect("failed", from, top, (to - from).max(1.0), area.bottom - top);
    }
    picture.line(&area, "c6", slices.iter().map(|slice| (slice.middle(), slice.rate(slice.planned))));
    let good = |slice: &Slice| slice.rate(slice.planned.saturating_sub(slice.errors));
    picture.line(&area, "c0", slices.iter().map(|slice| (slice.middle(), good(slice))));
    picture.legend("c6", "planned");
    picture.legend("c0", "planned and not failed");
    if has_failed {
        picture.legend("c1", "failed (filled)");
    }
    Some(picture)
}

fn steps(picture: &mut Picture, area: &Area, document: &LoadDocument) {
    if document.steps.len() < 2 {
        return;
    }
    let mut begins = 0.0;
    let mut free = f64::NEG_INFINITY;
    for step in &document.steps {
        let x = area.x(begins);
        picture.path("mark", &area.column(begins));
        let label = step.rate_text("–");
        let width = wide(&label);
        // Names of short steps would overlap.
        if x >= free && x + width <= area.right {
            picture.text(x, area.top - 3.0, "start", "tick", &label);
            free = x + width;
        }
        begins += step.time_ns as f64;
    }
}

fn slices_table(slices: &[Slice]) -> Table {
    const MOST: usize = 60;
    let every = slices.len().div_ceil(MOST).max(1);
    let caption =
        if every > 1 { format!("Latency over time, of each {every}th slice") } else { "Latency over time".to_owned() };
    let mut table = Table::new(caption, &["at", "#requests", "#failed", "#p50", "#p99", "#max"]);
    for slice in slices.iter().step_by(every) {
        let time = |ns: u64| Cell::new(plain(Kind::Time, ns as f64));
        table.row([
            time(slice.start_ns),
            Cell::new(grouped(slice.planned as f64, 0)),
            Cell::new(grouped(slice.errors as f64, 0)),
            time(slice.p50),
            time(slice.p99),
            time(slice.max),
        ]);
    }
    table
}

/// Keeps as many points as are distinguishable, always with the last.
fn thinned<T: Clone>(points: &[T]) -> Vec<T> {
    let every = points.len().div_ceil(MOST_POINTS).max(1);
    let last = points.len().saturating_sub(1);
    points
        .iter()
        .enumerate()
        .filter(|(index, _)| index % every == 0 || *index == last)
        .map(|(_, point)| point.clone())
        .collect()
}
