//! Figures with their intervals, as words.

use unladen_document::{Interval, Span};
use unladen_lockin::MARGIN;
use unladen_quantity::{Kind, grouped, plain, short};

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
        None => format!("{value} (interval not carried)"),
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
