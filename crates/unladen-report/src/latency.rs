//! The principal type is [`Latency`].

/// Latencies in ns.
#[derive(Debug, Clone, PartialEq)]
pub struct Latency {
    pub mean: f64,
    /// Its 95 % interval.
    pub mean_interval: Option<(f64, f64)>,
    /// Standard deviation: the spread of the requests, not an interval.
    pub sd: f64,
    /// The largest.
    pub max: u64,
    pub quantiles: Vec<LatencyQuantile>,
}

/// One quantile.
#[derive(Debug, Clone, PartialEq)]
pub struct LatencyQuantile {
    /// `p50`.
    pub name: &'static str,
    /// ns.
    pub value: u64,
    /// 95 % interval, where the requests can carry one.
    pub interval: Option<(u64, u64)>,
    /// Requests that an interval needs.
    pub needs: u64,
}
