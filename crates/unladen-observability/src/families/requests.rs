//! Metrics of requests, from the threads' counts: [`families`].

use super::family::{Attributes, Examples, Family, Point, upstream_of};
use crate::exemplar::{self, Exemplar};
use crate::histogram::HistogramTotals;
use crate::metrics::{Kind, REUSES, Totals, VERSIONS};
use crate::metrics_snapshot::UpstreamSnapshot;
use crate::{End, Reason};

pub(super) fn families(upstreams: &[UpstreamSnapshot]) -> Vec<Family> {
    let each = |name, points: &dyn Fn(&UpstreamSnapshot) -> Vec<Point>| {
        Family::of(name, upstreams.iter().flat_map(points).collect())
    };
    let one = |name, n: fn(&Totals) -> u64| {
        each(name, &|upstream| vec![Point::whole(vec![upstream_of(upstream)], n(&upstream.totals))])
    };
    let histogram = |name, of: fn(&Totals) -> HistogramTotals| {
        each(name, &|upstream| vec![Point::histogram(vec![upstream_of(upstream)], of(&upstream.totals))])
    };
    vec![
        each("http.server.request.duration", &server),
        one("http.server.active_requests", Totals::in_flight),
        each("http.client.request.duration", &client),
        histogram("unladen.first_byte.duration", |totals| totals.first_byte),
        histogram("unladen.connect.duration", |totals| totals.connect),
        each("unladen.requests", &ends),
        each("unladen.requests.by_connection", &|upstream| {
            let by = |reuse: crate::Reuse| {
                let connection = ("connection", reuse.into_str().into());
                Point::whole(vec![upstream_of(upstream), connection], upstream.totals.reused(reuse))
            };
            REUSES.into_iter().map(by).collect()
        }),
        one("unladen.handshakes.avoided", Totals::handshakes_avoided),
        each("unladen.requests.by_version", &|upstream| {
            let by = |(version, n): (crate::Version, u64)| {
                Point::whole(vec![upstream_of(upstream), ("network.protocol.version", version.into_str().into())], n)
            };
            VERSIONS.into_iter().zip(upstream.totals.versions).map(by).collect()
        }),
        one("unladen.attempts", |totals| totals.attempts),
        one("unladen.retries", |totals| totals.retries),
        one("unladen.request.body", |totals| totals.bytes_in),
        one("unladen.response.body", |totals| totals.bytes_out),
        one("unladen.client_connections.open", Totals::clients_open),
        one("unladen.client_connections.opened", |totals| totals.clients_opened),
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

fn kind(kind: &Kind) -> Attributes {
    let mut attributes = Vec::new();
    if kind.rest {
        // As OpenTelemetry's SDKs mark an overflow.
        attributes.push(("otel.metric.overflow", "true".into()));
    } else {
        attributes.push(("http.request.method", kind.method.into_str().into()));
    }
    if kind.status != 0 {
        attributes.push(("http.response.status_code", kind.status.to_string().into()));
    }
    match kind.end {
        End::Local(reason) | End::Broken(reason) => attributes.push(("error.type", reason.as_str().into())),
        End::ClientGone => attributes.push(("error.type", kind.end.into_str().into())),
        End::Answered | End::Upgraded if kind.status >= 500 => {
            attributes.push(("error.type", kind.status.to_string().into()));
        }
        End::Answered | End::Upgraded => {}
    }
    attributes
}

fn ends(upstream: &UpstreamSnapshot) -> Vec<Point> {
    let key = |kind: &Kind| (kind.end.into_str(), kind.reason().map(Reason::as_str));
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
