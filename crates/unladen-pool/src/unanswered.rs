//! The principal type is [`Unanswered`]: requests on new connections of FastCGI that nobody may have taken yet.
//!
//! A process of PHP-FPM serves one connection until that is closed. As long as all of them serve connections that are
//! kept, a new one waits in the socket's queue, where nobody sees it. So one is closed for each request that has waited
//! there.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An idle process takes a connection, and answers a simple page, in less than this, in milliseconds. A page that takes
/// longer is taken for one that waits: that costs a connection, which is little beside the page.
const SOON: u64 = 10;
/// A page that takes seconds is to cost few: from one connection that is closed for it to the next, it is given twice the
/// time, up to so many milliseconds.
const LONGEST: u64 = 1000;

/// Requests that nobody may have taken yet.
#[derive(Debug, Default)]
pub(crate) struct Unanswered {
    /// So that nobody takes the lock while there are none.
    count: AtomicUsize,
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    /// By the time from which on one has waited too long, in milliseconds of the upstream's clock, and by its number.
    due: BTreeMap<(u64, u64), Arc<Patience>>,
    begun: u64,
}

/// Of one request; changed under the lock alone.
#[derive(Debug)]
struct Patience {
    due: AtomicU64,
    next: AtomicU64,
}

/// A request on a new connection of FastCGI that nobody may have taken yet, until this is dropped.
#[derive(Debug)]
pub struct Waits {
    unanswered: Arc<Unanswered>,
    number: u64,
    patience: Arc<Patience>,
}

// === impl Unanswered ===

impl Unanswered {
    /// There is one more.
    pub(crate) fn begin(self: &Arc<Self>, now_ms: u64) -> Waits {
        let due = now_ms + SOON;
        let patience = Arc::new(Patience { due: due.into(), next: (2 * SOON).into() });
        let mut waiting = self.waiting();
        let number = waiting.begun;
        waiting.begun += 1;
        waiting.due.insert((due, number), patience.clone());
        self.count.fetch_add(1, Ordering::AcqRel);
        Waits { unanswered: self.clone(), number, patience }
    }

    /// Whether a connection is to be closed for one that has waited too long. Whoever served the connection turns to that
    /// one, or to a request of others that waits before it; so it may have another one later.
    pub(crate) fn takes_one(&self, now_ms: u64) -> bool {
        if self.count.load(Ordering::Acquire) == 0 {
            return false;
        }
        let mut waiting = self.waiting();
        let Some(first) = waiting.due.first_entry().filter(|first| first.key().0 <= now_ms) else { return false };
        let ((_, number), patience) = first.remove_entry();
        let next = patience.next.load(Ordering::Relaxed);
        patience.next.store((2 * next).min(LONGEST), Ordering::Relaxed);
        patience.due.store(now_ms + next, Ordering::Relaxed);
        waiting.due.insert((now_ms + next, number), patience);
        true
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        let mut waiting = self.unanswered.waiting();
        waiting.due.remove(&(self.patience.due.load(Ordering::Relaxed), self.number));
        self.unanswered.count.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests;
