//! Metrics of upstreams and their connections, from the pool: [`families`].

use super::family::{Attributes, Family, Point, upstream_of};
use crate::metrics_snapshot::UpstreamSnapshot;
use crate::upstreams::Configured;

type Count = (&'static str, &'static str, Option<(&'static str, &'static str)>);

const COUNTS: &[Count] = &[
    ("connects", "unladen.connections.made", None),
    ("connect_failures", "unladen.connections.failed", None),
    ("handshakes_full", "unladen.tls_handshakes", Some(("result", "full"))),
    ("handshakes_resumed", "unladen.tls_handshakes", Some(("result", "resumed"))),
    ("handshake_failures", "unladen.tls_handshakes", Some(("result", "failed"))),
    ("closed_idle", "unladen.connections.closed", Some(("reason", "idle"))),
    ("closed_age", "unladen.connections.closed", Some(("reason", "age"))),
    ("closed_requests", "unladen.connections.closed", Some(("reason", "requests"))),
    ("closed_surplus", "unladen.connections.closed", Some(("reason", "surplus"))),
    ("closed_by_peer", "unladen.connections.closed", Some(("reason", "closed_by_peer"))),
    ("waited", "unladen.requests.waited", None),
    ("lookups", "unladen.dns_lookups", None),
    ("lookup_failures", "unladen.dns_lookups.failed", None),
];

const OTHERS: &str = "unladen.pool.events";

pub(super) fn families(upstreams: &[UpstreamSnapshot]) -> Vec<Family> {
    let present: Vec<(&UpstreamSnapshot, &Configured)> =
        upstreams.iter().filter_map(|upstream| Some((upstream, upstream.configured.as_ref()?))).collect();
    let family = |name, points: &dyn Fn(&UpstreamSnapshot, &Configured) -> Vec<Point>| {
        Family::of(name, present.iter().flat_map(|(upstream, configured)| points(upstream, configured)).collect())
    };
    let mut all = vec![
        family("http.client.open_connections", &|upstream, configured| {
            let idle = configured.state.idle.min(configured.state.connections);
            let of = |state: &'static str, n: usize| {
                let mut attributes = vec![upstream_of(upstream)];
                attributes.extend(address(upstream));
                attributes.push(("http.connection.state", state.into()));
                Point::whole(attributes, n as u64)
            };
            vec![of("idle", idle), of("active", configured.state.connections - idle)]
        }),
        family("http.client.active_requests", &|upstream, configured| {
            let mut attributes = vec![upstream_of(upstream)];
            attributes.extend(address(upstream));
            vec![Point::whole(attributes, configured.state.in_flight as u64)]
        }),
        family("unladen.pending_requests", &|upstream, configured| {
            vec![Point::whole(vec![upstream_of(upstream)], configured.state.pending as u64)]
        }),
        family("unladen.limit", &|upstream, configured| {
            let of = |(what, n): (&'static str, usize)| {
                Point::whole(vec![upstream_of(upstream), ("of", what.into())], n as u64)
            };
            configured.limits.into_iter().map(of).collect()
        }),
        family("unladen.breaker", &|upstream, configured| {
            let Some(now) = configured.state.breaker else { return Vec::new() };
            let of = |state: &'static str| {
                Point::whole(vec![upstream_of(upstream), ("state", state.into())], u64::from(state == now))
            };
            ["closed", "half_open", "open"].into_iter().map(of).collect()
        }),
        family("unladen.endpoints.stale", &|upstream, configured| {
            let stale = configured.state.endpoints_stale.unwrap_or_default();
            vec![Point::real(vec![upstream_of(upstream)], stale.as_secs_f64())]
        }),
    ];
    let of_endpoints = |name, read: fn(&unladen_pool::EndpointState) -> u64| {
        family(name, &|upstream, configured| {
            let endpoints = names(&configured.state.endpoints).into_iter().zip(&configured.state.endpoints);
            let of = |(name, endpoint): (String, _)| {
                Point::whole(vec![upstream_of(upstream), ("endpoint", name.into())], read(endpoint))
            };
            endpoints.map(of).collect()
        })
    };
    all.extend([
        of_endpoints("unladen.endpoint.draining", |endpoint| endpoint.draining.into()),
        of_endpoints("unladen.endpoint.healthy", |endpoint| endpoint.healthy.into()),
        of_endpoints("unladen.endpoint.ejected", |endpoint| endpoint.ejected.into()),
        of_endpoints("unladen.endpoint.active_requests", |endpoint| endpoint.in_flight.into()),
        of_endpoints("unladen.endpoint.kept_connections", |endpoint| endpoint.kept as u64),
    ]);
    let mut metrics: Vec<&'static str> = COUNTS.iter().map(|(_, metric, _)| *metric).chain([OTHERS]).collect();
    metrics.dedup();
    all.extend(
        metrics.into_iter().map(|name| family(name, &|upstream, configured| counts(name, upstream, configured))),
    );
    all
}

/// Unique names: two origins may lead to the same address, and points of a metric must differ in their attributes.
fn names(endpoints: &[unladen_pool::EndpointState]) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(endpoints.len());
    for endpoint in endpoints {
        let again = |name: &String| names.contains(name);
        let numbered = (2..).map(|n| format!("{} ({n})", endpoint.address));
        let name = std::iter::once(endpoint.address.clone()).chain(numbered).find(|name| !again(name));
        names.extend(name);
    }
    names
}

fn counts(metric: &str, upstream: &UpstreamSnapshot, configured: &Configured) -> Vec<Point> {
    let of = |(name, &n): (&String, &u64)| {
        let mut attributes = vec![upstream_of(upstream)];
        match COUNTS.iter().find(|(count, ..)| count == name) {
            Some((_, told_by, more)) => {
                attributes.extend(more.map(|(key, value)| (key, value.into())));
                (*told_by == metric).then(|| Point::whole(attributes, n))
            }
            None => {
                attributes.push(("event", name.clone().into()));
                (metric == OTHERS).then(|| Point::whole(attributes, n))
            }
        }
    };
    configured.counts.iter().filter_map(of).collect()
}

pub(super) fn address(upstream: &UpstreamSnapshot) -> Attributes {
    let Some(configured) = &upstream.configured else { return Vec::new() };
    let mut attributes = vec![("server.address", configured.at.address.clone().into())];
    if let Some(port) = configured.at.port {
        attributes.push(("server.port", port.to_string().into()));
    }
    attributes
}
