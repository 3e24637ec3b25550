//! The principal type is [`Pulses`]: the threads that carry requests, as they are asked whether they still do.
//!
//! Each thread answers a number with the same number, on its own event loop, between two requests. Nothing is done as
//! long as nobody asks.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

/// All threads that answer.
#[derive(Debug)]
pub(crate) struct Pulses {
    asked: watch::Sender<u64>,
    /// What each has answered last, by its number.
    threads: Mutex<BTreeMap<usize, watch::Receiver<u64>>>,
    /// How many there are to be; 0: it is not known yet.
    expected: AtomicUsize,
}

// === impl Pulses ===

impl Pulses {
    /// This thread of so many answers from now on, and is asked there.
    pub(crate) fn begin(&self, thread: usize, threads: usize, seen: watch::Receiver<u64>) -> watch::Receiver<u64> {
        let asked = self.asked.subscribe();
        self.expected.store(threads, Ordering::Relaxed);
        self.lock().insert(thread, seen);
        asked
    }

    /// It is asked no more.
    pub(crate) fn end(&self, thread: usize) {
        self.lock().remove(&thread);
    }

    /// Asks all threads: how many were asked, and the numbers of those that have not answered within this time.
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
            // One that has ended meanwhile has nothing to answer: who started it looks after that.
            if timeout_at(until, seen.wait_for(|answered| *answered >= turn)).await.is_err() {
                silent.push(thread);
            }
        }
        (count, silent)
    }

    /// How many threads carry requests, and how many are to.
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
