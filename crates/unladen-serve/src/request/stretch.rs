//! The principal type is [`Stretch`]: how long a client has been waited for, against the [`Pace`] that it has to keep.

use std::time::Instant;

use unladen_serve_config::Pace;

/// How long a client has been waited for at a stretch, and what it has done meanwhile.
#[derive(Debug, Default)]
pub(crate) struct Stretch(Option<(Instant, u64)>);

impl Stretch {
    /// Of a client that is waited for now, or not, and has carried so many bytes in all: when it is too slow, unless
    /// more come. What it did before it was waited for does not count, for it or against it.
    pub(crate) fn until(&mut self, pace: Pace, is_waited_for: bool, now: Instant, bytes: u64) -> Option<Instant> {
        if !is_waited_for {
            self.0 = None;
            return None;
        }
        let (since, before) = *self.0.get_or_insert((now, bytes));
        pace.until(since, bytes.saturating_sub(before))
    }
}

#[cfg(test)]
mod tests;
