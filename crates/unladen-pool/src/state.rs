//! The principal type is [`UpstreamState`]: how an upstream does at one moment.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::Serialize;

use crate::breaker::BreakerState;
use crate::counters::Counts;
use crate::endpoint::Endpoint;
use crate::placed::Placed;
use crate::upstream::Upstream;

/// How an upstream does.
#[derive(Clone, Debug, Serialize)]
pub struct UpstreamState {
    pub name: String,
    /// `closed`, `open`, `half_open`; none: it has no breaker.
    pub breaker: Option<&'static str>,
    /// Requests in flight.
    pub in_flight: usize,
    /// Requests that wait for a connection.
    pub pending: usize,
    /// Connections of all kinds.
    pub connections: usize,
    /// Those of them that are idle.
    pub idle: usize,
    pub endpoints: Vec<EndpointState>,
    /// What tells its endpoints, if not the host of its URL.
    pub endpoints_from: Option<String>,
    /// Why its name could not be looked up the last time, or its endpoints were not told, if so.
    pub lookup_error: Option<String>,
    /// How old the last good answer is, if asking has failed since.
    #[serde(skip)]
    pub endpoints_stale: Option<Duration>,
    /// What has happened to its connections.
    pub counts: Counts,
}

/// How an endpoint does.
#[derive(Clone, Debug, Serialize)]
pub struct EndpointState {
    pub address: String,
    /// What health checks say.
    pub healthy: bool,
    /// Whether it is taken out for its failures.
    pub ejected: bool,
    /// Its share among those of its priority.
    pub weight: u32,
    /// The lower, the earlier it is taken.
    pub priority: u32,
    /// Where it stands, if that is told.
    pub zone: Option<String>,
    /// Whether it gets no more requests.
    pub draining: bool,
    /// Requests in flight.
    pub in_flight: u32,
    /// Idle connections, and those of HTTP/2.
    pub kept: usize,
}

impl Upstream {
    /// What has happened to its connections: as in [`Self::state`], without looking at each of them.
    pub fn counts(&self) -> Counts {
        let mut counts = self.counters.read();
        if let Some(names) = self.names.get() {
            (counts.lookups, counts.lookup_failures) = (names.lookups(), names.failures());
        }
        counts
    }

    /// How it does.
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
            breaker: self.breaker.as_ref().map(|breaker| BreakerState::as_str(breaker.state())),
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
