//! The principal type is [`Level`]: which endpoints are considered.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::endpoint::Endpoint;

/// Which endpoints are considered, the best first.
#[derive(Clone, Copy, Debug)]
pub(super) enum Level {
    Untried,
    Available,
    UntriedHealthy,
    Healthy,
    Any,
}

pub(super) const LEVELS: [Level; 5] =
    [Level::Untried, Level::Available, Level::UntriedHealthy, Level::Healthy, Level::Any];

impl Level {
    pub(super) fn has(self, endpoint: &Arc<Endpoint>, tried: &[Arc<Endpoint>], now_ms: u64) -> bool {
        let untried = || !tried.iter().any(|tried| Arc::ptr_eq(tried, endpoint));
        let healthy = || endpoint.healthy.load(Ordering::Relaxed);
        match self {
            Self::Untried => endpoint.is_available(now_ms) && untried(),
            Self::Available => endpoint.is_available(now_ms),
            Self::UntriedHealthy => healthy() && untried(),
            Self::Healthy => healthy(),
            Self::Any => true,
        }
    }
}
