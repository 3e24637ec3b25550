//! The principal type is [`Heat`]: which pages this node asks its peers for again and again.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Counters of each of two rows: some ten thousand pages are told apart well enough.
const WIDTH: usize = 1 << 15;
/// After so long, half of each count is forgotten.
const HALF: Duration = Duration::from_secs(120);

/// Which pages this node asks its peers for again and again: counts that are a little too high where pages share their
/// counters, and never too low (a count-min sketch of two rows). 64 KiB, whatever is asked for.
#[derive(Debug)]
pub(crate) struct Heat {
    counts: Box<[AtomicU8]>,
    began: Instant,
    /// How often half was forgotten.
    halved: AtomicU64,
}

impl Heat {
    pub(crate) fn new(now: Instant) -> Self {
        Self { counts: (0..2 * WIDTH).map(|_| AtomicU8::new(0)).collect(), began: now, halved: AtomicU64::new(0) }
    }

    /// The page with this hash is asked for: how often it was lately, with this time.
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
