//! The principal type is [`Pulses`]: liveness checks of the threads that carry requests.
//!
//! Each thread echoes a number on its own event loop, between two requests. Without a check nothing is done.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

#[derive(Debug)]
pub(crate) struct Pulses {
    asked: watch::Sender<u64>,
    threads: Mutex<BTreeMap<usize, watch::Receiver<u64>>>,
    /// Number of expected threads; 0 until it is known.
    expected: AtomicUsize,
}

impl Pulses {
    /// Registers a thread and the expected number of threads; returns the receiver of checks.
    pub(crate) fn begin(&self, thread: usize, threads: usize, seen: watch::Receiver<u64>) -> watch::Receiver<u64> {
        let asked = self.asked.subscribe();
        self.expected.store(threads, Ordering::Relaxed);
        self.lock().insert(thread, seen);
        asked
    }

    pub(crate) fn end(&self, thread: usize) {
        self.lock().remove(&thread);
    }

    /// Checks all threads: how many there are, and the numbers of those that did not answer within `within`.
    pub(crate) async fn silent(&self, within: Duration) -> (usize, Vec<usize>) {
        let until = Instant::now() + within;
        let all: Vec<_> = self.lock().iter().map(|(thread, seen)| (*thread, seen.clone())).collect();
        let mut turn = 0;
        self.asked.send_modify(|asked| {
            *asked += 1;
            turn = *asked;
        });
        let count = all.len();
        let mut silent = Vec::new();
        for (thread, mut seen) in all {
            // A thread that has ended meanwhile need not answer: its starter notices that.
            if timeout_at(until, seen.wait_for(|answered| *answered >= turn)).await.is_err() {
                silent.push(thread);
            }
        }
        (count, silent)
    }

    pub(crate) fn count(&self) -> (usize, usize) {
        (self.lock().len(), self.expected.load(Ordering::Relaxed))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<usize, watch::Receiver<u64>>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Pulses {
    fn default() -> Self {
        Self { asked: watch::Sender::new(0), threads: Mutex::default(), expected: AtomicUsize::new(0) }
    }
}
