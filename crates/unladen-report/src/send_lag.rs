//! The principal type is [`SendLag`].

/// The generator's lag in ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SendLag {
    /// Median.
    pub p50: u64,
    /// 99 % are at most this late.
    pub p99: u64,
    /// The latest.
    pub max: u64,
}
