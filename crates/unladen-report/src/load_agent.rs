//! The principal type is [`LoadAgent`]: one of the hosts that a load is sent from.

use std::time::Duration;

use unladen_document::Drift;

use crate::send_lag::SendLag;

/// One of the hosts that a load is sent from.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadAgent {
    pub name: String,
    /// The command that reaches it; results tell its [program](program_of).
    pub command: String,
    /// Requests of which it told what became.
    pub requests: u64,
    /// Of these, answered as expected.
    pub answered: u64,
    /// Requests planned and never sent: the most that may be under way were.
    pub unsent: u64,
    /// Requests planned of which it told nothing: it was lost.
    pub missing: u64,
    /// Requests that are counted alone: the way was too slow for their records.
    pub unrecorded: u64,
    /// How late it sent itself. None in a closed loop, and where it sent nothing.
    pub send_lag: Option<SendLag>,
    /// Its own CPU; none where it was lost.
    pub cpu: Option<Duration>,
    /// The share of its machine's processors that the hypervisor took meanwhile.
    pub stolen_share: Option<f64>,
    /// How far its start may be from the agreed one.
    pub start_uncertainty: Duration,
    /// The least time from a question to its answer.
    pub round_trip: Duration,
    /// How much further its clock went than the one here, from the start to the end; none where that is not known.
    pub drift: Option<Drift>,
    /// Why its figures are not the server's, in words; empty if they are.
    pub unfit: Vec<String>,
    /// Set if it did not come to its end.
    pub lost: Option<Lost>,
}

/// When the last was heard of an agent, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// Since the start.
    pub at: Duration,
    /// What became of it, as far as that is known.
    pub why: String,
}

/// A command as it may be told: its program, and that there is more. Arguments, and variables before it, may be secrets.
pub fn program_of(command: &str) -> String {
    match command.trim().split_once(char::is_whitespace) {
        _ if command.split_whitespace().next().is_some_and(|first| first.contains('=')) => "…".to_owned(),
        Some((program, _)) => format!("{program} …"),
        None => command.trim().to_owned(),
    }
}

impl LoadAgent {
    /// Whether its part of the figures is the server's.
    pub fn is_fit(&self) -> bool {
        self.unfit.is_empty() && self.lost.is_none()
    }

    /// Whether nothing else is wrong with its part than that records were lost.
    pub(crate) fn lacks_records_alone(&self) -> bool {
        self.unrecorded > 0 && self.unfit.len() == 1
    }
}

#[cfg(test)]
mod tests;
