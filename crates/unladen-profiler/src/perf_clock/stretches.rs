//! The principal type is [`Stretches`]: which comes first, a request or a stretch without, and how long that is.

use std::time::Duration;

/// After an answer, as long as it took is waited for what it left to do, but no less and no more than this.
const SETTLE: std::ops::RangeInclusive<Duration> = Duration::from_millis(10)..=Duration::from_millis(50);

/// The parts of a request's own time that a stretch without a request has: what recurs at intervals cannot keep in
/// step.
const PARTS: std::ops::Range<f64> = 0.5..1.5;

/// Before a stretch without a request, at most this part of its length is let pass.
const MOST_GAP: f64 = 0.25;

/// No stretch without a request is longer: enough to tell who is always there.
const LONGEST: Duration = Duration::from_secs(2);

/// Two requests and two stretches without make a block, on-off-off-on or off-on-on-off by a coin: what grows or shrinks
/// meanwhile is in both alike.
#[derive(Debug)]
pub(super) struct Stretches {
    random: fastrand::Rng,
    /// The second half of a block, if it is next: whether its request comes first.
    next: Option<bool>,
    /// How long the last request had.
    length: Option<Duration>,
}

impl Stretches {
    pub(super) fn new(random: fastrand::Rng) -> Self {
        Self { random, next: None, length: None }
    }

    /// Whether the next request comes before the stretch without.
    pub(super) fn is_request_first(&mut self) -> bool {
        match self.next.take() {
            Some(is_first) => is_first,
            None => {
                let is_first = self.random.bool();
                self.next = Some(!is_first);
                is_first
            }
        }
    }

    /// What is waited for after an answer that took so long.
    pub(super) fn settle(took: Duration) -> Duration {
        took.clamp(*SETTLE.start(), *SETTLE.end())
    }

    /// A request took so long, with what it left to do.
    pub(super) fn learn(&mut self, length: Duration) {
        self.length = Some(length);
    }

    /// Whether any request is known.
    pub(super) fn knows(&self) -> bool {
        self.length.is_some()
    }

    /// What to let pass, and how long to look then.
    pub(super) fn without(&mut self) -> (Duration, Duration) {
        let length = self.length.unwrap_or(*SETTLE.end()).min(LONGEST);
        let part = PARTS.start + (PARTS.end - PARTS.start) * self.random.f64();
        (length.mul_f64(MOST_GAP * self.random.f64()), length.mul_f64(part))
    }
}

#[cfg(test)]
mod tests;
