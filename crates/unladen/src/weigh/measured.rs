//! The principal type is [`Measured`]: the input of a result.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use unladen_agent::Standpoint;
use unladen_load::{Request, Sample};
use unladen_lockin::Spoiled;
use unladen_probe::Instrument;
use unladen_report::Ended;

use crate::machine::ReferenceWork;
use crate::path::Path;
use crate::weigh::catalog::{Catalog, SeriesKey, SourceId};
use crate::weigh::edge::SeriesKind;
use crate::weigh::options::Options;
use crate::weigh::plan::Plan;
use crate::weigh::recording::Recording;

pub(crate) struct Measured<'a> {
    pub(crate) options: &'a Options,
    pub(crate) plan: &'a Plan,
    pub(crate) recording: &'a Recording,
    pub(crate) spoiled: &'a Spoiled,
    pub(crate) reference: &'a ReferenceWork,
    pub(crate) instrument: &'a Instrument,
    pub(crate) catalog: &'a Catalog,
    /// In the order of the sources.
    pub(crate) elsewhere: &'a [Elsewhere],
    pub(crate) requests: &'a [Request],
    pub(crate) samples: &'a [Sample],
    pub(crate) paths: &'a [Path],
    /// URLs whose host is not this machine.
    pub(crate) remote: Vec<usize>,
    /// The addresses that each URL's requests go to; empty for a Unix socket.
    pub(crate) targets: Vec<Vec<SocketAddr>>,
    pub(crate) standpoint: Standpoint,
    /// For whom the settle gap was lengthened, and what that takes.
    pub(crate) settle_for: Option<(String, Duration)>,
    /// CPU time of all readings during the run.
    pub(crate) probe_cpu: Duration,
    /// `--until`: the target, and what was reached instead.
    pub(crate) missed: Option<(f64, f64)>,
    /// Records of ended processes were lost.
    pub(crate) lost: bool,
    pub(crate) ended: Ended,
}

impl Measured<'_> {
    /// Whether records of ended processes were lost there, so that its processes' counts are too low.
    pub(crate) fn has_lost(&self, source: SourceId) -> bool {
        match self.elsewhere.iter().find(|elsewhere| elsewhere.id == source) {
            Some(elsewhere) => elsewhere.has_lost,
            None => self.lost,
        }
    }

    pub(crate) fn shares_its_machine(&self, source: SourceId) -> bool {
        let hosts = self.elsewhere.iter().filter_map(|elsewhere| Some((elsewhere.id, elsewhere.standpoint.as_ref()?)));
        let all = || std::iter::once((SourceId::HERE, &self.standpoint)).chain(hosts.clone());
        let own = all().find(|(id, _)| *id == source);
        own.is_some_and(|(_, own)| all().any(|(id, other)| id != source && own.is_same_kernel(other)))
    }

    /// The hosts that claim all addresses of a URL. Only they say so, so the claim is reported with their names.
    pub(crate) fn claimants(&self, url: usize) -> Vec<&str> {
        let addresses = self.targets.get(url).map(Vec::as_slice).unwrap_or_default();
        // Of several addresses the client tries any: an unclaimed one may have answered.
        let is_claimed = |host: &&Elsewhere| {
            let standpoint = host.standpoint.as_ref();
            let own = |ip: IpAddr| standpoint.is_some_and(|at| at.addresses.iter().any(|own| own.to_canonical() == ip));
            !addresses.is_empty() && addresses.iter().all(|address| own(address.ip().to_canonical()))
        };
        self.elsewhere.iter().filter(is_claimed).map(|host| host.name.as_str()).collect()
    }

    /// Whether the user's command for the host names that machine, as in `ssh root@10.0.0.2`.
    pub(crate) fn is_named_for(&self, host: &str, machine: &str) -> bool {
        self.options.hosts.iter().any(|one| one.name == host && leads_to(&one.command, machine))
    }

    /// What the agent and its connection took, as a share of one core; `None` without a whole block.
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

/// Whether a command has this machine among its words, with or without `user@`.
pub(crate) fn leads_to(command: &str, machine: &str) -> bool {
    command.split_whitespace().any(|word| word.rsplit('@').next() == Some(machine))
}

#[derive(Debug)]
pub(crate) struct Elsewhere {
    pub(crate) id: SourceId,
    pub(crate) name: String,
    pub(crate) is_exporter: bool,
    pub(crate) round_trip: Option<Duration>,
    pub(crate) processors: Option<usize>,
    /// Why it went away before the end.
    pub(crate) gone: Option<String>,
    /// The blocks that were spoiled there, if known.
    pub(crate) spoiled: Option<Spoiled>,
    pub(crate) standpoint: Option<Standpoint>,
    /// Records of ended processes were lost there.
    pub(crate) has_lost: bool,
    pub(crate) notes: Vec<String>,
}

#[cfg(test)]
mod tests;
