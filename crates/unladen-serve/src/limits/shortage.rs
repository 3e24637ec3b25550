//! Where there is no room for a client, or no file descriptor, all threads are told: what each can do about it is close
//! connections that wait for a request.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

/// Told when a listener has as many connections as it may: those that could make room may be other threads'.
pub(crate) static CROWDED: Notify = Notify::const_new();
/// Times that no file descriptor was left for a client.
pub(crate) static SHORT: AtomicUsize = AtomicUsize::new(0);

/// No file descriptor is left: who asks for something comes before those who only wait, on whichever thread they are.
pub(crate) fn short_of_files() {
    SHORT.fetch_add(1, Ordering::Relaxed);
    CROWDED.notify_waiters();
}
