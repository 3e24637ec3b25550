//! The principal type is [`Heat`]: which pages this node asks its peers for often.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Counters of each of two rows: enough for some ten thousand pages.
const WIDTH: usize = 1 << 15;
/// Time after which each count is halved.
const HALF: Duration = Duration::from_secs(120);

/// A count-min sketch of two rows: counts are a little too high where pages share counters, and never too low. 64 KiB,
/// whatever is asked for.
#[derive(Debug)]
pub(crate) struct Heat {
    counts: Box<[AtomicU8]>,
    began: Instant,
    /// Number of halvings so far.
    halved: AtomicU64,
}

impl Heat {
    pub(crate) fn new(now: Instant) -> Self {
        Self { counts: (0..2 * WIDTH).map(|_| AtomicU8::new(0)).collect(), began: now, halved: AtomicU64::new(0) }
    }

    /// Counts a question for this page, and returns the recent count with it.
    pub(crate) fn count(&self, page: u64, now: Instant) -> u8 {
        self.forget(now);
        let places = [page as usize % WIDTH, WIDTH + (page >> 32) as usize % WIDTH];
        let add = |place: usize| {
            let Some(count) = self.counts.get(place) else { return 0 };
            let more = |count: u8| Some(count.saturating_add(1));
            count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).unwrap_or(0).saturating_add(1)
        };
        places.map(add).into_iter().min().unwrap_or(0)
    }

    fn forget(&self, now: Instant) {
        let due = now.saturating_duration_since(self.began).as_secs() / HALF.as_secs();
        let halved = self.halved.load(Ordering::Relaxed);
        if due <= halved || self.halved.compare_exchange(halved, due, Ordering::Relaxed, Ordering::Relaxed).is_err() {
            return;
        }
        let times = u32::try_from(due - halved).unwrap_or(u32::MAX);
        for count in &self.counts {
            let less = |count: u8| Some(count.checked_shr(times).unwrap_or(0));
            let _ = count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        }
    }
}

#[cfg(test)]
mod tests;
