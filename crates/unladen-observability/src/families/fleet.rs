//! Metrics of a fleet: [`families`].

use unladen_fleet::FleetState;

use super::family::{Attributes, Family, Point, Shape, Unit};

/// Of this node; none: it is in no fleet.
pub(super) fn families(fleet: Option<&FleetState>) -> Vec<Family> {
    let Some(fleet) = fleet else { return Vec::new() };
    let whole = |name, thing, shape, help, points: &[(Attributes, u64)]| Family {
        name,
        unit: Unit::Of(thing),
        shape,
        help,
        points: points.iter().map(|(attributes, n)| Point::whole(attributes.clone(), *n)).collect(),
    };
    let seconds = |name, shape, help, value: Option<f64>| Family {
        name,
        unit: Unit::Seconds,
        shape,
        help,
        points: value.map(|value| Point::real(vec![], value)).into_iter().collect(),
    };
    let one = |n| [(vec![], n)];
    let of = |result: &'static str, n| (vec![("result", result.into())], n);
    vec![
        whole(
            "unladen.fleet.connected",
            "1",
            Shape::Gauge,
            "1 while this node has forgotten all that the fleet has purged, and the fleet waits for it; 0 while it is cut off.",
            &one(fleet.is_connected.into()),
        ),
        whole(
            "unladen.fleet.members",
            "{node}",
            Shape::Gauge,
            "Nodes of the fleet, as this one saw them last.",
            &one(fleet.members),
        ),
        whole(
            "unladen.fleet.lag",
            "{purge}",
            Shape::Gauge,
            "Purges that are known to be on the bus, and are not forgotten here.",
            &one(fleet.lag),
        ),
        seconds(
            "unladen.fleet.last_beat_age",
            Shape::Gauge,
            "How long ago the engine confirmed this node.",
            fleet.last_beat.map(|age| age.as_secs_f64()),
        ),
        whole(
            "unladen.fleet.sent",
            "{purge}",
            Shape::Counter,
            "Purges of this node that the engine has taken.",
            &one(fleet.sent),
        ),
        whole(
            "unladen.fleet.waiting",
            "{purge}",
            Shape::Gauge,
            "Purges of this node that wait for the engine.",
            &one(fleet.waiting),
        ),
        whole(
            "unladen.fleet.received",
            "{purge}",
            Shape::Counter,
            "Purges of other nodes: forgotten here in time, forgotten after this node had been cut off, come twice, not readable.",
            &[
                of("in_time", fleet.received.saturating_sub(fleet.late)),
                of("late", fleet.late),
                of("repeated", fleet.repeated),
                of("unreadable", fleet.unreadable),
            ],
        ),
        whole(
            "unladen.fleet.lost",
            "{time}",
            Shape::Counter,
            "Times that purges may have been missed, so that everything stored is revalidated.",
            &one(fleet.lost),
        ),
        whole(
            "unladen.fleet.cut_offs",
            "{time}",
            Shape::Counter,
            "Times that this node was cut off.",
            &one(fleet.cut_offs),
        ),
        seconds(
            "unladen.fleet.cut_off_duration",
            Shape::Counter,
            "How long it was cut off, all together, with the time until it was first connected.",
            Some(fleet.cut_off.as_secs_f64()),
        ),
    ]
}
