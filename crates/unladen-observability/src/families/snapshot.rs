//! Metrics of the snapshots of sites: [`families`].

use super::family::{Amount, Family, Point};
use super::site::{OfSite, present};
use crate::metrics_snapshot::UpstreamSnapshot;
use crate::sites::SiteState;
use crate::snapshot_state::{SnapshotState, WrittenSnapshot};

pub(super) fn families(upstreams: &[UpstreamSnapshot]) -> Vec<Family> {
    let count = |name, read: fn(&SnapshotState) -> u64| {
        let of_site = |site: &OfSite, state: &SiteState| {
            state.snapshot.iter().map(|snapshot| Point::whole(vec![site.clone()], read(snapshot))).collect()
        };
        Family::of(name, present(upstreams, of_site))
    };
    let last = |name, read: fn(&WrittenSnapshot) -> Amount| {
        let of_site = |site: &OfSite, state: &SiteState| {
            let last = state.snapshot.iter().filter_map(|snapshot| snapshot.last.as_ref());
            last.map(|last| Point { attributes: vec![site.clone()], value: read(last), exemplars: None }).collect()
        };
        Family::of(name, present(upstreams, of_site))
    };
    let rejected = present(upstreams, |site, state| {
        let rejected = state.snapshot.iter().flat_map(|snapshot| &snapshot.rejected);
        rejected.map(|(why, n)| Point::whole(vec![site.clone(), ("reason", (*why).into())], *n)).collect()
    });
    vec![
        count("unladen.snapshot.loaded", |snapshot| snapshot.loaded),
        Family::of("unladen.snapshot.rejected", rejected),
        count("unladen.snapshot.refused", |snapshot| u64::from(snapshot.refused.is_some())),
        count("unladen.snapshot.failures", |snapshot| snapshot.failures),
        last("unladen.snapshot.last_written", |last| Amount::Real(last.at as f64 / 1000.0)),
        last("unladen.snapshot.responses", |last| Amount::Whole(last.responses)),
        last("unladen.snapshot.size", |last| Amount::Whole(last.bytes)),
        last("unladen.snapshot.duration", |last| Amount::Real(last.took.as_secs_f64())),
    ]
}
