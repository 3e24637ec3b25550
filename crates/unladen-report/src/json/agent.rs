//! The principal type is [`AgentJson`]: one sending host, in the documents of loads and experiments.

use std::collections::BTreeMap;

use serde::Serialize;

use super::figure::nanos;
use crate::load_agent::{LoadAgent, program_of};
use crate::send_lag::SendLag;

#[derive(Serialize)]
pub(super) struct AgentJson<'a> {
    name: &'a str,
    command: String,
    requests: u64,
    answered: u64,
    unsent: u64,
    missing: u64,
    unrecorded: u64,
    send_lag_ns: Option<BTreeMap<&'static str, u64>>,
    cpu_ns: Option<u64>,
    stolen_share: Option<f64>,
    start_uncertainty_ns: u64,
    round_trip_ns: u64,
    drift: Option<DriftJson>,
    fit: bool,
    unfit: &'a [String],
    lost: Option<LostJson<'a>>,
}

#[derive(Serialize)]
struct DriftJson {
    ns: i64,
    uncertainty_ns: u64,
}

#[derive(Serialize)]
struct LostJson<'a> {
    at_ns: u64,
    why: &'a str,
}

impl<'a> AgentJson<'a> {
    pub(super) fn of(agent: &'a LoadAgent) -> Self {
        Self {
            name: &agent.name,
            command: program_of(&agent.command),
            requests: agent.requests,
            answered: agent.answered,
            unsent: agent.unsent,
            missing: agent.missing,
            unrecorded: agent.unrecorded,
            send_lag_ns: agent.send_lag.map(send_lag),
            cpu_ns: agent.cpu.map(nanos),
            stolen_share: agent.stolen_share,
            start_uncertainty_ns: nanos(agent.start_uncertainty),
            round_trip_ns: nanos(agent.round_trip),
            drift: agent.drift.map(|drift| DriftJson { ns: drift.ns, uncertainty_ns: drift.uncertainty_ns }),
            fit: agent.is_fit(),
            unfit: &agent.unfit,
            lost: agent.lost.as_ref().map(|lost| LostJson { at_ns: nanos(lost.at), why: &lost.why }),
        }
    }
}

pub(super) fn send_lag(lag: SendLag) -> BTreeMap<&'static str, u64> {
    BTreeMap::from([("p50", lag.p50), ("p99", lag.p99), ("max", lag.max)])
}
