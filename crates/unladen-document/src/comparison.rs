//! A comparison of an experiment in words, as every text has them: [`metric_title`], and methods of [`Comparison`].

use std::cmp::Ordering;
use std::time::Duration;

use unladen_quantity::{Kind, Quantity, Span, grouped, percent, plain, settling, short, signed, with_sign};

use crate::prove::{Change, Comparison, CountedChange, Metric, ProveDocument};

/// From this many times on, a percentage says less.
const TIMES: f64 = 10.0;
/// With an interval of less than half a point to either side, the figures' own intervals are enough.
const EXACT: f64 = 0.005;
/// Decimals of a count, at most.
const DECIMALS: usize = 3;

/// `p50` for `latency.p50`, `cold p50` for `cold.latency.p50`, `within 50 ms` for `within.50ms`, `body bytes` for
/// `bytes.body`, `status 304` for `statuses.304`; `bound` writes the `50ms`.
pub fn metric_title(metric: &str, bound: fn(&str) -> String) -> String {
    let (cold, rest) = metric.strip_prefix("cold.").map_or(("", metric), |rest| ("cold ", rest));
    match rest.split_once('.') {
        Some(("latency", name)) => format!("{cold}{name}"),
        Some(("within", name)) => format!("{cold}within {}", bound(name)),
        Some(("bytes", of)) => format!("{of} bytes"),
        Some(("statuses", status)) => format!("status {status}"),
        Some((kind, name)) => format!("{cold}{kind} {name}"),
        None => format!("{cold}{rest}"),
    }
}

impl ProveDocument {
    /// Unclear latencies and throughput that are wanted, each metric once, with the remaining time to settle it in every
    /// arm.
    pub fn unclear_text(&self, title: fn(&str) -> String, is_wanted: impl Fn(&str) -> bool) -> Option<String> {
        let mut unclear: Vec<(&str, Option<Duration>)> = Vec::new();
        let is_unclear = |one: &&Comparison| {
            one.change() == Change::Unclear && matches!(one.kind(), Metric::Latency | Metric::Throughput)
        };
        for comparison in self.comparisons.iter().filter(is_unclear).filter(|one| is_wanted(&one.metric)) {
            let more = comparison.time_to_settle_ns.map(|ns| Duration::from_nanos(ns.saturating_sub(self.elapsed_ns)));
            match unclear.iter_mut().find(|(metric, _)| *metric == comparison.metric) {
                Some((_, longest)) => *longest = (*longest).max(more),
                None => unclear.push((&comparison.metric, more)),
            }
        }
        settling(unclear.into_iter().map(|(metric, more)| (title(metric), more)))
    }
}

impl Comparison {
    /// Number format of the metric.
    pub fn scale(&self) -> Kind {
        match self.kind() {
            Metric::Weight => Kind::of_unit(&self.unit),
            metric => Kind::of_unit(metric.unit()),
        }
    }

    /// Whether it is a weight of a group off the requests' path, which was judged separately.
    pub fn is_beside(&self) -> bool {
        self.on_path == Some(false)
    }

    /// Order of weights: CPU before all else, by the amount of change; then by the size of the change.
    pub fn by_rank(&self, other: &Self) -> Ordering {
        let rank = |one: &Self| {
            let is_cpu = one.counter.as_deref() == Some("cpu");
            let relative = one.ratio_span().map_or(f64::INFINITY, |ratio| ratio.value.max(1e-9).ln().abs());
            (is_cpu, if is_cpu { one.difference.value.abs() } else { relative })
        };
        let ((is_cpu, size), (is_other_cpu, other_size)) = (rank(self), rank(other));
        is_other_cpu.cmp(&is_cpu).then(other_size.total_cmp(&size))
    }

    /// The baseline's figure or the arm's; `share` writes parts of all requests.
    pub fn value_text(&self, value: Option<f64>, share: fn(f64) -> String) -> String {
        let value = value.unwrap_or(f64::NAN);
        match self.kind() {
            metric if metric.is_share() => share(value),
            Metric::Throughput => format!("{}/s", plain(Kind::Count, value)),
            _ => plain(self.scale(), value),
        }
    }

    /// The noise floor, in the words of the verdict.
    pub fn floor_text(&self) -> String {
        let floor = self.floor.unwrap_or(f64::NAN);
        match (self.kind(), self.ratio_span()) {
            (metric, Some(_)) if metric.is_share() => points(floor * self.baseline.unwrap_or(f64::NAN)),
            (metric, None) if metric.is_share() => points(floor),
            (_, Some(_)) => format!("{} %", percent(floor)),
            (_, None) => plain(self.scale(), floor),
        }
    }

    /// The margin of equality, in the words of the verdict: `±5 %`.
    pub fn margin_text(&self) -> Option<String> {
        let margin = self.margin()?;
        Some(match (self.kind(), self.ratio_span()) {
            (metric, _) if metric.is_share() => format!("±{} points", short(Kind::Count, 100.0 * margin)),
            (_, Some(_)) => format!("±{} %", short(Kind::Count, 100.0 * margin)),
            (_, None) => format!("±{}", plain(self.scale(), margin)),
        })
    }

    /// The verdict: `faster`; `more` of what counts requests.
    pub fn verdict_word(&self) -> &'static str {
        match (self.change(), self.kind()) {
            (Change::Better, Metric::Within | Metric::Throughput) => "more",
            (Change::Worse, Metric::Within | Metric::Throughput) => "less",
            (change, metric) => change.as_str(metric),
        }
    }

    /// `13.4 % (12.1 to 14.6)`, from the side of the change.
    pub fn size_text(&self) -> String {
        match (self.kind(), self.ratio_span()) {
            (metric, _) if metric.is_share() => {
                let Span { value, low, high } = self.difference_span().upward();
                format!("{} ({} to {})", points(value), percent(low), percent(high))
            }
            (_, Some(ratio)) => {
                let Span { value, low, high } = ratio.less_one().upward();
                format!("{} % ({} to {})", percent(value), percent(low), percent(high))
            }
            (_, None) => {
                let difference = self.difference_span().upward();
                match difference.margin() {
                    margin if margin.is_finite() => {
                        Quantity { kind: self.scale(), value: difference.value, margin }.to_string()
                    }
                    _ => plain(self.scale(), difference.value),
                }
            }
        }
    }

    /// ` (−0.9 to +0.4 %)`: both directions remain possible. `more` goes before the second parenthesis.
    pub fn ends_text(&self, more: &str) -> String {
        let (Span { low, high, .. }, unit) = match (self.kind(), self.ratio_span()) {
            (metric, _) if metric.is_share() => (self.difference_span(), "points"),
            (_, Some(ratio)) => (ratio.less_one(), "%"),
            (_, None) => {
                let Span { low, high, .. } = self.difference_span();
                let [low, high] = [low, high].map(|end| signed(self.scale(), end));
                return format!(" ({low} to {high}{more})");
            }
        };
        format!(" ({} to {} {unit}{more})", with_sign(low), with_sign(high))
    }

    /// The change as a ratio, `−13.4 % (−14.6 to −12.2)`; without one, such as of a baseline of zero, in the unit:
    /// `+210 ± 14 µs`.
    pub fn change_text(&self) -> String {
        if let Some(ratio) = self.ratio_span() {
            return ratio.change_text();
        }
        let difference = self.difference_span();
        let sign = if difference.value > 0.0 { "+" } else { "" };
        let quantity = Quantity { kind: self.scale(), value: difference.value, margin: difference.margin() };
        format!("{sign}{quantity}")
    }
}

impl CountedChange {
    /// In the baseline and in the arm: `814`, `13.2 ± 1.1`.
    pub fn values(&self) -> [String; 2] {
        [self.baseline, self.candidate].map(count_text)
    }

    /// `−78.1 %`, with its interval where that is wide; `+1` where there was none before.
    pub fn change_text(&self) -> String {
        match self.ratio {
            None => {
                let value = self.candidate.value - self.baseline.value;
                let margin = self.candidate.margin().hypot(self.baseline.margin());
                let sign = if value > 0.0 { "+" } else { "" };
                format!("{sign}{}", count_text(Span { value, low: value - margin, high: value + margin }))
            }
            Some(ratio) if ratio.value > TIMES => format!("{} times as many", grouped(ratio.value.round(), 0)),
            Some(ratio) if ratio.margin() < EXACT => format!("{} %", with_sign(ratio.value - 1.0)),
            Some(ratio) => ratio.change_text(),
        }
    }
}

/// `814`, `13.2 ± 1.1`, `1,487 ± 12`: as many decimals as the interval has a use for.
fn count_text(count: Span) -> String {
    let margin = count.margin();
    if margin == 0.0 {
        return plain(Kind::Count, count.value);
    }
    let decimals = if margin >= 1.0 { 0 } else { ((-margin.log10()).ceil() as usize).clamp(1, DECIMALS) };
    format!("{} ± {}", grouped(count.value, decimals), grouped(margin, decimals))
}

fn points(share: f64) -> String {
    format!("{} points", percent(share))
}
