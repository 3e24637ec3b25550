//! The principal type is [`Uncacheable`]: keys whose responses are not stored, remembered for a while.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A table without locks: each key has one slot, which a later key may take. Forgetting one only costs that somebody
/// waits for another's answer in vain.
#[derive(Debug)]
pub(super) struct Uncacheable {
    /// 24 bits of the key's hash, one bit for whether a response's head can lift it, and 39 of the end in milliseconds.
    slots: Box<[AtomicU64]>,
    start: Instant,
}

/// Marks that a key's responses are not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark(u64);

const TIME_BITS: u32 = 39;
const TIME: u64 = (1 << TIME_BITS) - 1;
const SEEN: u64 = 1 << TIME_BITS;
const HASH: u64 = !(TIME | SEEN);

impl Uncacheable {
    pub(super) fn new(slots: usize) -> Self {
        let slots = (0..slots.max(1).next_power_of_two()).map(|_| AtomicU64::new(0)).collect();
        Self { slots, start: Instant::now() }
    }

    pub(super) fn set(&self, hash: u64, until: Instant, is_seen: bool) {
        if let Some(slot) = self.slot(hash) {
            let seen = if is_seen { SEEN } else { 0 };
            slot.store((hash & HASH) | seen | self.time(until), Ordering::Relaxed);
        }
    }

    /// Removes the mark, if a head can lift it.
    pub(super) fn lift(&self, Mark(hash): Mark) {
        if self.slot(hash).is_some_and(|slot| slot.load(Ordering::Relaxed) & SEEN != 0) {
            self.remove(hash);
        }
    }

    pub(super) fn remove(&self, hash: u64) {
        if let Some(slot) = self.slot(hash) {
            let said = slot.load(Ordering::Relaxed);
            if said != 0 && said & HASH == hash & HASH {
                // A concurrent writer knows better.
                let _ = slot.compare_exchange(said, 0, Ordering::Relaxed, Ordering::Relaxed);
            }
        }
    }

    pub(super) fn find(&self, hash: u64, now: Instant) -> Option<Mark> {
        let said = self.slot(hash).map_or(0, |slot| slot.load(Ordering::Relaxed));
        let is_set = said != 0 && said & HASH == hash & HASH && self.start + Duration::from_millis(said & TIME) > now;
        is_set.then_some(Mark(hash))
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
