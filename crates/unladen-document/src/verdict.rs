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
    /// Worse.
    Worse,
    /// No measurable difference: the whole interval lies within a margin that makes no difference.
    Equal,
    /// Neither: the interval is too wide to say. More blocks decide it.
    Unclear,
}

// === impl Metric ===

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

// === impl Change ===

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

// === impl Comparison ===

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
mod tests {
    use super::*;

    fn said(metric: &str, verdict: &str) -> Change {
        Change::of(verdict, Metric::of(metric))
    }

    #[test]
    fn each_word_is_read_as_it_is_written() {
        for name in ["latency.p50", "cold.latency.mean", "within.50ms", "throughput", "weight.cpu php", "bytes.body"] {
            let metric = Metric::of(name);
            Change::ALL.into_iter().for_each(|change| assert_eq!(Change::of(change.as_str(metric), metric), change));
        }
        let statuses = ["statuses.503", "statuses.5xx", "statuses.304", "statuses.200"].into_iter();
        let ways: Vec<Change> =
            statuses.zip(["more", "less", "more", "less"]).map(|(name, word)| said(name, word)).collect();
        assert_eq!(ways, [Change::Worse, Change::Better, Change::Better, Change::Worse]);
    }

    /// Documents of earlier versions say so.
    #[test]
    fn too_few_blocks_is_unclear() {
        assert_eq!(said("latency.p50", "too few blocks"), Change::Unclear);
        assert_eq!(said("latency.p50", "unheard of"), Change::Unclear);
    }

    /// −3.6 % with −25.0 to +23.4 % was "no measurable difference" in documents that name no margin.
    #[test]
    fn a_wide_interval_of_an_earlier_version_was_equal() {
        let of = |low, high, margin| Comparison {
            metric: "latency.p50".to_owned(),
            verdict: "no measurable difference".to_owned(),
            ratio: Some(f64::midpoint(low, high)),
            low: Some(low),
            high: Some(high),
            margin,
            ..Comparison::default()
        };
        assert_eq!(of(0.75, 1.234, None).change(), Change::Unclear);
        assert_eq!(of(0.99, 1.02, None).change(), Change::Equal);
        assert_eq!(of(0.92, 1.02, Some(0.1)).change(), Change::Equal, "what a document says of itself stays");
        let within = Comparison { metric: "within.50ms".to_owned(), ..of(0.99, 1.02, None) };
        assert_eq!(within.change(), Change::Unclear, "its difference is unknown");
    }
}
