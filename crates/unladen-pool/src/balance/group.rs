//! The principal type is [`Group`]: the endpoints of one priority, divided into own zone and others.

use std::sync::Arc;

use super::level::Level;
use super::tier::Tier;
use crate::endpoint::Endpoint;

#[derive(Debug)]
pub(super) struct Group {
    /// Those of the own zone; empty if zones do not matter.
    own: Tier,
    others: Tier,
}

/// The own zone takes all requests until less than 1/1.4 of it, 71 %, is available; below, it takes 1.4 times the
/// available share. As Envoy's `overprovisioning_factor` of priorities, 140 % by default.
const OVERPROVISIONING: (u64, u64) = (14, 10);

impl Group {
    pub(super) fn new(own: Tier, others: Tier) -> Self {
        Self { own, others }
    }

    pub(super) fn pick(&self, level: Level, tried: &[Arc<Endpoint>], now_ms: u64) -> Option<&Arc<Endpoint>> {
        if self.own.is_empty() {
            return self.others.pick(level, tried, now_ms);
        }
        let own = || self.own.pick(level, tried, now_ms);
        let others = || self.others.pick(level, tried, now_ms);
        if self.others.is_empty() || self.stays(now_ms) { own().or_else(others) } else { others().or_else(own) }
    }

    fn stays(&self, now_ms: u64) -> bool {
        let (available, all) = self.own.available(now_ms);
        let (more, of) = OVERPROVISIONING;
        let (enough, all) = (available.saturating_mul(more), all.saturating_mul(of));
        enough >= all || fastrand::u64(..all) < enough
    }
}
