//! The principal type is [`Readings`]: what was read, here and elsewhere, at one edge of a phase.

use std::collections::HashMap;

use unladen_load::Tally;
use unladen_probe::Reading;

use crate::weigh::catalog::{Catalog, SeriesKey, SourceId};
use crate::weigh::edge::EdgeReading;
use crate::weigh::recording::PhaseRecord;

pub(super) struct Readings {
    pub(super) here: Reading,
    pub(super) elsewhere: Vec<Option<EdgeReading>>,
}

/// The phase between two readings, in which these requests were sent.
pub(super) fn phase_record(tally: Tally, before: &Readings, after: &Readings, catalog: &Catalog) -> PhaseRecord {
    let grown_here = after.here.since(&before.here);
    let mut grown: HashMap<SeriesKey, f64> =
        grown_here.map(|(group, counter, grown)| (SeriesKey::here(group, counter), grown as f64)).collect();
    let mut durations_elsewhere_ns = Vec::with_capacity(after.elsewhere.len());
    for (index, (before, after)) in before.elsewhere.iter().zip(&after.elsewhere).enumerate() {
        let (Some(before), Some(after)) = (before, after) else {
            durations_elsewhere_ns.push(0);
            continue;
        };
        durations_elsewhere_ns.push(after.at_ns.saturating_sub(before.at_ns));
        let source = SourceId::elsewhere(index);
        for (series, by) in after.grown.iter().filter(|(_, by)| by.is_finite()) {
            if let Some(key) = catalog.series(source, *series) {
                *grown.entry(key).or_default() += by;
            }
        }
    }
    PhaseRecord {
        start_ns: before.here.at_ns(),
        duration_ns: after.here.at_ns().saturating_sub(before.here.at_ns()),
        durations_elsewhere_ns,
        requests: tally.requests,
        grown,
        latencies_ns: tally.latencies_ns,
        changed: tally.changed,
        connections: tally.connections_opened,
        reconnected: tally.closed_by_server,
    }
}
