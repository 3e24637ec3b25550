//! The principal type is [`Uncacheable`]: keys whose responses are not stored, remembered for a while.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A table without locks: each key has one slot, which a later key may take. That forgets one, which costs no more than that
/// somebody waits for another's answer in vain.
#[derive(Debug)]
pub(super) struct Uncacheable {
    /// 24 bits of the key's hash, and 40 of the end in milliseconds.
    slots: Box<[AtomicU64]>,
    start: Instant,
}

const TIME_BITS: u32 = 40;
const TIME: u64 = (1 << TIME_BITS) - 1;

// === impl Uncacheable ===

impl Uncacheable {
    pub(super) fn new(slots: usize) -> Self {
        let slots = (0..slots.max(1).next_power_of_two()).map(|_| AtomicU64::new(0)).collect();
        Self { slots, start: Instant::now() }
    }

    pub(super) fn set(&self, hash: u64, until: Instant) {
        if let Some(slot) = self.slot(hash) {
            slot.store((hash & !TIME) | self.time(until), Ordering::Relaxed);
        }
    }

    pub(super) fn remove(&self, hash: u64) {
        if let Some(slot) = self.slot(hash) {
            let said = slot.load(Ordering::Relaxed);
            if said != 0 && said & !TIME == hash & !TIME {
                // Whoever says otherwise meanwhile knows better.
                let _ = slot.compare_exchange(said, 0, Ordering::Relaxed, Ordering::Relaxed);
            }
        }
    }

    pub(super) fn has(&self, hash: u64, now: Instant) -> bool {
        let said = self.slot(hash).map_or(0, |slot| slot.load(Ordering::Relaxed));
        said != 0 && said & !TIME == hash & !TIME && self.start + Duration::from_millis(said & TIME) > now
    }

    fn slot(&self, hash: u64) -> Option<&AtomicU64> {
        self.slots.get(hash as usize & (self.slots.len() - 1))
    }

    /// Milliseconds since the start, rounded up; never 0.
    fn time(&self, until: Instant) -> u64 {
        let nanos = until.saturating_duration_since(self.start).as_nanos();
        u64::try_from(nanos.div_ceil(1_000_000)).unwrap_or(TIME).clamp(1, TIME)
    }
}
