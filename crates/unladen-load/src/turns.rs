//! The principal type is [`Turns`]: the numbers and planned times of a schedule's requests that are sent from here.

use std::time::Duration;

use crate::schedule::{Schedule, Times};
use crate::share::Share;

/// The turns of a share, in their order: the number of each request in the whole load, and when it is planned.
#[derive(Clone, Debug)]
pub(crate) struct Turns {
    times: Times,
    share: Share,
    /// The number of the next time.
    next: u64,
    /// The first number that is not sent.
    end: u64,
}

// === impl Turns ===

impl Turns {
    /// Those of the first `most` requests of a schedule that are in the share.
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
