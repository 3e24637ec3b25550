//! The principal type is [`Stretch`]: how long a client has been waited for, against the [`Pace`] it has to keep.

use std::time::Instant;

use unladen_serve_config::Pace;

/// Start of the current wait, and the bytes carried by then.
#[derive(Debug, Default)]
pub(crate) struct Stretch(Option<(Instant, u64)>);

impl Stretch {
    /// When the client will be too slow unless more bytes come, if `is_waited_for`. Bytes before the wait do not count,
    /// for it or against it.
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
