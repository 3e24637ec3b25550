//! All metrics: [`families`] makes them.
//!
//! Names and attributes follow OpenTelemetry's semantic conventions where possible; own ones begin with `unladen.`.

mod certificate;
mod family;
mod fleet;
mod rate_service;
mod requests;
mod site;
mod snapshot;
mod tier;
mod upstream;

#[cfg(test)]
pub(super) use self::family::Point;
pub(super) use self::family::{Amount, Attributes, Examples, Family, Shape, Unit};
use super::metrics_snapshot::MetricsSnapshot;

pub(super) fn families(snapshot: &MetricsSnapshot) -> Vec<Family> {
    let mut all = requests::families(&snapshot.upstreams);
    all.extend(upstream::families(&snapshot.upstreams));
    all.extend(site::families(&snapshot.upstreams));
    all.extend(snapshot::families(&snapshot.upstreams));
    all.extend(certificate::families(&snapshot.upstreams));
    all.extend(fleet::families(snapshot.fleet.as_ref()));
    all.extend(tier::families(snapshot.tier.as_ref()));
    all.extend(rate_service::families(&snapshot.rate_services));
    all.extend(own(snapshot));
    all.retain(|family| !family.points.is_empty());
    all
}

fn own(snapshot: &MetricsSnapshot) -> [Family; 15] {
    let (log, export, process, memory) = (&snapshot.log, &snapshot.export, &snapshot.process, &snapshot.client_memory);
    let [connection, client, whole] = memory.reached;
    [
        Family::by(
            "unladen.access_log.lines",
            "result",
            [("written", log.written), ("lost_full", log.lost_full), ("lost_write", log.lost_write)],
        ),
        Family::by(
            "unladen.otlp.spans",
            "result",
            [("sent", export.spans_sent), ("lost_full", export.spans_full), ("lost_export", export.spans_failed)],
        ),
        Family::by(
            "unladen.otlp.exports",
            "result",
            [("taken", export.taken), ("retried", export.retried), ("given_up", export.given_up)],
        ),
        Family::by("unladen.build.info", "version", [(env!("CARGO_PKG_VERSION"), 1)]),
        Family::one("unladen.draining", snapshot.draining.into()),
        Family::one("unladen.client_memory.held", memory.held as u64),
        Family::one("unladen.client_memory.limit", memory.limit as u64),
        Family::by(
            "unladen.client_memory.reached",
            "bound",
            [("connection", connection), ("client", client), ("process", whole)],
        ),
        Family::by(
            "unladen.client_memory.ended",
            "reason",
            [("stalled", memory.ended_stalled), ("slow", memory.ended_slow)],
        ),
        Family::seconds("process.cpu", process.cpu.as_secs_f64()),
        Family::one("process.resident_memory", process.resident),
        Family::one("process.virtual_memory", process.addressed),
        Family::one("process.open_fds", process.open_files),
        Family::one("process.max_fds", process.max_files),
        Family::seconds("process.start_time", snapshot.started.seconds()),
    ]
}

#[cfg(test)]
pub(super) mod tests;
