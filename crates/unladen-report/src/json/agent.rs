//! The hosts that sent a load or an experiment: [`agent`].

use unladen_document::{LoadAgent as AgentDocument, Lost};

use super::figure::{nanos, send_lag};
use crate::load_agent::{LoadAgent, program_of};

pub(super) fn agent(agent: &LoadAgent) -> AgentDocument {
    AgentDocument {
        name: agent.name.clone(),
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
        drift: agent.drift,
        fit: agent.is_fit(),
        unfit: agent.unfit.clone(),
        lost: agent.lost.as_ref().map(|lost| Lost { at_ns: nanos(lost.at), why: lost.why.clone() }),
    }
}
