//! The principal type is [`Bodies`]: how much memory the bodies take that a cache has made.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;

/// How much memory the bodies take that a cache has made: those that it stores, and those that it stores no more, but
/// that are still being sent. As long as they are within the cache's bound, they are its own; what is beyond is held
/// for clients who do not read.
#[derive(Debug)]
pub(crate) struct Bodies {
    bound: usize,
    alive: AtomicUsize,
}

/// One of them.
struct Body {
    bytes: Bytes,
    bodies: Arc<Bodies>,
}

// === impl Bodies ===

impl Bodies {
    /// Of a cache of this bound.
    pub(crate) fn new(bound: u64) -> Arc<Self> {
        Arc::new(Self { bound: usize::try_from(bound).unwrap_or(usize::MAX), alive: AtomicUsize::new(0) })
    }

    /// Counts a body, until nobody has it any more.
    pub(crate) fn count(self: &Arc<Self>, bytes: Bytes) -> Bytes {
        if bytes.is_empty() {
            return bytes;
        }
        self.alive.fetch_add(bytes.len(), Ordering::Relaxed);
        Bytes::from_owner(Body { bytes, bodies: self.clone() })
    }

    /// What is beyond the cache's bound.
    pub(super) fn excess(&self) -> usize {
        self.alive.load(Ordering::Relaxed).saturating_sub(self.bound)
    }
}

impl AsRef<[u8]> for Body {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        self.bodies.alive.fetch_sub(self.bytes.len(), Ordering::Relaxed);
    }
}
