//! The principal type is [`Seldom`]: what is told once, and then counted for a while.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What whoever writes to the engine could have told without end: it is told once, and then counted for a while.
#[derive(Debug, Default)]
pub(crate) struct Seldom {
    state: Mutex<(Option<Instant>, u64)>,
}

/// Between two lines of a log.
const PAUSE: Duration = Duration::from_secs(10);

impl Seldom {
    /// It happened: how often since it was told last, if it is to be told now.
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
