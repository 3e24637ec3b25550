//! The principal type is [`Balancer`]: which of several endpoints takes a request.
//!
//! # When none is available
//! Envoy ignores what it knows of its hosts as soon as fewer than half of them are healthy (the panic threshold, 50 %
//! unless set): the rest would be overrun. Here that begins where none is left: half of a small upstream may well carry
//! the load, limits and the breaker see to it if not, and requests are not sent to an endpoint known to be down as long
//! as there is one that is not. But a request is never turned away because of what is known of endpoints alone: checks
//! can be wrong about all at once, as when their path is missing. So it is taken, the first of these that is not empty,
//!
//! 1. an available endpoint that was not tried yet,
//! 2. an available one,
//! 3. one that failed lately but answers its health checks, not tried yet, or tried,
//! 4. any.
//!
//! # Priorities and zones
//! Each step looks through the priorities in their order, and within one through the own zone first: an endpoint of the
//! next priority is taken only while none of the one before is left in that step.

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

/// Endpoints, and how to choose among them. Shared by all threads; where the endpoints change, a new one takes its
/// place.
#[derive(Debug)]
pub struct Balancer {
    endpoints: Vec<Arc<Endpoint>>,
    /// Of each priority, the lowest first.
    groups: Vec<Group>,
    /// Where they stand and those that are drained, if that is known.
    placed: Vec<Placed>,
    /// That there are no others is known, and not only not known yet.
    is_known: bool,
}

impl Balancer {
    /// Among these, which are alike but for their weights.
    pub fn new(endpoints: Vec<Arc<Endpoint>>, how: Balance) -> Self {
        let group = Group::new(Tier::new(Vec::new(), how), Tier::new(endpoints.clone(), how));
        Self { endpoints, groups: vec![group], placed: Vec::new(), is_known: false }
    }

    /// Among these, seen from a zone: those that are not drained. There may be none.
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

    /// The place of each among the others, those that are drained too; none: they are alike but for their weights.
    pub fn placed(&self) -> &[Placed] {
        &self.placed
    }

    /// Whether it is known that there are no others.
    pub fn is_known(&self) -> bool {
        self.is_known
    }

    /// One for a request, at this time (milliseconds of the upstream's own clock), if possible none of those tried
    /// already. None only where there are no endpoints.
    pub fn pick(&self, tried: &[Arc<Endpoint>], now_ms: u64) -> Option<&Arc<Endpoint>> {
        if let [only] = self.endpoints.as_slice() {
            return Some(only);
        }
        LEVELS.iter().find_map(|level| self.groups.iter().find_map(|group| group.pick(*level, tried, now_ms)))
    }
}

#[cfg(test)]
mod tests;
