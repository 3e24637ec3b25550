//! The principal type is [`Stretches`]: the order of requests and stretches without, and the length of the latter.

use std::time::Duration;

/// Bounds on the wait after an answer for remaining work, which otherwise is as long as the answer took.
const SETTLE: std::ops::RangeInclusive<Duration> = Duration::from_millis(10)..=Duration::from_millis(50);

/// Length of a stretch without a request relative to the request's own time: random, so that periodic work cannot keep
/// in step.
const PARTS: std::ops::Range<f64> = 0.5..1.5;

/// Longest pause before a stretch without a request, as a part of its length.
const MOST_GAP: f64 = 0.25;

/// Longest stretch without a request: enough to recognise what is always there.
const LONGEST: Duration = Duration::from_secs(2);

/// Two requests and two stretches without make a block, on-off-off-on or off-on-on-off by a coin toss, so that trends
/// affect both alike.
#[derive(Debug)]
pub(super) struct Stretches {
    random: fastrand::Rng,
    /// Whether the request comes first in the second half of a block, if that is next.
    next: Option<bool>,
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

    pub(super) fn settle(took: Duration) -> Duration {
        took.clamp(*SETTLE.start(), *SETTLE.end())
    }

    pub(super) fn learn(&mut self, length: Duration) {
        self.length = Some(length);
    }

    pub(super) fn knows(&self) -> bool {
        self.length.is_some()
    }

    /// Pause before a stretch, and its length.
    pub(super) fn without(&mut self) -> (Duration, Duration) {
        let length = self.length.unwrap_or(*SETTLE.end()).min(LONGEST);
        let part = PARTS.start + (PARTS.end - PARTS.start) * self.random.f64();
        (length.mul_f64(MOST_GAP * self.random.f64()), length.mul_f64(part))
    }
}

#[cfg(test)]
mod tests;
