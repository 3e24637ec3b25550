//! The principal type is [`Share`]: one host's part of a load that several hosts send.
//!
//! ```
//! use unladen_load::Share;
//!
//! let second = Share::new(1, 3)?;
//! let sent: Vec<u64> = (0..10).filter(|number| second.has(*number)).collect();
//! assert_eq!(sent, [1, 4, 7]);
//! assert_eq!(second.of_requests(10), 3);
//! assert_eq!((0..3).map(|index| Share::new(index, 3).map(|share| share.of_workers(8))).sum::<Result<usize, _>>()?, 8);
//! # Ok::<(), unladen_load::LoadError>(())
//! ```

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::LoadError;
use crate::schedule::{Schedule, Times};

const MOST: u32 = 1_000;

/// One of several equal parts of a load: request number n is sent by the host whose index is n modulo their number.
///
/// All hosts walk the one schedule and draw the one mix, and each sends its own numbers: together they send exactly the
/// load of a single host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    index: u32,
    of: u32,
}

// === impl Share ===

impl Share {
    /// The whole load.
    pub const WHOLE: Self = Self { index: 0, of: 1 };

    /// Part `index`, counted from 0, of `of`. Fails when there is no such part, or there are more than 1,000.
    pub fn new(index: u32, of: u32) -> Result<Self, LoadError> {
        if of == 0 || of > MOST || index >= of {
            let value = format!("part {index} of {of}");
            return Err(LoadError::Config { what: "share", value, expected: "a part from 0 on, of at most 1,000" });
        }
        Ok(Self { index, of })
    }

    /// Checks the bounds of a share that came from elsewhere.
    pub(crate) fn checked(self) -> Result<Self, LoadError> {
        Self::new(self.index, self.of)
    }

    /// Whether request number n belongs to this share.
    pub fn has(self, number: u64) -> bool {
        number % u64::from(self.of) == u64::from(self.index)
    }

    /// Number of the `turn`-th request of this share, both counted from 0.
    pub(crate) fn number(self, turn: u64) -> u64 {
        turn.saturating_mul(u64::from(self.of)).saturating_add(u64::from(self.index))
    }

    /// How many of the first `requests` belong to this share.
    pub fn of_requests(self, requests: u64) -> u64 {
        let own = requests / u64::from(self.of);
        own + u64::from(requests % u64::from(self.of) > u64::from(self.index))
    }

    /// This share of the concurrent requests.
    pub fn of_workers(self, workers: usize) -> usize {
        usize::try_from(self.of_requests(workers as u64)).unwrap_or(usize::MAX)
    }

    /// Number of parts.
    pub fn parts(self) -> u32 {
        self.of
    }
}

impl Default for Share {
    fn default() -> Self {
        Self::WHOLE
    }
}

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
