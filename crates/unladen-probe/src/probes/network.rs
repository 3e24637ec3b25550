//! Network of the machine and of containers that have one of their own: connections opened, bytes over the loopback and
//! over the wire.

mod namespaces;
mod totals;

use crate::counter::{Counter, Unit};
use crate::error::ProbeError;
use crate::group::MACHINE;
use crate::ledger::{CounterId, Ledger};
use crate::probe::{Probe, ProbeEntry, Scene};

use self::namespaces::Namespaces;
use self::totals::Totals;

pub(super) const ENTRY: ProbeEntry = ProbeEntry {
    name: "network",
    about: "TCP connections and bytes, of the machine and of containers with a network of their own",
    counters: &[
        Counter::exact(
            "tcp_opened",
            Unit::Count,
            "TCP connections opened",
            "by this machine, those of the client included (ActiveOpens)",
        ),
        Counter::exact("tcp_accepted", Unit::Count, "TCP connections accepted", "by this machine (PassiveOpens)"),
        Counter::exact(
            "tcp_retransmitted",
            Unit::Count,
            "TCP segments sent again",
            "lost or late segments (RetransSegs)",
        ),
        Counter::exact(
            "loopback_bytes",
            Unit::Bytes,
            "bytes over the loopback",
            "those between the client and the server on this machine included",
        ),
        Counter::exact(
            "network_bytes",
            Unit::Bytes,
            "bytes over the network",
            "received and sent by all other interfaces",
        ),
    ],
    open: |surroundings, ids| {
        // A network namespace without these files is not worth failing for.
        Totals::read(surroundings.procfs).map_err(|error| error.to_string())?;
        Ok(Box::new(Network { ids, last: None, namespaces: Namespaces::default() }))
    },
};

struct Network {
    ids: Vec<CounterId>,
    last: Option<Totals>,
    namespaces: Namespaces,
}

impl Probe for Network {
    fn read(&mut self, scene: &mut Scene<'_>, ledger: &mut Ledger) -> Result<(), ProbeError> {
        let now = Totals::read(scene.procfs)?;
        let machine = self.last.as_ref().map(|last| (MACHINE, now.since(last)));
        self.last = Some(now);
        let processes = scene.table.living().map(|process| (process.pid, process.stat.start, process.group));
        let others = self.namespaces.read(scene.procfs, processes, |group| &scene.groups.get(group).name);
        for (group, grown) in machine.into_iter().chain(others) {
            for (id, grown) in self.ids.iter().zip(grown.0) {
                ledger.add(group, *id, grown);
            }
        }
        Ok(())
    }
}
