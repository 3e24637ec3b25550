//! The principal types are [`Room`], a shared bound in bytes, and [`Held`], one user's part of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Debug)]
pub(crate) struct Room {
    bound: u64,
    held: AtomicU64,
}

/// One user's part, until dropped.
#[derive(Debug)]
pub(crate) struct Held {
    room: Arc<Room>,
    bytes: u64,
}

impl Room {
    pub(crate) fn new(bound: u64) -> Arc<Self> {
        Arc::new(Self { bound, held: AtomicU64::new(0) })
    }

    pub(crate) fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    pub(crate) fn bound(&self) -> u64 {
        self.bound
    }

    fn take(&self, bytes: u64) -> bool {
        let more = |held: u64| held.checked_add(bytes).filter(|after| *after <= self.bound);
        self.held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }
}

// === impl Held ===

impl Held {
    pub(crate) fn none(room: &Arc<Room>) -> Self {
        Self { room: room.clone(), bytes: 0 }
    }

    /// Grows to `bytes` in all, and returns whether there was room. What is held already stays.
    pub(crate) fn grow(&mut self, bytes: u64) -> bool {
        let more = bytes.saturating_sub(self.bytes);
        let has_room = more == 0 || self.room.take(more);
        if has_room {
            self.bytes += more;
        }
        has_room
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.room.held.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
