//! Metrics of a fleet: [`families`].

use unladen_fleet::FleetState;

use super::family::Family;

/// Metrics of this node; empty without a fleet.
pub(super) fn families(fleet: Option<&FleetState>) -> Vec<Family> {
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
