//! The principal type is [`Cancel`]: one switch that ends a measurement early, from any thread.
//!
//! ```
//! use std::time::Duration;
//! use unladen_load::Cancel;
//!
//! let cancel = Cancel::new();
//! let switch = cancel.clone();
//! let interrupt = std::thread::spawn(move || switch.cancel());
//! assert!(cancel.wait(Duration::from_secs(60)), "woken by the other thread, long before a minute");
//! # interrupt.join().unwrap();
//! ```

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

/// A shared switch that cancels for good.
///
/// Cancelling takes a lock, so a signal handler must not do it: let a thread wait for the signal and cancel.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<State>);

#[derive(Debug, Default)]
struct State {
    cancelled: Mutex<bool>,
    threads: Condvar,
    tasks: Notify,
}

impl Cancel {
    /// A switch that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels: all that waits on it, a hanging request too, ends at once.
    pub fn cancel(&self) {
        *self.0.cancelled.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.threads.notify_all();
        self.0.tasks.notify_waiters();
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        *self.0.cancelled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sleeps for `time` or until cancelled; returns whether it was.
    pub fn wait(&self, time: Duration) -> bool {
        let cancelled = self.0.cancelled.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.0.threads.wait_timeout_while(cancelled, time, |cancelled| !*cancelled);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }

    pub(crate) async fn cancelled(&self) {
        // The order matters: `notified` counts from its creation, so a cancellation between the check and the wait is
        // not missed.
        let notified = self.0.tasks.notified();
        if !self.is_cancelled() {
            notified.await;
        }
    }
}

#[cfg(test)]
mod tests;
