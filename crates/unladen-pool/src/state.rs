//! The principal type is [`UpstreamState`]: state of an upstream at one moment.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::Serialize;

use crate::endpoint::{Endpoint, Placed};
use crate::upstream::{Counts, Upstream};

/// State of an upstream.
#[derive(Clone, Debug, Serialize)]
pub struct UpstreamState {
    pub name: String,
    /// `closed`, `open`, `half_open`; `None` without a breaker.
    pub breaker: Option<&'static str>,
    pub in_flight: usize,
    pub pending: usize,
    pub connections: usize,
    pub idle: usize,
    pub endpoints: Vec<EndpointState>,
    /// Source of its endpoints, if not the host of its URL.
    pub endpoints_from: Option<String>,
    pub lookup_error: Option<String>,
    /// Age of the last good answer, if asking has failed since.
    #[serde(skip)]
    pub endpoints_stale: Option<Duration>,
    pub counts: Counts,
}

/// State of an endpoint.
#[derive(Clone, Debug, Serialize)]
pub struct EndpointState {
    pub address: String,
    pub healthy: bool,
    pub ejected: bool,
    pub weight: u32,
    /// Lower ones are taken first.
    pub priority: u32,
    pub zone: Option<String>,
    pub draining: bool,
    pub in_flight: u32,
    /// Idle connections, and HTTP/2 ones.
    pub kept: usize,
}

impl Upstream {
    /// Counts of its connections, as in [`Self::state`], without visiting each connection.
    pub fn counts(&self) -> Counts {
        let mut counts = self.counters.read();
        if let Some(names) = self.names.get() {
            (counts.lookups, counts.lookup_failures) = (names.lookups(), names.failures());
        }
        counts
    }

    /// Current state.
    pub fn state(&self) -> UpstreamState {
        let now = self.now_ms();
        let of = |endpoint: &Arc<Endpoint>, priority, zone, draining| EndpointState {
            address: endpoint.address.to_string(),
            healthy: endpoint.healthy.load(Ordering::Relaxed),
            ejected: endpoint.ejected_until.load(Ordering::Relaxed) > now,
            weight: endpoint.weight.load(Ordering::Relaxed),
            priority,
            zone,
            draining,
            in_flight: endpoint.in_flight.load(Ordering::Relaxed),
            kept: (0..self.idle_connections.len()).map(|thread| self.idle_connections(thread).idle_of(endpoint)).sum(),
        };
        let balancer = self.endpoints.load();
        let placed = |one: &Placed| of(&one.endpoint, one.priority, one.zone.clone(), one.draining);
        let endpoints = match balancer.placed() {
            [] => balancer.endpoints().iter().map(|endpoint| of(endpoint, 0, None, false)).collect(),
            all => all.iter().map(placed).collect(),
        };
        let names = self.names.get();
        UpstreamState {
            name: self.settings.name.clone(),
            breaker: self.breaker.as_ref().map(|breaker| breaker.state().into_str()),
            in_flight: self.requests.load(Ordering::Relaxed),
            pending: self.pending.load(Ordering::Relaxed),
            connections: self.slots.taken(),
            idle: (0..self.idle_connections.len()).map(|thread| self.idle_connections(thread).idle()).sum(),
            endpoints,
            endpoints_from: self.discovery().map(|discovery| discovery.from.to_string()),
            lookup_error: names.and_then(|names| names.error()),
            endpoints_stale: names.and_then(|names| names.stale()),
            counts: self.counts(),
        }
    }
}
