//! The principal type is [`Change`]: an experiment's verdict on one metric. Its words are written and read only here.

use unladen_lockin::{MARGIN, MARGIN_OF_SHARES};
use unladen_quantity::Span;

use crate::figure::OpenSpan;
use crate::prove::{Comparison, Interaction};

/// What a metric of an experiment measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// In ns: less is faster.
    Latency,
    /// Share of requests within a time: more is faster.
    Within,
    /// Requests per second: more is faster.
    Throughput,
    /// Per request: less is lighter.
    Weight,
    /// Bytes of an answer's body as transferred: less is lighter.
    Bytes,
    /// Share of answers with a status below 400.
    Status,
    /// Share of answers with a status from 400 on: less is better.
    ErrorStatus,
}

/// The verdict on a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Faster, more within the time, lighter.
    Better,
    Worse,
    /// The whole interval lies within a margin that does not matter.
    Equal,
    /// The interval is too wide to say; more blocks decide it.
    Unclear,
}

impl Metric {
    /// Parses a metric's name: `latency.p50`, `cold.latency.mean`, `within.50ms`, `statuses.503`.
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

    /// Its unit in documents; of a weight, that of most counters.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Latency => "ns",
            Self::Bytes => "B",
            Self::Throughput => "1/s",
            Self::Within | Self::Status | Self::ErrorStatus | Self::Weight => "1",
        }
    }

    /// Whether it is a share of all requests, whose changes are in percentage points.
    pub fn is_share(self) -> bool {
        matches!(self, Self::Within | Self::Status | Self::ErrorStatus)
    }
}

impl Change {
    const ALL: [Self; 4] = [Self::Better, Self::Worse, Self::Equal, Self::Unclear];

    /// Parses a word; an unknown one is unclear, such as `too few blocks` of earlier versions.
    pub fn of(word: &str, metric: Metric) -> Self {
        Self::ALL.into_iter().find(|change| change.as_str(metric) == word).unwrap_or(Self::Unclear)
    }

    /// Whether it is certainly better or worse.
    pub fn is_told(self) -> bool {
        matches!(self, Self::Better | Self::Worse)
    }

    /// The verdict in words: weights and answers get lighter, shares of statuses more or less, everything else faster.
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
    /// What the metric measures.
    pub fn kind(&self) -> Metric {
        Metric::of(&self.metric)
    }

    /// The ratio with its interval.
    pub fn ratio_span(&self) -> Option<Span> {
        let ((value, low), high) = self.ratio.zip(self.low).zip(self.high)?;
        Some(Span { value, low, high })
    }

    /// The difference with its interval; an end that the document lacks is infinite.
    pub fn difference_span(&self) -> Span {
        let OpenSpan { value, low, high } = self.difference;
        Span { value, low: low.unwrap_or(f64::NEG_INFINITY), high: high.unwrap_or(f64::INFINITY) }
    }

    /// The arm's own figure with its interval, whatever the baseline's is.
    pub fn own_span(&self) -> Option<Span> {
        let (low, high) = self.candidate_low.zip(self.candidate_high)?;
        Some(Span { value: self.candidate.unwrap_or(f64::NAN), low, high })
    }

    /// Whether its interval excludes no change.
    pub fn excludes_no_change(&self) -> bool {
        let (span, none) = self.ratio_span().map_or((self.difference_span(), 0.0), |ratio| (ratio, 1.0));
        span.low > none || span.high < none
    }

    /// The verdict. Documents of earlier versions have no margin, and called intervals of any width equal: they are
    /// judged by the margin of this version.
    pub fn change(&self) -> Change {
        let said = Change::of(&self.verdict, self.kind());
        let is_wide = || match (self.kind().is_share(), self.ratio, self.low.zip(self.high)) {
            (true, _, _) => !is_within(self.difference.low.zip(self.difference.high), 0.0, MARGIN_OF_SHARES),
            (false, Some(_), ends) => !is_within(ends, 1.0, MARGIN),
            (false, None, _) => false,
        };
        if said == Change::Equal && self.margin.is_none() && is_wide() { Change::Unclear } else { said }
    }

    /// The margin of equality: a share if there is a ratio, otherwise in the unit.
    pub fn margin(&self) -> Option<f64> {
        let usual = || match (self.kind().is_share(), self.ratio) {
            (true, _) => Some(MARGIN_OF_SHARES),
            (false, ratio) => ratio.map(|_| MARGIN),
        };
        self.margin.or_else(usual)
    }
}

impl Interaction {
    /// If it does not differ from chance: whether its whole interval lies within the margin of equality.
    pub fn is_equal(&self) -> bool {
        self.verdict == Change::Equal.as_str(Metric::Latency)
    }
}

/// Whether an interval lies within the margin around no change.
fn is_within(ends: Option<(f64, f64)>, no_change: f64, margin: f64) -> bool {
    ends.is_some_and(|(low, high)| low >= no_change - margin && high <= no_change + margin)
}

#[cfg(test)]
mod tests;
