//! The principal type is [`Unanswered`]: requests on new connections of FastCGI that nobody may have taken yet.
//!
//! A process of PHP-FPM serves one connection until that is closed. As long as all of them serve connections that are
//! kept, a new one waits in the socket's queue, where nobody sees it. So none is kept while a request has waited there.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// An idle process takes a connection, and answers a simple page, in less than this, in milliseconds. A page that takes
/// longer is taken for one that waits: that costs a connection, which is little beside the page.
const SOON: u64 = 10;

/// Requests that nobody may have taken yet.
#[derive(Debug, Default)]
pub(crate) struct Unanswered {
    count: AtomicUsize,
    /// Since when there are any, in milliseconds of the upstream's clock.
    since: AtomicU64,
}

/// A request on a new connection of FastCGI that nobody may have taken yet, until this is dropped.
#[derive(Debug)]
pub struct Waits(Arc<Unanswered>);

// === impl Unanswered ===

impl Unanswered {
    /// There is one more.
    pub(crate) fn begin(self: &Arc<Self>, now_ms: u64) -> Waits {
        if self.count.fetch_add(1, Ordering::AcqRel) == 0 {
            self.since.store(now_ms, Ordering::Release);
        }
        Waits(self.clone())
    }

    /// Whether there may be one that has waited for some time.
    pub(crate) fn has_waited(&self, now_ms: u64) -> bool {
        self.count.load(Ordering::Acquire) > 0 && now_ms.saturating_sub(self.since.load(Ordering::Acquire)) >= SOON
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        self.0.count.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests;
