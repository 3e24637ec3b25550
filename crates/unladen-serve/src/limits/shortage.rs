//! Without room for a client, or a file descriptor, all threads are told, so that they close idle connections.

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
