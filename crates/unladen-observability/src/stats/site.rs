//! Part of `/stats` about a site: [`site`].

use serde_json::{Map, Value, json};

use crate::CacheResult;
use crate::histogram::HistogramTotals;
use crate::metrics_snapshot::UpstreamSnapshot;
use crate::misses::{Miss, WINDOW};
use crate::site_counts::{BROUGHT, SiteTotals};
use crate::sites::{CertificateState, QueueState, SiteState, SnapshotState, StoreState};

/// Null if it is no site.
pub(super) fn site(upstream: &UpstreamSnapshot) -> Value {
    let state = upstream.site.as_ref();
    let none = SiteTotals::default();
    let totals = match (&upstream.totals.site, state) {
        (Some(totals), _) => totals,
        // No request has come yet.
        (None, Some(_)) => &none,
        (None, None) => return Value::Null,
    };
    let (_, from_memory) = totals.sum(CacheResult::is_saved);
    let (_, from_application) = totals.sum(|result| matches!(result, CacheResult::Miss | CacheResult::Pass));
    let [fetches, passes] = &totals.asked;
    json!({
        "results": totals.results.iter().map(|row| json!({
            "result": row.result.into_str(),
            "reason": row.why,
            "requests": row.requests,
            "bytes": row.bytes,
        })).collect::<Vec<_>>(),
        "bytes_from_memory": from_memory,
        "bytes_from_application": from_application,
        "application": {
            "fetches": asked(fetches),
            "passes": asked(passes),
            "bytes": totals.bytes,
            "saved_estimate_ns": u64::try_from(totals.saved().as_nanos()).unwrap_or(u64::MAX),
        },
        "store": state.and_then(|state| state.store.as_ref()).map(store),
        "connections": state.map(|state| json!({ "refused": state.refused, "closed_for_room": state.closed })),
        "buffer": state.map(|SiteState { buffer, .. }| json!({
            "memory_bytes": buffer.memory,
            "disk_bytes": buffer.disk,
            "files": buffer.files,
            "failures": buffer.failures,
        })),
        "queue": state.and_then(|state| state.queue.as_ref()).map(queue),
        "snapshot": state.and_then(|state| state.snapshot.as_ref()).map(snapshot),
        "certificates": state.map(|state| &*state.certificates).unwrap_or_default().iter().map(certificate).collect::<Vec<_>>(),
        "validators": state.map(|state| &*state.validators).unwrap_or_default().iter().map(|(path, state)| json!({
            "path": path,
            "asked": state.asked,
            "collapsed": state.shared,
            "answered": state.answered,
            "failed": state.failed,
            "timeouts": state.timeouts,
            "remembered": state.remembered,
            "bypassed": state.bypassed,
            "listening": state.is_listening,
            "from_others": state.from_others,
            "share_failed": state.share_failed,
            "sharing": state.is_sharing,
            "last_error": state.last_error,
        })).collect::<Vec<_>>(),
        "misses_ns": WINDOW.as_nanos() as u64,
        "misses": totals.misses.iter().map(miss).collect::<Vec<_>>(),
    })
}

fn asked(brought: &[HistogramTotals; 3]) -> Value {
    BROUGHT.iter().zip(brought).map(|(brought, totals)| (brought.into_str().to_owned(), histogram(totals))).collect()
}

fn store(store: &StoreState) -> Value {
    let totals = &store.totals;
    json!({
        "bytes": totals.bytes,
        "limit_bytes": store.bound,
        "resources": totals.resources,
        "stored": totals.stored,
        "evicted": totals.evicted,
        "purged": totals.purged,
        "fetches_in_flight": store.fetches,
        "fetch_bytes": store.fetch_bytes,
    })
}

fn queue(queue: &QueueState) -> Value {
    let refused: Map<String, Value> = queue.refused.iter().map(|(why, n)| ((*why).to_owned(), (*n).into())).collect();
    json!({
        "running": queue.running,
        "places": queue.places,
        "waiting": queue.waiting,
        "length": queue.length,
        "overload": queue.is_overload,
        "refused": refused,
        "left": queue.left,
        "wait": histogram(&queue.waited),
    })
}

fn snapshot(snapshot: &SnapshotState) -> Value {
    let rejected: serde_json::Map<_, _> =
        snapshot.rejected.iter().map(|(why, n)| ((*why).to_owned(), json!(n))).collect();
    json!({
        "loaded": snapshot.loaded,
        "rejected": rejected,
        "refused": snapshot.refused,
        "written": snapshot.last.map(|last| json!({
            "at_ms": last.at,
            "responses": last.responses,
            "bytes": last.bytes,
            "took_ns": u64::try_from(last.took.as_nanos()).unwrap_or(u64::MAX),
        })),
        "failures": snapshot.failures,
        "failure": snapshot.failure,
    })
}

fn certificate(certificate: &CertificateState) -> Value {
    json!({
        "name": certificate.name,
        "not_after": certificate.not_after,
        "orders": certificate.orders.as_ref().map(|orders| json!({
            "under_way": orders.is_ordering,
            "next": orders.next,
            "failures": orders.failures,
            "error": orders.error,
        })),
    })
}

fn miss(miss: &Miss) -> Value {
    json!({
        "authority": text(&miss.authority),
        "target": text(&miss.target),
        "cut": miss.is_cut,
        "requests": miss.requests,
        "unsure": miss.unsure,
        "mean_ns": u64::try_from(miss.mean().as_nanos()).unwrap_or(u64::MAX),
        "result": miss.result.into_str(),
        "reason": miss.why,
    })
}

fn text(bytes: &[u8]) -> String {
    let controls = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
    String::from_utf8_lossy(bytes).chars().map(controls).collect()
}

/// Counts of its buckets, whose bounds are `bounds_ns`, and the sum.
pub(super) fn histogram(totals: &HistogramTotals) -> Value {
    json!({ "buckets": totals.buckets, "sum_ns": totals.sum_ns })
}
