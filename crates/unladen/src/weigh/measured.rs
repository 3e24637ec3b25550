//! The principal type is [`Measured`]: all that a result is made of.

use std::net::SocketAddr;
use std::time::Duration;

use unladen_agent::Standpoint;
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
    /// The addresses that requests to each URL go to; none of a Unix socket.
    pub(crate) targets: Vec<Vec<SocketAddr>>,
    /// From where this machine's counters were read.
    pub(crate) standpoint: Standpoint,
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
    /// Whether records of ended processes were lost there: then what its processes count is too low.
    pub(crate) fn has_lost(&self, source: SourceId) -> bool {
        match self.elsewhere.iter().find(|elsewhere| elsewhere.id == source) {
            Some(elsewhere) => elsewhere.has_lost,
            None => self.lost,
        }
    }

    /// Whether another place whose counters are read is a part of the same machine.
    pub(crate) fn shares_its_machine(&self, source: SourceId) -> bool {
        let hosts = self.elsewhere.iter().filter_map(|elsewhere| Some((elsewhere.id, elsewhere.standpoint.as_ref()?)));
        let all = || std::iter::once((SourceId::HERE, &self.standpoint)).chain(hosts.clone());
        let own = all().find(|(id, _)| *id == source);
        own.is_some_and(|(_, own)| all().any(|(id, other)| id != source && own.is_same_kernel(other)))
    }

    /// Whether the requests to a URL that is not served by this machine go to an address of one of the hosts.
    pub(crate) fn is_among_hosts(&self, url: usize) -> bool {
        let hosts = || self.elsewhere.iter().filter_map(|elsewhere| elsewhere.standpoint.as_ref());
        let is_told = |address: &SocketAddr| {
            let ip = address.ip().to_canonical();
            hosts().any(|host| host.addresses.iter().any(|own| own.to_canonical() == ip))
        };
        let addresses = self.targets.get(url).map(Vec::as_slice).unwrap_or_default();
        // Of several, whichever the client tries: one that is nobody's may have answered.
        !addresses.is_empty() && addresses.iter().all(is_told)
    }

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
