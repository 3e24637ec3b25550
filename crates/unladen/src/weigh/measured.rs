//! The principal type is [`Measured`]: all that a result is made of.

use std::time::Duration;

use unladen_load::{Request, Sample};
use unladen_lockin::Spoiled;
use unladen_probe::Instrument;
use unladen_report::Ended;

use crate::path::Path;
use crate::reference::ReferenceWork;
use crate::weigh::catalog::{Catalog, SeriesKey, SourceId};
use crate::weigh::edge::SeriesKind;
use crate::weigh::elsewhere::Elsewhere;
use crate::weigh::options::Options;
use crate::weigh::plan::Plan;
use crate::weigh::recording::Recording;

/// All that a result is made of.
pub(crate) struct Measured<'a> {
    pub(crate) options: &'a Options,
    pub(crate) plan: Plan,
    pub(crate) recording: &'a Recording,
    /// The blocks that were spoiled, and what became of them.
    pub(crate) spoiled: &'a Spoiled,
    pub(crate) reference: &'a ReferenceWork,
    pub(crate) instrument: &'a Instrument,
    /// Whose counters they are.
    pub(crate) catalog: &'a Catalog,
    /// Sources elsewhere, in their order.
    pub(crate) elsewhere: &'a [Elsewhere],
    pub(crate) requests: &'a [Request],
    pub(crate) samples: &'a [Sample],
    /// Who the requests to each URL go through.
    pub(crate) paths: &'a [Path],
    /// URLs whose host is not this machine.
    pub(crate) remote: Vec<usize>,
    /// Whom the settle gap was made longer for, and what that takes.
    pub(crate) settle_for: Option<(String, Duration)>,
    /// CPU of all readings during the run.
    pub(crate) probe_cpu: Duration,
    /// `--until`: the target, and what was reached instead.
    pub(crate) missed: Option<(f64, f64)>,
    /// Records of ended processes were lost.
    pub(crate) lost: bool,
    pub(crate) ended: Ended,
}

impl Measured<'_> {
    /// What the agent there and the way to it took, as a share of one core; `None` without a whole block.
    pub(crate) fn own_share(&self, source: SourceId) -> Option<f64> {
        let catalog = self.catalog;
        let is_own = |(id, _): &(_, _), kind| *id == source && kind == SeriesKind::Own;
        let own = catalog.groups().filter(|(key, group)| is_own(key, group.kind));
        let keys: Vec<SeriesKey> = own.filter_map(|(group, _)| catalog.named(group, "cpu")).collect();
        let phases =
            || self.recording.counted().filter(|block| block.counts_at(source)).flat_map(|block| &block.phases);
        let time: u64 = phases().map(|phase| phase.duration_at(source)).sum();
        let cpu: f64 = phases().map(|phase| keys.iter().map(|key| phase.of(*key)).sum::<f64>()).sum();
        (time > 0).then(|| cpu / time as f64)
    }
}
