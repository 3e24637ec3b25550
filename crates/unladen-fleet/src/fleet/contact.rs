//! The principal type is [`Contact`]: how this node stands with the engine.

use std::time::{Duration, Instant};

use crate::BusError;

/// How this node stands with the engine, as far as it takes a lock.
#[derive(Debug, Default)]
pub(super) struct Contact {
    pub(super) last_beat: Option<Instant>,
    /// When the engine was asked for a lease, and has not answered yet.
    pub(super) asked: Option<Instant>,
    pub(super) cut_offs: u64,
    pub(super) cut_off: Duration,
    pub(super) cut_off_since: Option<Instant>,
    pub(super) has_been_connected: bool,
    pub(super) error: Option<BusError>,
}

impl Contact {
    /// What went wrong last; an engine that stands still, and has not answered for longer than this, has said nothing yet.
    pub(super) fn why(&self, now: Instant, patience: Duration) -> Option<BusError> {
        let is_silent = self.asked.is_some_and(|at| now.saturating_duration_since(at) > patience);
        self.error.clone().or_else(|| is_silent.then_some(BusError::Timeout))
    }
}
