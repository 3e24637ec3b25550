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
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use crate::endpoint::{Endpoint, Placed};
use crate::settings::Balance;

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

#[derive(Debug)]
struct Tier {
    endpoints: Vec<Arc<Endpoint>>,
    sums: Vec<u64>,
    how: Balance,
    /// Current weights for taking turns, as in nginx's smooth weighted round robin.
    turns: Mutex<Vec<i64>>,
}

/// Draws from all endpoints before the matching ones are searched one by one.
const DRAWS: usize = 4;

impl Tier {
    pub(super) fn new(endpoints: Vec<Arc<Endpoint>>, how: Balance) -> Self {
        // Random start: many proxies that start together do not all begin with the same endpoint.
        let turn = |endpoint: &Arc<Endpoint>| fastrand::i64(0..=i64::try_from(weight(endpoint)).unwrap_or(i64::MAX));
        let turns = endpoints.iter().map(turn).collect();
        let add = |sum: &mut u64, endpoint: &Arc<Endpoint>| {
            *sum += weight(endpoint);
            Some(*sum)
        };
        let sums = endpoints.iter().scan(0, add).collect();
        Self { endpoints, sums, how, turns: Mutex::new(turns) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.endpoints.is_empty()
    }

    pub(super) fn pick(&self, level: Level, tried: &[Arc<Endpoint>], now_ms: u64) -> Option<&Arc<Endpoint>> {
        let fits = |endpoint: &Arc<Endpoint>| level.has(endpoint, tried, now_ms);
        match self.how {
            Balance::LeastRequests => self.less_loaded(fits),
            Balance::RoundRobin => self.next(fits),
        }
    }

    pub(super) fn available(&self, now_ms: u64) -> (u64, u64) {
        let of = |endpoint: &&Arc<Endpoint>| endpoint.is_available(now_ms);
        let available = self.endpoints.iter().filter(of).map(|endpoint| weight(endpoint)).sum();
        (available, self.endpoints.iter().map(|endpoint| weight(endpoint)).sum())
    }

    /// Of two drawn at random by weight, the one with fewer requests in flight relative to its weight; on a tie the
    /// first, so that without load only weights decide. ("The Power of Two Choices in Randomized Load Balancing",
    /// Mitzenmacher 2001.)
    fn less_loaded(&self, fits: impl Fn(&Arc<Endpoint>) -> bool) -> Option<&Arc<Endpoint>> {
        let first = self.draw(&fits)?;
        let second = self.draw(|endpoint| !Arc::ptr_eq(endpoint, first) && fits(endpoint));
        match second {
            Some(second) if load(second, first) < load(first, second) => Some(second),
            _ => Some(first),
        }
    }

    fn draw(&self, fits: impl Fn(&Arc<Endpoint>) -> bool) -> Option<&Arc<Endpoint>> {
        // Draws from all until one matches: mostly at once, however many there are.
        let all = self.sums.last().copied().filter(|all| *all > 0)?;
        for _ in 0..DRAWS {
            let at = fastrand::u64(..all);
            let drawn = self.endpoints.get(self.sums.partition_point(|sum| *sum <= at));
            if let Some(drawn) = drawn.filter(|drawn| fits(drawn)) {
                return Some(drawn);
            }
        }
        // Few match, or none: in one pass, each match replaces the previous one with the probability of its weight
        // among those seen so far (reservoir sampling).
        let mut sum = 0;
        let mut drawn = None;
        for endpoint in self.endpoints.iter().filter(|endpoint| fits(endpoint)) {
            let weight = weight(endpoint);
            sum += weight;
            if fastrand::u64(..sum) < weight {
                drawn = Some(endpoint);
            }
        }
        drawn
    }

    /// Smooth weighted round robin as in nginx (ngx_http_upstream_round_robin.c): each gains its weight; the highest is
    /// taken and loses the sum. Those that do not match neither gain nor lose.
    fn next(&self, fits: impl Fn(&Arc<Endpoint>) -> bool) -> Option<&Arc<Endpoint>> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sum = 0;
        let mut best: Option<usize> = None;
        for (index, endpoint) in self.endpoints.iter().enumerate().filter(|(_, endpoint)| fits(endpoint)) {
            let weight = i64::try_from(weight(endpoint)).unwrap_or(i64::MAX);
            sum += weight;
            turns[index] += weight;
            if best.is_none_or(|best| turns[index] > turns[best]) {
                best = Some(index);
            }
        }
        let best = best?;
        turns[best] -= sum;
        self.endpoints.get(best)
    }
}

/// At least 1, so that none is left out entirely.
fn weight(endpoint: &Endpoint) -> u64 {
    endpoint.weight.load(Ordering::Relaxed).max(1).into()
}

/// Compares requests in flight relative to weight, without a division.
fn load(of: &Endpoint, other: &Endpoint) -> u64 {
    u64::from(of.in_flight.load(Ordering::Relaxed)) * weight(other)
}

/// Which endpoints are considered, the best first.
#[derive(Clone, Copy, Debug)]
enum Level {
    Untried,
    Available,
    UntriedHealthy,
    Healthy,
    Any,
}

const LEVELS: [Level; 5] = [Level::Untried, Level::Available, Level::UntriedHealthy, Level::Healthy, Level::Any];

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

#[derive(Debug)]
struct Group {
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

#[cfg(test)]
mod tests;
