//! Bounds on memory for clients, on what each client and network has at a time, and on rates, and what happens without
//! room.

pub(crate) mod budget;
pub(crate) mod crowd;
pub(crate) mod idle;
pub(crate) mod queue;
pub(crate) mod rates;
pub(crate) mod service;

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

/// Notified when a listener is at its bound on connections: other threads may have those that can be closed.
pub(crate) static CROWDED: Notify = Notify::const_new();
/// Times that no file descriptor was left for a client.
pub(crate) static SHORT: AtomicUsize = AtomicUsize::new(0);

/// Reports that no file descriptor is left: active clients come before idle ones, on whichever thread.
pub(crate) fn short_of_files() {
    SHORT.fetch_add(1, Ordering::Relaxed);
    CROWDED.notify_waiters();
}
