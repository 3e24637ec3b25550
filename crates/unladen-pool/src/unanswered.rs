//! The principal type is [`Unanswered`]: requests on new connections of FastCGI that nobody may have taken yet.
//!
//! A process of PHP-FPM serves one connection until that is closed. As long as all of them serve connections that are
//! kept, a new one waits in the socket's queue, where nobody sees it. So one is closed for each request that has waited
//! there.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An idle process takes a connection, and answers a simple page, in less than this, in milliseconds. A page that takes
/// longer is taken for one that waits: that costs a connection, which is little beside the page.
const SOON: u64 = 10;

/// Requests that nobody may have taken yet.
#[derive(Debug, Default)]
pub(crate) struct Unanswered {
    /// So that nobody takes the lock while there are none.
    count: AtomicUsize,
    begun: Mutex<Begun>,
}

/// Since when they wait, in the order in which they began. Those that were answered stay in their place until they are
/// the first.
#[derive(Debug, Default)]
struct Begun {
    /// Milliseconds of the upstream's clock: when it began, or when a connection was closed for it; none for what was
    /// answered.
    times: VecDeque<Option<u64>>,
    /// The number of the first of them.
    first: u64,
}

/// A request on a new connection of FastCGI that nobody may have taken yet, until this is dropped.
#[derive(Debug)]
pub struct Waits {
    unanswered: Arc<Unanswered>,
    number: u64,
}

// === impl Unanswered ===

impl Unanswered {
    /// There is one more.
    pub(crate) fn begin(self: &Arc<Self>, now_ms: u64) -> Waits {
        let mut begun = self.begun();
        let number = begun.first + begun.times.len() as u64;
        begun.times.push_back(Some(now_ms));
        self.count.fetch_add(1, Ordering::AcqRel);
        Waits { unanswered: self.clone(), number }
    }

    /// Whether a connection is to be closed for one that has waited for some time. That one begins to wait anew: whoever
    /// served the connection turns to it, or to a request of others that waits before it.
    pub(crate) fn takes_one(&self, now_ms: u64) -> bool {
        if self.count.load(Ordering::Acquire) == 0 {
            return false;
        }
        let mut begun = self.begun();
        let waited = begun.times.iter_mut().flatten().find(|since| now_ms.saturating_sub(**since) >= SOON);
        waited.map(|since| *since = now_ms).is_some()
    }

    fn begun(&self) -> MutexGuard<'_, Begun> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        let mut begun = self.unanswered.begun();
        let at = self.number.saturating_sub(begun.first) as usize;
        if let Some(time) = begun.times.get_mut(at) {
            *time = None;
        }
        while let Some(None) = begun.times.front() {
            begun.times.pop_front();
            begun.first += 1;
        }
        self.unanswered.count.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests;
