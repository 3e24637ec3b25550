//! The principal type is [`Bell`]: wakes all who wait.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Waker};

/// Wakes all who wait. Whoever is woken looks again, and waits again if there is need.
#[derive(Debug, Default)]
pub(super) struct Bell {
    /// Looked at without the lock: mostly nobody waits.
    has_waiters: AtomicBool,
    /// By who waits, so that those who have gone leave nothing here: a waker keeps the memory of its task.
    waiters: Mutex<BTreeMap<u64, Waker>>,
}

impl Bell {
    /// Whoever polls is woken the next time. What is waited for has to be looked at once more after this.
    pub(super) fn wait(&self, waiter: u64, cx: &Context<'_>) {
        self.lock().insert(waiter, cx.waker().clone());
        self.has_waiters.store(true, Ordering::SeqCst);
    }

    /// It waits no more.
    pub(super) fn leave(&self, waiter: u64) {
        self.lock().remove(&waiter);
    }

    pub(super) fn ring(&self) {
        if !self.has_waiters.load(Ordering::SeqCst) {
            return;
        }
        let waiters = {
            let mut waiters = self.lock();
            self.has_waiters.store(false, Ordering::SeqCst);
            std::mem::take(&mut *waiters)
        };
        for waiter in waiters.into_values() {
            waiter.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Waker>> {
        self.waiters.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
