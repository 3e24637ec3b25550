//! The principal type is [`Seldom`]: reports something once, then counts for a while.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Limits reports that a writer to the engine could otherwise trigger without end: one, then a count for a while.
#[derive(Debug, Default)]
pub(crate) struct Seldom {
    state: Mutex<(Option<Instant>, u64)>,
}

const PAUSE: Duration = Duration::from_secs(10);

impl Seldom {
    /// Counts an event; returns the number since the last report, if one is due.
    pub(crate) fn passes(&self, now: Instant) -> Option<u64> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (told, times) = &mut *state;
        *times += 1;
        if told.is_some_and(|told| now.saturating_duration_since(told) < PAUSE) {
            return None;
        }
        *told = Some(now);
        Some(std::mem::take(times))
    }
}

#[cfg(test)]
mod tests;
