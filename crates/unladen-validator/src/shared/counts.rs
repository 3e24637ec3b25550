//! The principal type is [`SharedCounts`]: what has become of sharing answers.

use std::sync::atomic::{
    AtomicU64, AtomicUsize,
    Ordering::{Acquire, Release},
};
use std::sync::{Arc, Mutex};

/// What has become of it.
#[derive(Debug, Default)]
pub(crate) struct SharedCounts {
    /// Questions that another node's answer did for.
    pub(crate) from_others: AtomicU64,
    /// Questions that the engine was of no use for.
    pub(crate) failed: AtomicU64,
    /// Requests that an answer did for which was known here.
    pub(crate) remembered: AtomicU64,
    /// Connections that work.
    up: AtomicUsize,
    pub(crate) last_error: Mutex<Option<String>>,
}

// === impl SharedCounts ===

impl SharedCounts {
    /// A connection works; it does until what is returned is dropped.
    pub(super) fn up(self: &Arc<Self>) -> Up {
        self.up.fetch_add(1, Release);
        Up(self.clone())
    }

    pub(crate) fn is_up(&self) -> bool {
        self.up.load(Acquire) > 0
    }
}

/// A connection that works.
pub(super) struct Up(Arc<SharedCounts>);

impl Drop for Up {
    fn drop(&mut self) {
        self.0.up.fetch_sub(1, Release);
    }
}
