//! The principal type is [`Tier`]: endpoints that differ only in weight, and the choice of one.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use super::level::Level;
use crate::endpoint::Endpoint;
use crate::settings::Balance;

#[derive(Debug)]
pub(super) struct Tier {
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
