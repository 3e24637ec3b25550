//! The principal type is [`UpstreamState`]: how an upstream does at one moment.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde::Serialize;

use crate::breaker::BreakerState;
use crate::counters::Counts;
use crate::endpoint::Endpoint;
use crate::upstream::Upstream;

/// How an upstream does.
#[derive(Clone, Debug, Serialize)]
pub struct UpstreamState {
    /// Its name.
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
    /// Its endpoints.
    pub endpoints: Vec<EndpointState>,
    /// Why its name could not be looked up the last time, if so.
    pub lookup_error: Option<String>,
    /// What has happened to its connections.
    pub counts: Counts,
}

/// How an endpoint does.
#[derive(Clone, Debug, Serialize)]
pub struct EndpointState {
    /// Where it is.
    pub address: String,
    /// What health checks say.
    pub healthy: bool,
    /// Whether it is taken out for its failures.
    pub ejected: bool,
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
        let of = |endpoint: &Arc<Endpoint>| EndpointState {
            address: endpoint.address.to_string(),
            healthy: endpoint.healthy.load(Ordering::Relaxed),
            ejected: endpoint.ejected_until.load(Ordering::Relaxed) > now,
            in_flight: endpoint.in_flight.load(Ordering::Relaxed),
            kept: (0..self.idle_connections.len()).map(|thread| self.idle_connections(thread).idle_of(endpoint)).sum(),
        };
        UpstreamState {
            name: self.settings.name.clone(),
            breaker: self.breaker.as_ref().map(|breaker| BreakerState::as_str(breaker.state())),
            in_flight: self.requests.load(Ordering::Relaxed),
            pending: self.pending.load(Ordering::Relaxed),
            connections: self.slots.taken(),
            idle: (0..self.idle_connections.len()).map(|thread| self.idle_connections(thread).idle()).sum(),
            endpoints: self.endpoints.load().endpoints().iter().map(of).collect(),
            lookup_error: self.names.get().and_then(|names| names.error()),
            counts: self.counts(),
        }
    }
}
