//! The principal type is [`Room`]: so many bytes for all who wait, and [`Held`], what one of them has of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// So many bytes for all.
#[derive(Debug)]
pub(crate) struct Room {
    bound: u64,
    held: AtomicU64,
}

/// What one has of it, until it is dropped.
#[derive(Debug)]
pub(crate) struct Held {
    room: Arc<Room>,
    bytes: u64,
}

impl Room {
    pub(crate) fn new(bound: u64) -> Arc<Self> {
        Arc::new(Self { bound, held: AtomicU64::new(0) })
    }

    /// Bytes that are held.
    pub(crate) fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    /// Bytes that there are in all.
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
    /// Nothing of it yet.
    pub(crate) fn none(room: &Arc<Room>) -> Self {
        Self { room: room.clone(), bytes: 0 }
    }

    /// So much in all: whether there is room for that. What is held already stays.
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
