//! Data for the live page, polled each second: [`document`], `unladen.serve-stats/1`. Counts are since the start; a
//! reader takes the difference of two.

mod site;

use serde_json::{Map, Value, json};
use unladen_fleet::FleetState;

use self::site::histogram;
use crate::histogram::BOUNDS;
use crate::metrics::{Kind, REUSES, VERSIONS};
use crate::metrics_snapshot::{MetricsSnapshot, RateServiceState, UpstreamSnapshot};
use crate::{End, Reason};

/// The document; docs/reference/json.md describes it.
pub(super) fn document(snapshot: &MetricsSnapshot) -> Value {
    json!({
        "schema": "unladen.serve-stats/1",
        "version": env!("CARGO_PKG_VERSION"),
        "time": snapshot.taken.to_string(),
        "started": snapshot.started.to_string(),
        "uptime_ns": snapshot.uptime.as_nanos() as u64,
        "pid": std::process::id(),
        "draining": snapshot.draining,
        "bounds_ns": BOUNDS,
        "upstreams": snapshot.upstreams.iter().map(upstream).collect::<Vec<_>>(),
        "access_log": {
            "written": snapshot.log.written,
            "lost_full": snapshot.log.lost_full,
            "lost_write": snapshot.log.lost_write,
        },
        "otlp": {
            "spans_sent": snapshot.export.spans_sent,
            "spans_lost_full": snapshot.export.spans_full,
            "spans_lost_export": snapshot.export.spans_failed,
            "taken": snapshot.export.taken,
            "retried": snapshot.export.retried,
            "given_up": snapshot.export.given_up,
        },
        "client_memory": {
            "held_bytes": snapshot.client_memory.held,
            "limit_bytes": snapshot.client_memory.limit,
            "reached": {
                "connection": snapshot.client_memory.reached[0],
                "client": snapshot.client_memory.reached[1],
                "process": snapshot.client_memory.reached[2],
            },
            "ended": { "stalled": snapshot.client_memory.ended_stalled, "slow": snapshot.client_memory.ended_slow },
        },
        "fleet": snapshot.fleet.as_ref().map(fleet),
        "peers": snapshot.peers,
        "rate_services": snapshot.rate_services.iter().map(rate_service).collect::<Vec<_>>(),
        "process": {
            "cpu_ns": snapshot.process.cpu.as_nanos() as u64,
            "resident_bytes": snapshot.process.resident,
            "open_files": snapshot.process.open_files,
        },
    })
}

fn rate_service(state: &RateServiceState) -> Value {
    json!({
        "service": state.service,
        "open": state.is_open,
        "in_flight": state.in_flight,
        "requests": {
            "within": state.within,
            "over": state.over,
            "late": state.late,
            "failed": state.failed,
            "open": state.open,
            "busy": state.busy,
        },
        "error": state.error,
    })
}

fn fleet(fleet: &FleetState) -> Value {
    json!({
        "bus": fleet.bus,
        "node": fleet.node,
        "connected": fleet.is_connected,
        "members": fleet.members,
        "lag": fleet.lag,
        "last_beat_ns": fleet.last_beat.map(|age| age.as_nanos() as u64),
        "sent": fleet.sent,
        "waiting": fleet.waiting,
        "received": fleet.received,
        "late": fleet.late,
        "repeated": fleet.repeated,
        "unreadable": fleet.unreadable,
        "lost": fleet.lost,
        "cut_offs": fleet.cut_offs,
        "cut_off_ns": fleet.cut_off.as_nanos() as u64,
        "error": fleet.error,
    })
}

fn upstream(upstream: &UpstreamSnapshot) -> Value {
    let totals = &upstream.totals;
    let requests = totals.requests();
    let configured = upstream.configured.as_ref();
    json!({
        "name": &*upstream.name,
        "configured": configured.is_some(),
        "url": configured.map(|configured| format!("{}://{}", configured.at.scheme, configured.at.authority)),
        "requests": requests.count(),
        "in_flight": totals.in_flight(),
        "by_status": counts(totals.by(|kind| (kind.status != 0).then_some(kind.status))),
        "by_method": counts(totals.by(|kind| Some(kind.method.into_str()))),
        "by_end": counts(totals.by(|kind| Some(kind.end.into_str()))),
        "by_outcome": counts(totals.by(|kind| Some(outcome(kind)))),
        "by_reason": counts(totals.by(|kind| kind.reason().map(Reason::as_str))),
        "by_connection": counts(REUSES.into_iter().map(|reuse| (reuse.into_str(), totals.reused(reuse)))),
        "by_version": counts(VERSIONS.iter().map(crate::Version::into_str).zip(totals.versions)),
        "attempts": totals.attempts,
        "retries": totals.retries,
        "handshakes_avoided": totals.handshakes_avoided(),
        "bytes_in": totals.bytes_in,
        "bytes_out": totals.bytes_out,
        "clients": { "open": totals.clients_open(), "opened": totals.clients_opened },
        "latency": {
            "total": histogram(&requests),
            "first_byte": histogram(&totals.first_byte),
            "connect": histogram(&totals.connect),
        },
        "pool": configured.map(|configured| json!({
            "breaker": configured.state.breaker,
            "in_flight": configured.state.in_flight,
            "pending": configured.state.pending,
            "connections": configured.state.connections,
            "idle": configured.state.idle,
            "limits": counts(configured.limits.map(|(what, n)| (what, n as u64))),
            "endpoints": configured.state.endpoints,
            "endpoints_from": configured.state.endpoints_from,
            "endpoints_stale_ns": configured.state.endpoints_stale.map(|stale| stale.as_nanos() as u64),
            "lookup_error": configured.state.lookup_error,
            "counts": configured.counts,
        })),
        "troubles": upstream.troubles.iter().map(|told| json!({
            "endpoint": told.place,
            "reason": told.reason,
            "cause": told.cause,
            "request_id": told.request,
            "count": told.count,
            "ago_ns": told.ago.as_nanos() as u64,
        })).collect::<Vec<_>>(),
        "site": site::site(upstream),
    })
}

/// Class of the status if the upstream's answer was complete, else how the request ended.
pub(super) fn outcome(kind: &Kind) -> &'static str {
    match (kind.end, kind.status / 100) {
        (End::Answered | End::Upgraded, 1) => "1xx",
        (End::Answered | End::Upgraded, 2) => "2xx",
        (End::Answered | End::Upgraded, 3) => "3xx",
        (End::Answered | End::Upgraded, 4) => "4xx",
        (End::Answered | End::Upgraded, 5) => "5xx",
        (end, _) => end.into_str(),
    }
}

fn counts(counts: impl IntoIterator<Item = (impl ToString, u64)>) -> Value {
    Value::Object(counts.into_iter().map(|(key, n)| (key.to_string(), n.into())).collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests;
