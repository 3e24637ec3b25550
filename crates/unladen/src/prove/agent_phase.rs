//! The principal type is [`AgentPhase`]: what one agent did of an arm's phases.

use std::time::Duration;

use unladen_load::BinnedLatencies;
use unladen_machine::MachineTimes;

use crate::lateness::Stretch;
use crate::load::AgentPart;

/// What one agent did of an arm's phases, one or several together.
#[derive(Debug, Default, Clone)]
pub(crate) struct AgentPhase {
    pub(crate) name: String,
    pub(crate) command: String,
    pub(crate) recorded: u64,
    pub(crate) answered: u64,
    pub(crate) unsent: u64,
    /// Counted without a record.
    pub(crate) unrecorded: u64,
    pub(crate) lags: BinnedLatencies,
    /// Number of requests whose lag is the agent's, and their total lateness.
    pub(crate) late: (u64, u64),
    pub(crate) cpu: Duration,
    /// CPU time of its sending thread, and how long it sent.
    pub(crate) worked: Duration,
    pub(crate) sending: Duration,
    pub(crate) times: MachineTimes,
    pub(crate) start_uncertainty: Duration,
    pub(crate) round_trip: Duration,
}

impl AgentPhase {
    /// From its reports on one phase, in which it sent for `sending`.
    pub(crate) fn of(part: AgentPart, sending: Duration) -> Self {
        let mut lags = BinnedLatencies::default();
        part.lag.values().for_each(|(lag_ns, count)| lags.add_many(lag_ns, count));
        let of_end = |of: fn(&unladen_load::LoadEnd) -> Duration| part.end.as_ref().map_or(Duration::ZERO, of);
        Self {
            recorded: part.recorded,
            answered: part.answered,
            unsent: part.end.as_ref().map_or(0, |end| end.unsent),
            unrecorded: part.unrecorded,
            late: part.lateness.between(Duration::ZERO, Duration::MAX),
            cpu: of_end(|end| end.cpu),
            worked: of_end(|end| end.worked),
            sending,
            times: part.machine.times(),
            start_uncertainty: part.start_uncertainty,
            round_trip: part.round_trip,
            lags,
            name: part.name,
            command: part.command,
        }
    }

    pub(crate) fn absorb(&mut self, other: &Self) {
        self.recorded = self.recorded.saturating_add(other.recorded);
        self.answered = self.answered.saturating_add(other.answered);
        self.unsent = self.unsent.saturating_add(other.unsent);
        self.unrecorded = self.unrecorded.saturating_add(other.unrecorded);
        self.lags.absorb(&other.lags);
        self.late = (self.late.0.saturating_add(other.late.0), self.late.1.saturating_add(other.late.1));
        self.cpu = self.cpu.saturating_add(other.cpu);
        self.worked = self.worked.saturating_add(other.worked);
        self.sending = self.sending.saturating_add(other.sending);
        self.times = self.times.plus(other.times);
        self.start_uncertainty = self.start_uncertainty.max(other.start_uncertainty);
        self.round_trip = other.round_trip;
        (self.name, self.command) = (other.name.clone(), other.command.clone());
    }

    pub(crate) fn stretch(&self) -> Stretch {
        Stretch { times: self.times, requests: self.late.0, late_ns: self.late.1 }
    }
}
