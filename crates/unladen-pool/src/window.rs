//! The principal type is [`Window`]: recent good and bad events, counted over a sliding window.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Number of parts of the window; the oldest is dropped as a whole.
const PARTS: u64 = 10;
/// A part is one word, so that a count is one atomic addition and never lands between two resets: its number (modulo
/// 2²⁴), then 20 bits of good ones, then 20 bits of bad ones.
const COUNT_BITS: u32 = 20;
const COUNT: u64 = (1 << COUNT_BITS) - 1;
const GOOD: u64 = 1 << COUNT_BITS;
const BAD: u64 = 1;
const NUMBER_BITS: u32 = 24;
/// From here on both counts of a part are halved, which keeps their ratio; the room above is for additions of threads
/// that looked at the same time.
const FULL: u64 = COUNT - (1 << 12);

#[derive(Debug)]
pub(crate) struct Window {
    part_ms: u64,
    parts: [AtomicU64; PARTS as usize],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) good: u64,
    pub(crate) bad: u64,
}

impl Window {
    /// A window of this length, at least 10 ms.
    pub(crate) fn new(over: Duration) -> Self {
        let part_ms = (u64::try_from(over.as_millis()).unwrap_or(u64::MAX) / PARTS).max(1);
        // Numbered as their predecessors: none of them counts.
        Self { part_ms, parts: std::array::from_fn(|_| AtomicU64::new(word(u64::MAX))) }
    }

    pub(crate) fn good(&self, now_ms: u64) {
        self.add(now_ms, GOOD);
    }

    pub(crate) fn bad(&self, now_ms: u64) {
        self.add(now_ms, BAD);
    }

    pub(crate) fn counts(&self, now_ms: u64) -> Counts {
        let current = now_ms / self.part_ms;
        let mut counts = Counts::default();
        for back in 0..PARTS.min(current + 1) {
            let number = current - back;
            let part = self.parts[(number % PARTS) as usize].load(Ordering::Relaxed);
            if number_of(part) == number_of(word(number)) {
                counts.good += part >> COUNT_BITS & COUNT;
                counts.bad += part & COUNT;
            }
        }
        counts
    }

    pub(crate) fn clear(&self) {
        for part in &self.parts {
            part.store(word(u64::MAX), Ordering::Relaxed);
        }
    }

    fn add(&self, now_ms: u64, what: u64) {
        let number = now_ms / self.part_ms;
        let part = &self.parts[(number % PARTS) as usize];
        let seen = part.load(Ordering::Relaxed);
        let has_room = (seen >> COUNT_BITS & COUNT) < FULL && (seen & COUNT) < FULL;
        if number_of(seen) == number_of(word(number)) && has_room {
            // If another thread begins the next round of this part in between, this one counts there: no harm.
            part.fetch_add(what, Ordering::Relaxed);
            return;
        }
        let _ = part.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |seen| {
            if number_of(seen) != number_of(word(number)) {
                return Some(word(number) + what);
            }
            let (good, bad) = (seen >> COUNT_BITS & COUNT, seen & COUNT);
            if good < FULL && bad < FULL {
                return Some(seen + what);
            }
            Some(word(number) + (good / 2) * GOOD + (bad / 2) * BAD + what)
        });
    }
}

const fn word(number: u64) -> u64 {
    (number & ((1 << NUMBER_BITS) - 1)) << (2 * COUNT_BITS)
}

const fn number_of(part: u64) -> u64 {
    part >> (2 * COUNT_BITS)
}

#[cfg(test)]
mod tests;
