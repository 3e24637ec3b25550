//! The principal type is [`Lateness`]: how long a connection has not got on.

use std::time::{Duration, Instant};

#[derive(Debug, Default)]
pub(super) struct Lateness {
    head: Same,
    sent: Same,
}

/// A number, and since when it has been unchanged.
#[derive(Debug, Default)]
struct Same(Option<(u64, Instant)>);

impl Lateness {
    pub(super) fn of_head(&mut self, head: Option<u64>, now: Instant) -> Duration {
        self.head.since(head, now)
    }

    /// How long nothing was taken of what waits to be sent. `taken`: bytes taken so far, if anything waits.
    pub(super) fn of_sending(&mut self, taken: Option<u64>, now: Instant) -> Duration {
        self.sent.since(taken, now)
    }
}

impl Same {
    fn since(&mut self, number: Option<u64>, now: Instant) -> Duration {
        let before = self.0.filter(|(before, _)| Some(*before) == number);
        self.0 = before.or_else(|| number.map(|number| (number, now)));
        self.0.map_or(Duration::ZERO, |(_, since)| now.saturating_duration_since(since))
    }
}

#[cfg(test)]
mod tests;
