//! The principal type is [`SendLag`].

/// The generator's lateness in ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SendLag {
    pub p50: u64,
    /// 99 % are at most this late.
    pub p99: u64,
    pub max: u64,
}
