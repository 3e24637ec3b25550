//! [`agents`]: the hosts that sent an experiment, and whether what each of them measured is the server's.

use unladen_document::{LoadAgent, nanos, send_lag};
use unladen_report::{Unfit, Warning, program_of};

use crate::lateness::{Generated, Stretch, because, unfit};
use crate::machine::taken_warning;
use crate::prove::measured::Measured;
use crate::prove::recording::AgentPhase;

/// One of the hosts, and why what it measured is not the server's.
struct Judged {
    agent: AgentPhase,
    unfit: Vec<Unfit>,
}

/// The hosts that sent; none where this one did.
pub(crate) fn agents(measured: &Measured<'_>) -> Vec<LoadAgent> {
    judged(measured).map(|Judged { agent, unfit }| told(&agent, &unfit, measured.is_closed())).collect()
}

pub(crate) fn warnings(measured: &Measured<'_>) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for (index, Judged { agent, unfit }) in judged(measured).enumerate() {
        let host = format!("agent {}", agent.name);
        warnings.extend(unfit.iter().map(|unfit| Warning::OfHost { host: host.clone(), note: unfit.to_string() }));
        let spoiled = measured.spoiled_at_agents.get(index);
        if let Some(Warning::Taken { taken, blocks }) = taken_warning(&agent.times, spoiled) {
            warnings.push(Warning::TakenAt { host, taken, blocks });
        }
    }
    warnings
}

fn judged<'a>(measured: &'a Measured<'_>) -> impl Iterator<Item = Judged> + 'a {
    let median = measured.recording.least_median();
    (0..measured.recording.agents()).map(move |index| {
        let agent = measured.recording.agent(index);
        let stretches: Vec<Stretch> = measured
            .recording
            .counted()
            .filter_map(|block| block.at_agent(index))
            .map(|phase| phase.stretch())
            .collect();
        let unfit = why_unfit(&agent, &stretches, median, measured.is_closed());
        Judged { agent, unfit }
    })
}

fn why_unfit(agent: &AgentPhase, stretches: &[Stretch], median: Option<u64>, is_closed: bool) -> Vec<Unfit> {
    let mut unfit = unfit(Generated {
        median,
        lag: agent.lags.at(0.99).filter(|_| !is_closed).map(|p99| (p99, because(stretches))),
        worked: agent.worked,
        sending: agent.sending,
        times: Some(&agent.times),
    });
    if agent.unrecorded > 0 {
        unfit.push(Unfit::Unrecorded { requests: agent.unrecorded });
    }
    unfit
}

fn told(agent: &AgentPhase, unfit: &[Unfit], is_closed: bool) -> LoadAgent {
    let at = |q: f64| agent.lags.at(q).filter(|_| !is_closed);
    LoadAgent {
        name: agent.name.clone(),
        command: program_of(&agent.command),
        requests: agent.recorded,
        answered: agent.answered,
        unsent: agent.unsent,
        missing: 0,
        unrecorded: agent.unrecorded,
        send_lag_ns: at(0.5).zip(at(0.99)).map(|(p50, p99)| send_lag(p50, p99, agent.lags.max_ns)),
        cpu_ns: Some(nanos(agent.cpu)),
        stolen_share: (!agent.times.elapsed.is_zero()).then(|| agent.times.stolen_share()),
        start_uncertainty_ns: nanos(agent.start_uncertainty),
        round_trip_ns: nanos(agent.round_trip),
        // Each phase begins at a moment agreed anew.
        drift: None,
        fit: unfit.is_empty(),
        unfit: unfit.iter().map(ToString::to_string).collect(),
        lost: None,
    }
}
