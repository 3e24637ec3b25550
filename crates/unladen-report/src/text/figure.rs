//! Figures with their intervals, as words and as pictures of block characters.

use unladen_document::{BoxPlot, Interval, Span};
use unladen_lockin::MARGIN;
use unladen_quantity::{Kind, Scale, grouped, plain, short};

use crate::latency::LatencyQuantile;

/// Equality of a ratio, with its margin.
pub(crate) fn equal() -> String {
    format!("no measurable difference, ±{} %", short(Kind::Count, 100.0 * MARGIN))
}

/// `18.9 ms to 19.4 ms`
pub(super) fn interval(Interval { low, high }: Interval) -> String {
    format!("{} to {}", plain(Kind::Time, low as f64), plain(Kind::Time, high as f64))
}

/// `19.1 ms (18.9 ms to 19.4 ms)`
pub(super) fn with_interval(quantile: &LatencyQuantile) -> String {
    let value = plain(Kind::Time, quantile.value as f64);
    match quantile.interval {
        Some(ends) => format!("{value} ({})", interval(ends)),
        None => format!("{value} (too few requests for an interval)"),
    }
}

/// `55.2 (54.6 to 55.7)`
pub(super) fn rates(span: Span) -> String {
    format!("{} ({} to {})", rate(span.value), rate(span.low), rate(span.high))
}

pub(super) fn rate(per_second: f64) -> String {
    let decimals = if per_second >= 100.0 {
        0
    } else if per_second >= 10.0 {
        1
    } else {
        2
    };
    grouped(per_second, decimals)
}

/// `97.8 %`, and never 100 if something is missing.
pub(super) fn share_text(share: f64) -> String {
    const PRECISE_FROM: f64 = 0.999;
    let percent = share * 100.0;
    if share == 1.0 {
        "100 %".to_owned()
    } else if share >= PRECISE_FROM {
        format!("{} %", grouped((percent * 1_000.0).floor() / 1_000.0, 3))
    } else {
        format!("{} %", grouped(percent, 1))
    }
}

/// A bar in eighths of a cell.
pub(super) fn bar(value: f64, most: f64, cells: usize) -> String {
    const EIGHTHS: [char; 8] = ['█', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    if most <= 0.0 {
        return String::new();
    }
    let eighths = ((value / most * (cells * 8) as f64).round() as usize).min(cells * 8);
    let mut bar = EIGHTHS[0].to_string().repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        bar.push(EIGHTHS[eighths % 8]);
    }
    bar
}

/// 0 to 8 eighths.
const COLUMNS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// From 0 to the largest value; blank for `None`.
pub(super) fn sparkline(values: &[Option<f64>]) -> String {
    let most = values.iter().flatten().copied().fold(0.0, f64::max);
    let column = |value: f64| {
        let eighths = if most > 0.0 { (value / most * 8.0).round() as usize } else { 0 };
        COLUMNS[eighths.clamp(1, 8)]
    };
    values.iter().map(|value| value.map_or(' ', column)).collect()
}

/// Columns over several rows, top row first.
pub(super) fn columns(values: &[f64], rows: usize) -> Vec<String> {
    let most = values.iter().copied().fold(0.0, f64::max);
    let eighths = |value: f64| {
        let eighths = if most > 0.0 { (value / most * (rows * 8) as f64).round() as usize } else { 0 };
        // Values above zero stay visible.
        if value > most / 1_000.0 { eighths.max(1) } else { eighths }
    };
    let row = |below: usize| -> String {
        values.iter().map(|value| COLUMNS[eighths(*value).saturating_sub(below * 8).min(8)]).collect()
    };
    (0..rows).rev().map(|below| row(below).trim_end().to_owned()).collect()
}

/// Whiskers at the 5 % and 95 % quantiles, a box over the quartiles, the median.
pub(super) fn box_plot(plot: &BoxPlot, scale: &Scale, cells: usize) -> String {
    let cell = |value: u64| ((scale.at(value as f64) * cells as f64) as usize).min(cells.saturating_sub(1));
    let BoxPlot { p5, p25, p50, p75, p95, .. } = *plot;
    let (p5, p25, p50, p75, p95) = (cell(p5), cell(p25), cell(p50), cell(p75), cell(p95));
    let draw = |at: usize| match at {
        _ if at == p50 => '█',
        _ if (p25..=p75).contains(&at) => '▒',
        _ if at == p5 => '├',
        _ if at == p95 => '┤',
        _ if (p5..p95).contains(&at) => '─',
        _ => ' ',
    };
    (0..cells).map(draw).collect::<String>().trim_end().to_owned()
}

/// Numbers under a picture, each to the right of its mark.
pub(super) fn axis(scale: &Scale, kind: Kind, cells: usize) -> String {
    let mut line: Vec<char> = Vec::new();
    for tick in scale.ticks(cells / 12) {
        let label: Vec<char> = format!("╵{}", short(kind, tick)).chars().collect();
        let at = ((scale.at(tick) * cells as f64) as usize).min(cells.saturating_sub(1));
        let is_free = line.is_empty() || line.len() < at;
        if is_free && at + label.len() <= cells + 2 {
            line.resize(at, ' ');
            line.extend(label);
        }
    }
    line.into_iter().collect()
}
