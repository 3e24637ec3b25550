//! The principal type is [`Unanswered`]: requests on new FastCGI connections that no process may have accepted yet.
//!
//! A PHP-FPM process serves one connection until it is closed. While all of them serve kept connections, a new one
//! waits in the socket's queue, unseen. So a kept connection is closed for each request that has waited there.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// In milliseconds: an idle process accepts a connection and answers a simple page in less. A slower page is taken for
/// a waiting one: that costs a connection, which is little beside the page.
const SOON: u64 = 10;
/// In milliseconds: a page that takes seconds should cost few connections, so the time doubles after each one closed
/// for it, up to this.
const LONGEST: u64 = 1000;

#[derive(Debug, Default)]
pub(crate) struct Unanswered {
    /// Avoids the lock while there are none.
    count: AtomicUsize,
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    /// By deadline in milliseconds of the upstream's clock, and by number.
    due: BTreeMap<(u64, u64), Arc<Patience>>,
    begun: u64,
}

/// State of one request; changed only under the lock.
#[derive(Debug)]
struct Patience {
    due: AtomicU64,
    next: AtomicU64,
}

/// A request on a new FastCGI connection that no process may have accepted yet, until this is dropped.
#[derive(Debug)]
pub struct Waits {
    unanswered: Arc<Unanswered>,
    number: u64,
    patience: Arc<Patience>,
}

impl Unanswered {
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

    /// Whether to close a connection for a request that has waited too long. The freed process turns to that one, or to
    /// a request that waits before it; so it may get another one later.
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
