//! [`agent`]: one of the sending hosts.

use std::collections::BTreeMap;
use std::time::Duration;

use unladen_document as kept;

use crate::load_agent::{Drift, LoadAgent, Lost};
use crate::send_lag::SendLag;

pub(super) fn send_lag(lag: &BTreeMap<String, u64>) -> SendLag {
    let of = |key: &str| lag.get(key).copied().unwrap_or_default();
    SendLag { p50: of("p50"), p99: of("p99"), max: of("max") }
}

pub(super) fn agent(agent: &kept::LoadAgent) -> LoadAgent {
    LoadAgent {
        name: agent.name.clone(),
        command: agent.command.clone(),
        requests: agent.requests,
        answered: agent.answered,
        unsent: agent.unsent,
        missing: agent.missing,
        unrecorded: agent.unrecorded,
        send_lag: agent.send_lag_ns.as_ref().map(send_lag),
        cpu: agent.cpu_ns.map(Duration::from_nanos),
        stolen_share: agent.stolen_share,
        start_uncertainty: Duration::from_nanos(agent.start_uncertainty_ns),
        round_trip: Duration::from_nanos(agent.round_trip_ns),
        drift: agent.drift.map(|drift| Drift { ns: drift.ns, uncertainty_ns: drift.uncertainty_ns }),
        unfit: agent.unfit.clone(),
        lost: agent.lost.as_ref().map(|lost| Lost { at: Duration::from_nanos(lost.at_ns), why: lost.why.clone() }),
    }
}
