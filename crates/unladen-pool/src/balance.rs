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

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use crate::endpoint::Endpoint;
use crate::settings::Balance;

/// Endpoints, and how to choose among them. Shared by all threads; where the endpoints change, a new one takes its
/// place.
#[derive(Debug)]
pub struct Balancer {
    endpoints: Vec<Arc<Endpoint>>,
    /// The weights of each and all before it, added up.
    sums: Vec<u64>,
    how: Balance,
    /// For the turns: each one's current weight, as nginx's smooth weighted round robin has it.
    turns: Mutex<Vec<i64>>,
}

/// Who comes into question, the best first.
#[derive(Clone, Copy, Debug)]
enum Level {
    Untried,
    Available,
    UntriedHealthy,
    Healthy,
    Any,
}

/// How often one is drawn from all before those that fit are looked for one by one.
const DRAWS: usize = 4;

const LEVELS: [Level; 5] = [Level::Untried, Level::Available, Level::UntriedHealthy, Level::Healthy, Level::Any];

// === impl Balancer ===

impl Balancer {
    /// Among these.
    pub fn new(endpoints: Vec<Arc<Endpoint>>, how: Balance) -> Self {
        // From anywhere: many proxies that start together do not all begin with the same endpoint.
        let turns = endpoints.iter().map(|endpoint| fastrand::i64(0..=i64::from(endpoint.weight))).collect();
        let add = |sum: &mut u64, endpoint: &Arc<Endpoint>| {
            *sum += weight(endpoint);
            Some(*sum)
        };
        let sums = endpoints.iter().scan(0, add).collect();
        Self { endpoints, sums, how, turns: Mutex::new(turns) }
    }

    /// All of them.
    pub fn endpoints(&self) -> &[Arc<Endpoint>] {
        &self.endpoints
    }

    /// One for a request, at this time (milliseconds of the upstream's own clock), if possible none of those tried
    /// already. None only where there are no endpoints.
    pub fn pick(&self, tried: &[Arc<Endpoint>], now_ms: u64) -> Option<&Arc<Endpoint>> {
        if let [only] = self.endpoints.as_slice() {
            return Some(only);
        }
        LEVELS.iter().find_map(|level| {
            let fits = |endpoint: &Arc<Endpoint>| level.has(endpoint, tried, now_ms);
            match self.how {
                Balance::LeastRequests => self.less_loaded(fits),
                Balance::RoundRobin => self.next(fits),
            }
        })
    }

    /// Of two drawn at random by weight the one with fewer requests in flight for its weight; of equal ones the first,
    /// so that without load the weights alone decide. ("The Power of Two Choices in Randomized Load Balancing",
    /// Mitzenmacher 2001.)
    fn less_loaded(&self, fits: impl Fn(&Arc<Endpoint>) -> bool) -> Option<&Arc<Endpoint>> {
        let first = self.draw(&fits)?;
        let second = self.draw(|endpoint| !Arc::ptr_eq(endpoint, first) && fits(endpoint));
        match second {
            Some(second) if load(second, first) < load(first, second) => Some(second),
            _ => Some(first),
        }
    }

    /// One of those that fit, at random by weight.
    fn draw(&self, fits: impl Fn(&Arc<Endpoint>) -> bool) -> Option<&Arc<Endpoint>> {
        // Of all, until it fits: mostly at once, however many there are.
        let all = self.sums.last().copied().filter(|all| *all > 0)?;
        for _ in 0..DRAWS {
            let at = fastrand::u64(..all);
            let drawn = self.endpoints.get(self.sums.partition_point(|sum| *sum <= at));
            if let Some(drawn) = drawn.filter(|drawn| fits(drawn)) {
                return Some(drawn);
            }
        }
        // Few fit, or none: in one pass, each that does replaces the one before with the chance that its weight has
        // among those seen so far (reservoir sampling).
        let mut sum = 0;
        let mut drawn = None;
        for endpoint in self.endpoints.iter().filter(|endpoint| fits(endpoint)) {
            sum += weight(endpoint);
            if fastrand::u64(..sum) < weight(endpoint) {
                drawn = Some(endpoint);
            }
        }
        drawn
    }

    /// Smooth weighted round robin as nginx has it (ngx_http_upstream_round_robin.c): every one gains its weight, the
    /// highest is taken and loses the sum. Those that do not fit neither gain nor lose.
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

/// None is left out altogether by its weight.
fn weight(endpoint: &Endpoint) -> u64 {
    endpoint.weight.max(1).into()
}

/// What to compare instead of requests in flight for the weight, without a division.
fn load(of: &Endpoint, other: &Endpoint) -> u64 {
    u64::from(of.in_flight.load(Ordering::Relaxed)) * weight(other)
}

// === impl Level ===

impl Level {
    fn has(self, endpoint: &Arc<Endpoint>, tried: &[Arc<Endpoint>], now_ms: u64) -> bool {
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

#[cfg(test)]
mod tests;
