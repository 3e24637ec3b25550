//! The principal type is [`Statistic`]: what is compared.

/// The compared statistic of an arm's latencies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Statistic {
    /// The mean, ns.
    Mean,
    /// A quantile (above 0, below 1) by the estimate of Harrell & Davis, ns.
    Quantile(f64),
    /// The share of requests within so many ns; the limit is as sharp as the bins, 0.012 %.
    Within(u64),
}

/// The kind of a figure, which decides the words for its changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// A time: less is faster.
    Latency,
    /// A share of requests within a time: more is faster.
    Share,
    /// A count per request: less or more.
    Count,
}

impl Statistic {
    /// The kind of its figures.
    pub fn measure(self) -> Measure {
        match self {
            Self::Mean | Self::Quantile(_) => Measure::Latency,
            Self::Within(_) => Measure::Share,
        }
    }
}
