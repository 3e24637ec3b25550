//! Metrics of requests, as the threads counted them: [`families`].

use super::family::{Attributes, Examples, Family, Point, Shape, Unit, upstream_of};
use crate::exemplar::{self, Exemplar};
use crate::metrics::{Kind, REUSES, VERSIONS};
use crate::metrics_snapshot::UpstreamSnapshot;
use crate::{End, Reason};

/// Of these upstreams.
pub(super) fn families(upstreams: &[UpstreamSnapshot]) -> Vec<Family> {
    let each = |points: &dyn Fn(&UpstreamSnapshot) -> Vec<Point>| upstreams.iter().flat_map(points).collect::<Vec<_>>();
    let one = |upstream: &UpstreamSnapshot, n| vec![Point::whole(vec![upstream_of(upstream)], n)];
    let counter = |name, thing, help, points| Family { name, unit: thing, shape: Shape::Counter, help, points };
    let updown = |name, thing, help, points| Family { name, unit: Unit::Of(thing), shape: Shape::UpDown, help, points };
    let histogram = |name, help, points| Family { name, unit: Unit::Seconds, shape: Shape::Histogram, help, points };
    let requests = Unit::Of("{request}");
    vec![
        histogram(
            "http.server.request.duration",
            "Requests of the application, from their first byte to the response's last.",
            each(&server),
        ),
        updown(
            "http.server.active_requests",
            "{request}",
            "Requests of the application that are in flight.",
            each(&|upstream| one(upstream, upstream.totals.in_flight())),
        ),
        histogram(
            "http.client.request.duration",
            "Requests to the upstream, from when the last attempt had its connection to the response's last byte.",
            each(&client),
        ),
        histogram(
            "unladen.first_byte.duration",
            "From a request's first byte to the head of its response.",
            each(&|upstream| vec![Point::histogram(vec![upstream_of(upstream)], upstream.totals.first_byte)]),
        ),
        histogram(
            "unladen.connect.duration",
            "From a request's whole head until it had its connection, of those for which one was made.",
            each(&|upstream| vec![Point::histogram(vec![upstream_of(upstream)], upstream.totals.connect)]),
        ),
        counter("unladen.requests", requests, "Requests by how they ended, and why.", each(&ends)),
        counter(
            "unladen.requests.by_connection",
            requests,
            "Requests by how their last connection was come by: this thread's own, a sibling thread's, a new one (with a whole \
             handshake), a resumed one (with a resumed TLS session), none.",
            each(&|upstream| {
                let by = |reuse: crate::Reuse| {
                    let connection = ("connection", reuse.as_str().into());
                    Point::whole(vec![upstream_of(upstream), connection], upstream.totals.reused(reuse))
                };
                REUSES.into_iter().map(by).collect()
            }),
        ),
        counter(
            "unladen.handshakes.avoided",
            Unit::Of("{handshake}"),
            "Requests that found a connection, so that none had to be made.",
            each(&|upstream| one(upstream, upstream.totals.handshakes_avoided())),
        ),
        counter(
            "unladen.requests.by_version",
            requests,
            "Requests by the version of HTTP that the application spoke.",
            each(&|upstream| {
                let by = |(version, n): (crate::Version, u64)| {
                    Point::whole(vec![upstream_of(upstream), ("network.protocol.version", version.as_str().into())], n)
                };
                VERSIONS.into_iter().zip(upstream.totals.versions).map(by).collect()
            }),
        ),
        counter(
            "unladen.attempts",
            Unit::Of("{attempt}"),
            "Times that requests were sent to the upstream.",
            each(&|upstream| one(upstream, upstream.totals.attempts)),
        ),
        counter(
            "unladen.retries",
            Unit::Of("{attempt}"),
            "Times that requests were sent to the upstream again.",
            each(&|upstream| one(upstream, upstream.totals.retries)),
        ),
        counter(
            "unladen.request.body",
            Unit::Bytes,
            "Bytes of requests' bodies.",
            each(&|upstream| one(upstream, upstream.totals.bytes_in)),
        ),
        counter(
            "unladen.response.body",
            Unit::Bytes,
            "Bytes of responses' bodies.",
            each(&|upstream| one(upstream, upstream.totals.bytes_out)),
        ),
        updown(
            "unladen.client_connections.open",
            "{connection}",
            "Connections of the application that are open.",
            each(&|upstream| one(upstream, upstream.totals.clients_open())),
        ),
        counter(
            "unladen.client_connections.opened",
            Unit::Of("{connection}"),
            "Connections that the application opened.",
            each(&|upstream| one(upstream, upstream.totals.clients_opened)),
        ),
    ]
}

fn server(upstream: &UpstreamSnapshot) -> Vec<Point> {
    let scheme = if upstream.site.as_ref().is_some_and(|site| site.is_https) { "https" } else { "http" };
    let of = |row: &crate::metrics::KindTotals| {
        let mut attributes = vec![upstream_of(upstream), ("url.scheme", scheme.into())];
        attributes.extend(kind(&row.kind));
        Point::histogram(attributes, row.server).like(row.server_exemplars.clone().map(Examples::Buckets))
    };
    upstream.totals.kinds.iter().map(of).collect()
}

fn client(upstream: &UpstreamSnapshot) -> Vec<Point> {
    let of = |row: &crate::metrics::KindTotals| {
        let mut attributes = vec![upstream_of(upstream)];
        attributes.extend(super::upstream::address(upstream));
        attributes.extend(kind(&row.kind));
        Point::histogram(attributes, row.client).like(row.client_exemplars.clone().map(Examples::Buckets))
    };
    upstream.totals.kinds.iter().filter(|row| row.client.count() > 0).map(of).collect()
}

/// What tells requests apart: the method and the status, and what went wrong.
fn kind(kind: &Kind) -> Attributes {
    let mut attributes = Vec::new();
    if kind.rest {
        // As OpenTelemetry's SDKs say that there were too many.
        attributes.push(("otel.metric.overflow", "true".into()));
    } else {
        attributes.push(("http.request.method", kind.method.as_str().into()));
    }
    if kind.status != 0 {
        attributes.push(("http.response.status_code", kind.status.to_string().into()));
    }
    match kind.end {
        End::Local(reason) | End::Broken(reason) => attributes.push(("error.type", reason.as_str().into())),
        End::ClientGone => attributes.push(("error.type", kind.end.as_str().into())),
        End::Answered | End::Upgraded if kind.status >= 500 => {
            attributes.push(("error.type", kind.status.to_string().into()));
        }
        End::Answered | End::Upgraded => {}
    }
    attributes
}

fn ends(upstream: &UpstreamSnapshot) -> Vec<Point> {
    let key = |kind: &Kind| (kind.end.as_str(), kind.reason().map(Reason::as_str));
    let by = upstream.totals.by(|kind| Some(key(kind)));
    let last = |of| {
        let rows = upstream.totals.kinds.iter().filter(|row| key(&row.kind) == of);
        rows.map(|row| exemplar::latest(&row.server_exemplars)).fold(None, Exemplar::later)
    };
    let of = |((end, reason), n): ((&'static str, Option<&'static str>), u64)| {
        let mut attributes = vec![upstream_of(upstream), ("end", end.into())];
        if let Some(reason) = reason {
            attributes.push(("reason", reason.into()));
        }
        Point::whole(attributes, n).like(last((end, reason)).map(Examples::Last))
    };
    by.into_iter().map(of).collect()
}
