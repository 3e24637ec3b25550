//! The principal type is [`Bell`]: wakes all who wait.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Waker};

#[derive(Debug, Default)]
pub(super) struct Bell {
    /// Read without the lock: mostly nobody waits.
    has_waiters: AtomicBool,
    /// By waiter, so that those who leave take their waker along, which keeps the memory of its task.
    waiters: Mutex<BTreeMap<u64, Waker>>,
}

impl Bell {
    /// Registers for the next ring. Check the condition once more afterwards.
    pub(super) fn wait(&self, waiter: u64, cx: &Context<'_>) {
        self.lock().insert(waiter, cx.waker().clone());
        self.has_waiters.store(true, Ordering::SeqCst);
    }

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
