//! The principal type is [`Turns`]: numbers and planned times of this share's requests of a schedule.

use std::time::Duration;

use crate::schedule::{Schedule, Times};
use crate::share::Share;

/// The turns of a share, in order: each request's number in the whole load, and its planned time.
#[derive(Clone, Debug)]
pub(crate) struct Turns {
    times: Times,
    share: Share,
    next: u64,
    /// The first number that is not sent.
    end: u64,
}

// === impl Turns ===

impl Turns {
    /// Turns of the share among the first `most` requests of a schedule.
    pub(crate) fn of(schedule: &Schedule, share: Share, most: Option<u64>) -> Self {
        Self { times: schedule.times(), share, next: 0, end: most.unwrap_or(u64::MAX) }
    }
}

impl Iterator for Turns {
    type Item = (u64, Duration);

    fn next(&mut self) -> Option<Self::Item> {
        while self.next < self.end {
            let (number, time) = (self.next, self.times.next()?);
            self.next += 1;
            if self.share.has(number) {
                return Some((number, time));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests;
