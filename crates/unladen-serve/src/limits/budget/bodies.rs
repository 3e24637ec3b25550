//! The principal type is [`Bodies`]: memory of the bodies that a cache has made.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;

/// Memory of the bodies that a cache made: those stored, and those no longer stored but still being sent. Up to the
/// cache's bound they count as its own; the excess is held for clients that do not read.
#[derive(Debug)]
pub(crate) struct Bodies {
    bound: usize,
    alive: AtomicUsize,
}

struct Body {
    bytes: Bytes,
    bodies: Arc<Bodies>,
}

// === impl Bodies ===

impl Bodies {
    pub(crate) fn new(bound: u64) -> Arc<Self> {
        Arc::new(Self { bound: usize::try_from(bound).unwrap_or(usize::MAX), alive: AtomicUsize::new(0) })
    }

    /// Counts a body until its last user drops it.
    pub(crate) fn count(self: &Arc<Self>, bytes: Bytes) -> Bytes {
        if bytes.is_empty() {
            return bytes;
        }
        self.alive.fetch_add(bytes.len(), Ordering::Relaxed);
        Bytes::from_owner(Body { bytes, bodies: self.clone() })
    }

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
