//! The principal type is [`Balancer`]: which of several endpoints takes a request.
//!
//! If fewer than half of its hosts are healthy, Envoy ignores their state (the panic threshold, 50 % by default), since
//! the rest would be overrun. Here that begins only when none is left: half of a small upstream may well carry the
//! load, limits and the breaker handle it if not, and no request goes to an endpoint known to be down while another is
//! up. But a request is never refused because of endpoint state alone: checks can be wrong about all endpoints at once,
//! as when their path is missing. So the first of these sets that is not empty is taken:
//!
//! 1. available endpoints not tried yet,
//! 2. available ones,
//! 3. endpoints that failed lately but pass their health checks, not tried yet, or tried,
//! 4. any.
//!
//! # Priorities and zones
//!
//! Each step goes through the priorities in their order, and within one through the own zone first: an endpoint of the
//! next priority is taken only if the step finds none in the one before.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::endpoint::Endpoint;
use crate::placed::Placed;
use crate::settings::Balance;

mod group;
mod level;
mod tier;

use group::Group;
use level::LEVELS;
use tier::Tier;

/// Endpoints, and how to choose among them. Shared by all threads; replaced when the endpoints change.
#[derive(Debug)]
pub struct Balancer {
    endpoints: Vec<Arc<Endpoint>>,
    groups: Vec<Group>,
    /// Placement, drained endpoints included; empty if unknown.
    placed: Vec<Placed>,
    is_known: bool,
}

impl Balancer {
    /// A balancer of endpoints without placement.
    pub fn new(endpoints: Vec<Arc<Endpoint>>, how: Balance) -> Self {
        let group = Group::new(Tier::new(Vec::new(), how), Tier::new(endpoints.clone(), how));
        Self { endpoints, groups: vec![group], placed: Vec::new(), is_known: false }
    }

    /// A balancer of placed endpoints, seen from a zone, without the drained ones. There may be none.
    pub fn of_placed(placed: Vec<Placed>, zone: Option<&str>, how: Balance) -> Self {
        let mut endpoints = Vec::new();
        let mut priorities: BTreeMap<u32, [Vec<Arc<Endpoint>>; 2]> = BTreeMap::new();
        for one in placed.iter().filter(|one| !one.draining) {
            let is_own = zone.is_some() && one.zone.as_deref() == zone;
            endpoints.push(one.endpoint.clone());
            priorities.entry(one.priority).or_default()[usize::from(!is_own)].push(one.endpoint.clone());
        }
        let group = |[own, others]: [Vec<_>; 2]| Group::new(Tier::new(own, how), Tier::new(others, how));
        let groups = priorities.into_values().map(group).collect();
        Self { endpoints, groups, placed, is_known: true }
    }

    /// All that may get requests.
    pub fn endpoints(&self) -> &[Arc<Endpoint>] {
        &self.endpoints
    }

    /// Placement of each, drained ones included; empty if they only differ in weight.
    pub fn placed(&self) -> &[Placed] {
        &self.placed
    }

    /// Whether the list is known to be complete.
    pub fn is_known(&self) -> bool {
        self.is_known
    }

    /// Chooses one, at this time (milliseconds of the upstream's own clock), if possible one not tried yet. `None` only
    /// without endpoints.
    pub fn pick(&self, tried: &[Arc<Endpoint>], now_ms: u64) -> Option<&Arc<Endpoint>> {
        if let [only] = self.endpoints.as_slice() {
            return Some(only);
        }
        LEVELS.iter().find_map(|level| self.groups.iter().find_map(|group| group.pick(*level, tried, now_ms)))
    }
}

#[cfg(test)]
mod tests;
