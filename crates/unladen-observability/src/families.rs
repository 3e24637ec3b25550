//! All metrics: [`families`] makes them.
//!
//! Names and attributes follow OpenTelemetry's semantic conventions where possible; own ones begin with `unladen.`.

mod family;
mod requests;
mod site;
mod upstream;

use unladen_fleet::FleetState;

pub(super) use self::family::{Amount, Attributes, Examples, Family, Point, Shape, Unit};
use super::metrics_snapshot::{MetricsSnapshot, RateServiceState};
use super::tier_counts::TierState;

pub(super) fn families(snapshot: &MetricsSnapshot) -> Vec<Family> {
    let mut all = requests::families(&snapshot.upstreams);
    all.extend(upstream::families(&snapshot.upstreams));
    all.extend(site::families(&snapshot.upstreams));
    all.extend(fleet(snapshot.fleet.as_ref()));
    all.extend(tier(snapshot.tier.as_ref()));
    all.extend(rate_services(&snapshot.rate_services));
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

/// Metrics of this node; empty without a fleet.
fn fleet(fleet: Option<&FleetState>) -> Vec<Family> {
    let Some(fleet) = fleet else { return Vec::new() };
    vec![
        Family::one("unladen.fleet.connected", fleet.is_connected.into()),
        Family::one("unladen.fleet.members", fleet.members),
        Family::one("unladen.fleet.lag", fleet.lag),
        Family::seconds("unladen.fleet.last_beat_age", fleet.last_beat.map(|age| age.as_secs_f64())),
        Family::one("unladen.fleet.sent", fleet.sent),
        Family::one("unladen.fleet.waiting", fleet.waiting),
        Family::by(
            "unladen.fleet.received",
            "result",
            [
                ("in_time", fleet.received.saturating_sub(fleet.late)),
                ("late", fleet.late),
                ("repeated", fleet.repeated),
                ("unreadable", fleet.unreadable),
            ],
        ),
        Family::one("unladen.fleet.lost", fleet.lost),
        Family::one("unladen.fleet.cut_offs", fleet.cut_offs),
        Family::seconds("unladen.fleet.cut_off_duration", fleet.cut_off.as_secs_f64()),
    ]
}

fn rate_services(services: &[RateServiceState]) -> Vec<Family> {
    let of = |state: &RateServiceState, result: Option<&'static str>| -> Attributes {
        let service = ("service", state.service.clone().into());
        [Some(service), result.map(|result| ("result", result.into()))].into_iter().flatten().collect()
    };
    let results = |state: &RateServiceState| {
        let all = [
            ("within", state.within),
            ("over", state.over),
            ("late", state.late),
            ("failed", state.failed),
            ("open", state.open),
            ("busy", state.busy),
        ];
        all.map(|(result, n)| Point::whole(of(state, Some(result)), n))
    };
    let gauge = |name, value: fn(&RateServiceState) -> u64| {
        Family::of(name, services.iter().map(|state| Point::whole(of(state, None), value(state))).collect())
    };
    vec![
        Family::of("unladen.rate_limit_service.requests", services.iter().flat_map(results).collect()),
        gauge("unladen.rate_limit_service.open", |state| state.is_open.into()),
        gauge("unladen.rate_limit_service.in_flight", |state| state.in_flight),
    ]
}

/// Metrics of this node; empty if it has no peers.
fn tier(tier: Option<&TierState>) -> Vec<Family> {
    let Some(tier) = tier else { return Vec::new() };
    let results = |name, [one, other, last]: [&'static str; 3], counts: [u64; 3]| {
        Family::by(name, "result", [(one, counts[0]), (other, counts[1]), (last, counts[2])])
    };
    vec![
        results("unladen.tier.asked", ["answered", "refused", "failed"], tier.asked),
        results("unladen.tier.questions", ["answered", "refused", "behind"], tier.answering),
        Family::one("unladen.tier.strangers", tier.strangers),
    ]
}

#[cfg(test)]
pub(super) mod tests;
