//! Metrics of upstreams and their connections, as the pool tells them: [`families`].

use super::family::{Attributes, Family, Point, Shape, Unit, upstream_of};
use crate::metrics_snapshot::UpstreamSnapshot;
use crate::upstreams::Configured;

/// A count of the pool, the metric that tells it, and what tells it from others of that.
type Count = (&'static str, &'static str, Option<(&'static str, &'static str)>);

/// What the pool counts, and how it is told.
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

/// The metrics of [`COUNTS`], and that of whatever else the pool counts.
const COUNTERS: &[(&str, &str, &str)] = &[
    ("unladen.connections.made", "{connection}", "Connections to the upstream that were made."),
    ("unladen.connections.failed", "{connection}", "Connections to the upstream that could not be made."),
    ("unladen.tls_handshakes", "{handshake}", "Handshakes of TLS with the upstream."),
    ("unladen.connections.closed", "{connection}", "Idle connections that were closed, and why."),
    ("unladen.requests.waited", "{request}", "Requests that waited for a connection."),
    ("unladen.dns_lookups", "{lookup}", "Look-ups of the upstream's names."),
    ("unladen.dns_lookups.failed", "{lookup}", "Of them, those that failed: the last good answer is kept."),
    (OTHERS, "{event}", "What else happened to the upstream's connections."),
];

const OTHERS: &str = "unladen.pool.events";

/// Of these upstreams; those that are configured no more have none.
pub(super) fn families(upstreams: &[UpstreamSnapshot]) -> Vec<Family> {
    let present: Vec<(&UpstreamSnapshot, &Configured)> =
        upstreams.iter().filter_map(|upstream| Some((upstream, upstream.configured.as_ref()?))).collect();
    let each = |points: &dyn Fn(&UpstreamSnapshot, &Configured) -> Vec<Point>| -> Vec<Point> {
        present.iter().flat_map(|(upstream, configured)| points(upstream, configured)).collect()
    };
    let family = |name, thing, shape, help, points| Family { name, unit: Unit::Of(thing), shape, help, points };
    let mut all = vec![
        family(
            "http.client.open_connections",
            "{connection}",
            Shape::UpDown,
            "Connections to the upstream that are open.",
            each(&|upstream, configured| {
                let idle = configured.state.idle.min(configured.state.connections);
                let of = |state: &'static str, n: usize| {
                    let mut attributes = vec![upstream_of(upstream)];
                    attributes.extend(address(upstream));
                    attributes.push(("http.connection.state", state.into()));
                    Point::whole(attributes, n as u64)
                };
                vec![of("idle", idle), of("active", configured.state.connections - idle)]
            }),
        ),
        family(
            "http.client.active_requests",
            "{request}",
            Shape::UpDown,
            "Requests to the upstream that are in flight, those that wait for a connection included.",
            each(&|upstream, configured| {
                let mut attributes = vec![upstream_of(upstream)];
                attributes.extend(address(upstream));
                vec![Point::whole(attributes, configured.state.in_flight as u64)]
            }),
        ),
        family(
            "unladen.pending_requests",
            "{request}",
            Shape::UpDown,
            "Requests that wait for a connection.",
            each(&|upstream, configured| {
                vec![Point::whole(vec![upstream_of(upstream)], configured.state.pending as u64)]
            }),
        ),
        family(
            "unladen.limit",
            "{thing}",
            Shape::Gauge,
            "How many there may be: connections to the upstream, requests that wait for one, requests in flight.",
            each(&|upstream, configured| {
                let of = |(what, n): (&'static str, usize)| {
                    Point::whole(vec![upstream_of(upstream), ("of", what.into())], n as u64)
                };
                configured.limits.into_iter().map(of).collect()
            }),
        ),
        family(
            "unladen.breaker",
            "1",
            Shape::Gauge,
            "1 for the state that the upstream's breaker is in. While it is open, requests are answered at once.",
            each(&|upstream, configured| {
                let Some(now) = configured.state.breaker else { return Vec::new() };
                let of = |state: &'static str| {
                    Point::whole(vec![upstream_of(upstream), ("state", state.into())], u64::from(state == now))
                };
                ["closed", "half_open", "open"].into_iter().map(of).collect()
            }),
        ),
    ];
    all.push(Family {
        name: "unladen.endpoints.stale",
        unit: Unit::Seconds,
        shape: Shape::Gauge,
        help: "How old the last good answer to where the endpoints are is, if asking has failed since; 0: it has not.",
        points: each(&|upstream, configured| {
            let stale = configured.state.endpoints_stale.unwrap_or_default();
            vec![Point::real(vec![upstream_of(upstream)], stale.as_secs_f64())]
        }),
    });
    all.extend(endpoints(&present));
    all.extend(COUNTERS.iter().map(|&(name, thing, help)| {
        family(name, thing, Shape::Counter, help, each(&|upstream, configured| counts(name, upstream, configured)))
    }));
    all
}

/// A metric of an endpoint: its name, what it counts, what it says, and how it is read.
type OfEndpoint = (&'static str, &'static str, &'static str, fn(&unladen_pool::EndpointState) -> u64);

fn endpoints(present: &[(&UpstreamSnapshot, &Configured)]) -> Vec<Family> {
    const METRICS: [OfEndpoint; 5] = [
        ("unladen.endpoint.draining", "1", "1: it gets no more requests.", |e| e.draining.into()),
        ("unladen.endpoint.healthy", "1", "1: active health checks have nothing against it.", |e| e.healthy.into()),
        ("unladen.endpoint.ejected", "1", "1: it is taken out for its failures.", |e| e.ejected.into()),
        ("unladen.endpoint.active_requests", "{request}", "Requests to it that are in flight.", |e| e.in_flight.into()),
        (
            "unladen.endpoint.kept_connections",
            "{connection}",
            "Connections to it: idle ones, and those of HTTP/2.",
            |e| e.kept as u64,
        ),
    ];
    let of = |(name, thing, help, read): OfEndpoint| Family {
        name,
        unit: Unit::Of(thing),
        shape: Shape::Gauge,
        help,
        points: present
            .iter()
            .flat_map(|(upstream, configured)| {
                let names = names(&configured.state.endpoints);
                let endpoints = names.into_iter().zip(&configured.state.endpoints);
                endpoints.map(|(name, endpoint)| {
                    Point::whole(vec![upstream_of(upstream), ("endpoint", name.into())], read(endpoint))
                })
            })
            .collect(),
    };
    METRICS.into_iter().map(of).collect()
}

/// One each: two origins may lead to the same address, and no two points of a metric may have the same attributes.
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

/// Where the upstream is.
pub(super) fn address(upstream: &UpstreamSnapshot) -> Attributes {
    let Some(configured) = &upstream.configured else { return Vec::new() };
    let mut attributes = vec![("server.address", configured.at.address.clone().into())];
    if let Some(port) = configured.at.port {
        attributes.push(("server.port", port.to_string().into()));
    }
    attributes
}
