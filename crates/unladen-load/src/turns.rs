//! The principal type is [`Turns`]: when the workers of a run send, and when they stop.

use std::cell::Cell;
use std::time::{Duration, Instant};

use crate::tally::{End, Stop};

/// The turns of one run, handed out to its workers.
///
/// At a rate, the k-th turn is planned at start + k / rate, computed anew from the start each time: adding up
/// intervals would add up their rounding too. A turn that comes late keeps its planned time.
#[derive(Debug)]
pub(crate) struct Turns {
    start: Instant,
    rate: Option<f64>,
    stop: Stop,
    /// Turns handed out, of which workers may still wait for their time.
    taken: Cell<u64>,
    /// Turns used.
    sent: Cell<u64>,
}

// === impl Turns ===

impl Turns {
    pub(crate) fn new(start: Instant, rate: Option<f64>, stop: Stop) -> Self {
        Self { start, rate, stop, taken: Cell::new(0), sent: Cell::new(0) }
    }

    /// Waits for the next turn and gives its planned time; none when the run is over.
    ///
    /// The runtime's timer wakes up to a millisecond late, never early; the tally tells how late requests were sent.
    pub(crate) async fn next(&self) -> Option<Instant> {
        let turn = self.taken.get();
        if self.stop.max_requests.is_some_and(|most| turn >= most) {
            return None;
        }
        let planned = match self.rate {
            None => Instant::now(),
            Some(rate) => self.planned(turn, rate)?,
        };
        if planned >= self.stop.until {
            return None;
        }
        self.taken.set(turn + 1);
        if self.rate.is_some() {
            if Instant::now() < planned {
                tokio::time::sleep_until(planned.into()).await;
            }
            if Instant::now() >= self.stop.until {
                return None;
            }
        }
        self.sent.update(|sent| sent + 1);
        Some(planned)
    }

    /// How many turns were used.
    pub(crate) fn sent(&self) -> u64 {
        self.sent.get()
    }

    /// What ended the run, when nothing else did.
    pub(crate) fn end(&self) -> End {
        if self.stop.max_requests.is_some_and(|most| self.sent.get() >= most) { End::Requests } else { End::Until }
    }

    /// How many turns were planned before `now`, or before the end, and not used: every worker was busy.
    pub(crate) fn unsent(&self, now: Instant) -> u64 {
        let Some(rate) = self.rate else { return 0 };
        let end = self.stop.until.min(now);
        // A float cast to an integer saturates.
        let mut due = (end.saturating_duration_since(self.start).as_secs_f64() * rate).ceil() as u64;
        // The product may round up where the planned time, rounded to nanoseconds, is the end itself.
        while due > 0 && self.planned(due - 1, rate).is_none_or(|planned| planned >= end) {
            due -= 1;
        }
        due.min(self.stop.max_requests.unwrap_or(u64::MAX)).saturating_sub(self.sent.get())
    }

    /// None when the time is beyond what the clock can tell.
    fn planned(&self, turn: u64, rate: f64) -> Option<Instant> {
        self.start.checked_add(Duration::try_from_secs_f64(turn as f64 / rate).ok()?)
    }
}

#[cfg(test)]
mod tests;
