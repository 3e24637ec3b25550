//! The principal type is [`Change`]: what an experiment says of one metric. Its words are written and read here alone.

use unladen_lockin::{MARGIN, MARGIN_OF_SHARES};

use crate::prove::Comparison;

/// What a metric of an experiment measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// A latency in ns: less is faster.
    Latency,
    /// A share of requests within a time: more is faster.
    Within,
    /// Requests a second: more is faster.
    Throughput,
    /// A weight per request: less is lighter.
    Weight,
    /// Bytes of an answer's body, as they were transferred: less is lighter.
    Bytes,
    /// The share of answers that have a status below 400.
    Status,
    /// The share of answers that have a status from 400 on: less is better.
    ErrorStatus,
}

/// The verdict on a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Better: faster, more within the time, lighter.
    Better,
    Worse,
    /// No measurable difference: the whole interval lies within a margin that makes no difference.
    Equal,
    /// Neither: the interval is too wide to say. More blocks decide it.
    Unclear,
}

impl Metric {
    /// Of a metric's name: `latency.p50`, `cold.latency.mean`, `within.50ms`, `statuses.503`.
    pub fn of(name: &str) -> Self {
        match name.strip_prefix("cold.").unwrap_or(name).split_once('.') {
            Some(("within", _)) => Self::Within,
            Some(("weight", _)) => Self::Weight,
            Some(("bytes", _)) => Self::Bytes,
            Some(("statuses", status)) if status.starts_with(['4', '5']) => Self::ErrorStatus,
            Some(("statuses", _)) => Self::Status,
            None if name == "throughput" => Self::Throughput,
            _ => Self::Latency,
        }
    }

    /// Whether it is a share of all requests, whose changes are in points.
    pub fn is_share(self) -> bool {
        matches!(self, Self::Within | Self::Status | Self::ErrorStatus)
    }
}

impl Change {
    const ALL: [Self; 4] = [Self::Better, Self::Worse, Self::Equal, Self::Unclear];

    /// Of its word; a word that is not known says nothing, as that of earlier versions, `too few blocks`.
    pub fn of(word: &str, metric: Metric) -> Self {
        Self::ALL.into_iter().find(|change| change.as_str(metric) == word).unwrap_or(Self::Unclear)
    }

    /// Whether it is better or worse for certain.
    pub fn is_told(self) -> bool {
        matches!(self, Self::Better | Self::Worse)
    }

    /// The verdict in words: weights and answers get lighter, shares of statuses more or less, all else faster.
    pub fn as_str(self, metric: Metric) -> &'static str {
        match (self, metric) {
            (Self::Better, Metric::Weight | Metric::Bytes) => "lighter",
            (Self::Worse, Metric::Weight | Metric::Bytes) => "heavier",
            (Self::Better, Metric::Status) | (Self::Worse, Metric::ErrorStatus) => "more",
            (Self::Worse, Metric::Status) | (Self::Better, Metric::ErrorStatus) => "less",
            (Self::Better, _) => "faster",
            (Self::Worse, _) => "slower",
            (Self::Equal, _) => "no measurable difference",
            (Self::Unclear, _) => "unclear",
        }
    }
}

impl Comparison {
    /// What it is of.
    pub fn kind(&self) -> Metric {
        Metric::of(&self.metric)
    }

    /// What is said of it. Documents of earlier versions have no margin, and called intervals of any width equal: these
    /// are held against the margin of this version.
    pub fn change(&self) -> Change {
        let said = Change::of(&self.verdict, self.kind());
        let is_wide = || match (self.kind().is_share(), self.ratio, self.low.zip(self.high)) {
            (true, _, _) => !is_within(self.difference.low.zip(self.difference.high), 0.0, MARGIN_OF_SHARES),
            (false, Some(_), ends) => !is_within(ends, 1.0, MARGIN),
            (false, None, _) => false,
        };
        if said == Change::Equal && self.margin.is_none() && is_wide() { Change::Unclear } else { said }
    }

    /// The margin of equality: a share where there is a ratio, else in the unit.
    pub fn margin(&self) -> Option<f64> {
        let usual = || match (self.kind().is_share(), self.ratio) {
            (true, _) => Some(MARGIN_OF_SHARES),
            (false, ratio) => ratio.map(|_| MARGIN),
        };
        self.margin.or_else(usual)
    }
}

/// Whether an interval lies within the margin around no change.
fn is_within(ends: Option<(f64, f64)>, no_change: f64, margin: f64) -> bool {
    ends.is_some_and(|(low, high)| low >= no_change - margin && high <= no_change + margin)
}

#[cfg(test)]
mod tests;
