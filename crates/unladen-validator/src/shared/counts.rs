//! The principal type is [`SharedCounts`]: counters of shared answers.

use std::sync::atomic::{
    AtomicU64, AtomicUsize,
    Ordering::{Acquire, Release},
};
use std::sync::{Arc, Mutex};

#[derive(Debug, Default)]
pub(crate) struct SharedCounts {
    /// Questions answered from another node's answer.
    pub(crate) from_others: AtomicU64,
    /// Questions for which the engine was of no use.
    pub(crate) failed: AtomicU64,
    /// Requests answered from local memory.
    pub(crate) remembered: AtomicU64,
    up: AtomicUsize,
    pub(crate) last_error: Mutex<Option<String>>,
}

// === impl SharedCounts ===

impl SharedCounts {
    /// Counts a working connection until the returned guard is dropped.
    pub(super) fn up(self: &Arc<Self>) -> Up {
        self.up.fetch_add(1, Release);
        Up(self.clone())
    }

    pub(crate) fn is_up(&self) -> bool {
        self.up.load(Acquire) > 0
    }
}

pub(super) struct Up(Arc<SharedCounts>);

impl Drop for Up {
    fn drop(&mut self) {
        self.0.up.fetch_sub(1, Release);
    }
}
