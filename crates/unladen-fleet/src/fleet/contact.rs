//! The principal type is [`Contact`]: state of the contact with the engine.

use std::time::{Duration, Instant};

use crate::BusError;

/// State of the contact with the engine, as far as it needs a lock.
#[derive(Debug, Default)]
pub(super) struct Contact {
    pub(super) last_beat: Option<Instant>,
    /// Time of an unanswered lease request.
    pub(super) asked: Option<Instant>,
    pub(super) cut_offs: u64,
    pub(super) cut_off: Duration,
    pub(super) cut_off_since: Option<Instant>,
    pub(super) has_been_connected: bool,
    pub(super) error: Option<BusError>,
}

impl Contact {
    /// Last error; an engine that has not answered for longer than `patience` has given none yet.
    pub(super) fn why(&self, now: Instant, patience: Duration) -> Option<BusError> {
        let is_silent = self.asked.is_some_and(|at| now.saturating_duration_since(at) > patience);
        self.error.clone().or_else(|| is_silent.then_some(BusError::Timeout))
    }
}
