//! The principal type is [`LoadAgent`]: a host that sends a load.

use std::time::Duration;

use crate::send_lag::SendLag;

/// A host that sends a load.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadAgent {
    pub name: String,
    /// Command that reaches it; results show its [program](program_of) alone.
    pub command: String,
    /// Requests whose outcome it reported.
    pub requests: u64,
    pub answered: u64,
    pub unsent: u64,
    /// Planned requests that it did not report because it was lost.
    pub missing: u64,
    /// Requests that are only counted: the connection was too slow for their records.
    pub unrecorded: u64,
    /// Its own lateness. `None` in a closed loop, or if it sent nothing.
    pub send_lag: Option<SendLag>,
    pub cpu: Option<Duration>,
    /// Share of its machine's processors that the hypervisor took meanwhile.
    pub stolen_share: Option<f64>,
    /// Maximum distance of its start from the agreed one.
    pub start_uncertainty: Duration,
    /// Minimum time from a question to its answer.
    pub round_trip: Duration,
    /// How far its clock gained on the local one from start to end; `None` if unknown.
    pub drift: Option<Drift>,
    pub unfit: Vec<String>,
    pub lost: Option<Lost>,
}

/// How far two clocks drifted apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drift {
    /// Positive if the remote clock is ahead.
    pub ns: i64,
    /// To both sides.
    pub uncertainty_ns: u64,
}

/// When an agent last gave a sign of life, and what happened to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    pub at: Duration,
    pub why: String,
}

/// The program of a command, and whether more follows: arguments, and variables before the program, may be secrets.
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

    /// Whether lost records are the only defect of its part.
    pub(crate) fn lacks_records_alone(&self) -> bool {
        self.unrecorded > 0 && self.unfit.len() == 1
    }
}

#[cfg(test)]
mod tests;
