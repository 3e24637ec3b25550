//! The principal type is [`Standing`]: whether a queue is a passing burst or standing.
//!
//! A queue is there to carry a burst. If it never becomes empty, it carries nothing: everybody waits as long as it is,
//! and no more are answered than without it (CoDel, RFC 8289, section 3). RFC 8289 goes by the least wait within an
//! interval. With a line for each client that does not do: a client that asks seldom never waits for long. The sign
//! here is that of Maurer's variant for requests ("Fail at Scale", ACM Queue 13(8), 2015): for an interval, the queue
//! has not been empty.
//!
//! RFC 8289's interval is at least a round trip, in which a sender could have reacted to a loss. Here it is the longest
//! wait of a request: a burst worth waiting for is over by then. But the queue of a slow application is seldom empty
//! even at a load it can carry. So besides, either a request must have been refused meanwhile, for the queue's length
//! or its wait, or [`ROUNDS`] requests for each worker been served.

use std::time::{Duration, Instant};

/// Requests served for each place while the queue was never empty.
///
/// With Poisson arrivals at four places that take 300 ms each, less than one request in a hundred is refused for it at
/// 90 % load, and next to none at 80 % (see the simulation).
const ROUNDS: u64 = 100;
/// Divisor of the longest wait under overload: CoDel's target is 5 to 10 % of its interval (RFC 8289, section 4.3).
const TARGET: u32 = 10;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Standing {
    since: Option<Instant>,
    served: u64,
    has_refused: bool,
}

impl Standing {
    pub(super) fn begin(&mut self, now: Instant) {
        if self.since.is_none() {
            *self = Self { since: Some(now), ..Self::default() };
        }
    }

    pub(super) fn end(&mut self) {
        *self = Self::default();
    }

    pub(super) fn served(&mut self) {
        self.served += 1;
    }

    pub(super) fn refused(&mut self) {
        self.has_refused = true;
    }

    /// Whether there is overload, given the longest wait and the number of places.
    pub(super) fn is_overload(&self, now: Instant, wait: Duration, places: usize) -> bool {
        let is_proven = self.has_refused || self.served >= ROUNDS.saturating_mul(places as u64);
        is_proven && self.lasted(now) >= wait
    }

    pub(super) fn target(wait: Duration) -> Duration {
        wait / TARGET
    }

    pub(super) fn lasted(&self, now: Instant) -> Duration {
        self.since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since))
    }

    /// How long `waiting` requests will take at the pace so far; `None` if nothing has been done yet.
    pub(super) fn drain(&self, now: Instant, waiting: usize) -> Option<Duration> {
        let each = self.lasted(now).as_secs_f64() / self.served as f64;
        (self.served > 0).then(|| Duration::try_from_secs_f64(each * waiting as f64).unwrap_or(Duration::MAX))
    }
}
