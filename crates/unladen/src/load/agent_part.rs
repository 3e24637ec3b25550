//! The principal type is [`AgentPart`]: what one agent did of a load.

use std::time::Duration;

use unladen_load::{LoadEnd, RecordSummary, RequestRecord};
use unladen_report::{Drift, Lost};

use crate::load::account::Lag;
use crate::load::lateness::Lateness;
use crate::load::machine_log::Stretches;

#[derive(Debug, Default)]
pub(crate) struct AgentPart {
    pub(crate) name: String,
    pub(crate) command: String,
    pub(crate) recorded: u64,
    pub(crate) answered: u64,
    /// Recorded requests that are only counted, since their records were lost.
    pub(crate) unrecorded: u64,
    pub(crate) lag: Lag,
    pub(crate) lateness: Lateness,
    pub(crate) machine: Stretches,
    /// `None` if the agent was lost.
    pub(crate) end: Option<LoadEnd>,
    pub(crate) lost: Option<Lost>,
    /// Planned requests that a lost agent did not report; `None` without a planned number, as in a closed loop that
    /// time ends.
    pub(crate) missing: Option<u64>,
    /// How far its start may be from the agreed one.
    pub(crate) start_uncertainty: Duration,
    pub(crate) round_trip: Duration,
    pub(crate) drift: Option<Drift>,
}

impl AgentPart {
    pub(crate) fn record(&mut self, record: &RequestRecord) {
        self.recorded += 1;
        self.answered += u64::from(record.error.is_none());
        self.lag.record(record.lag_ns);
        if let Some(lag_ns) = record.lag_ns {
            self.lateness.record(record.planned_ns, lag_ns);
        }
    }

    pub(crate) fn summarise(&mut self, summary: &RecordSummary) {
        self.recorded = self.recorded.saturating_add(summary.recorded);
        self.answered = self.answered.saturating_add(summary.answered);
        self.unrecorded = self.unrecorded.saturating_add(summary.recorded);
        self.lag.absorb(&summary.lag, summary.waited);
    }
}
