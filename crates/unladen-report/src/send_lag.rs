//! The principal type is [`SendLag`].

use std::collections::BTreeMap;

/// The generator's lag in ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SendLag {
    pub p50: u64,
    /// 99 % are at most this late.
    pub p99: u64,
    pub max: u64,
}

impl SendLag {
    /// As documents have it: `p50`, `p99` and `max`.
    pub fn named(self) -> BTreeMap<String, u64> {
        [("p50", self.p50), ("p99", self.p99), ("max", self.max)].map(|(name, ns)| (name.to_owned(), ns)).into()
    }

    /// From a document.
    pub(crate) fn of(named: &BTreeMap<String, u64>) -> Self {
        let of = |key: &str| named.get(key).copied().unwrap_or_default();
        Self { p50: of("p50"), p99: of("p99"), max: of("max") }
    }
}
