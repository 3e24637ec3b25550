//! Metrics of the snapshots of sites: [`families`].

use super::family::{Amount, Family, Point, Shape, Unit};
use super::site::present;
use crate::metrics_snapshot::UpstreamSnapshot;
use crate::snapshot_state::{SnapshotState, WrittenSnapshot};

/// Of those of these upstreams that are sites.
pub(super) fn families(upstreams: &[UpstreamSnapshot]) -> Vec<Family> {
    let count = |name, thing, help, read: fn(&SnapshotState) -> u64| Family {
        name,
        unit: Unit::Of(thing),
        shape: Shape::Counter,
        help,
        points: present(upstreams, |site, state| {
            state.snapshot.iter().map(|snapshot| Point::whole(vec![site.clone()], read(snapshot))).collect()
        }),
    };
    let last = |name, unit, help, read: fn(&WrittenSnapshot) -> Amount| Family {
        name,
        unit,
        shape: Shape::Gauge,
        help,
        points: present(upstreams, |site, state| {
            let last = state.snapshot.iter().filter_map(|snapshot| snapshot.last.as_ref());
            last.map(|last| Point { attributes: vec![site.clone()], value: read(last), exemplars: None }).collect()
        }),
    };
    let rejected = Family {
        name: "unladen.snapshot.rejected",
        unit: Unit::Of("{response}"),
        shape: Shape::Counter,
        help: "Responses of the predecessor that were not taken over, and why.",
        points: present(upstreams, |site, state| {
            let rejected = state.snapshot.iter().flat_map(|snapshot| &snapshot.rejected);
            rejected.map(|(why, n)| Point::whole(vec![site.clone(), ("reason", (*why).into())], *n)).collect()
        }),
    };
    vec![
        count(
            "unladen.snapshot.loaded",
            "{response}",
            "Responses that were taken over from the process before.",
            |snapshot| snapshot.loaded,
        ),
        rejected,
        count(
            "unladen.snapshot.refused",
            "{snapshot}",
            "Snapshots of the process before that were not used at all; the live page and standard error say why.",
            |snapshot| u64::from(snapshot.refused.is_some()),
        ),
        count(
            "unladen.snapshot.failures",
            "{snapshot}",
            "Snapshots that could not be written; the live page and standard error say why.",
            |snapshot| snapshot.failures,
        ),
        last(
            "unladen.snapshot.last_written",
            Unit::Seconds,
            "When the last snapshot was written, since 1970 began.",
            |last| Amount::Real(last.at as f64 / 1000.0),
        ),
        last("unladen.snapshot.responses", Unit::Of("{response}"), "Responses in it.", |last| {
            Amount::Whole(last.responses)
        }),
        last("unladen.snapshot.size", Unit::Bytes, "Its bytes.", |last| Amount::Whole(last.bytes)),
        last(
            "unladen.snapshot.duration",
            Unit::Seconds,
            "How long it took to write, with the pauses that leave the disk to others.",
            |last| Amount::Real(last.took.as_secs_f64()),
        ),
    ]
}
