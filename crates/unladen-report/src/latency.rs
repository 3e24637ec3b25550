//! The principal type is [`Latency`].

/// Latencies in ns.
#[derive(Debug, Clone, PartialEq)]
pub struct Latency {
    pub mean: f64,
    /// 95 % interval.
    pub mean_interval: Option<(f64, f64)>,
    /// Standard deviation: the spread of requests, not an interval.
    pub sd: f64,
    pub max: u64,
    pub quantiles: Vec<LatencyQuantile>,
}

/// A quantile of latencies.
#[derive(Debug, Clone, PartialEq)]
pub struct LatencyQuantile {
    /// `p50`, for instance.
    pub name: &'static str,
    /// In ns.
    pub value: u64,
    /// 95 % interval; `None` if there are too few requests for one.
    pub interval: Option<(u64, u64)>,
    /// Requests needed for an interval.
    pub needs: u64,
}
