//! The principal type is [`Pulse`]: how a thread that carries requests shows that it still does.
//!
//! Each thread answers a number with the same number, on its own event loop, between two requests. Nothing is done as
//! long as nobody asks.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::Observability;

/// All threads that answer.
#[derive(Debug)]
pub(crate) struct Pulses {
    asked: watch::Sender<u64>,
    /// What each has answered last, by its number.
    threads: Mutex<BTreeMap<usize, watch::Receiver<u64>>>,
    /// How many there are to be; 0: it is not known yet.
    expected: AtomicUsize,
}

/// How a thread shows that it still carries requests. It is asked no more once this is dropped.
#[derive(Debug)]
pub struct Pulse {
    observability: Arc<Observability>,
    thread: usize,
    asked: watch::Receiver<u64>,
    answered: watch::Sender<u64>,
}

// === impl Observability ===

impl Observability {
    /// For the thread of this number, of so many, which carries requests from now on.
    pub fn pulse(self: &Arc<Self>, thread: usize, threads: usize) -> Pulse {
        let (answered, seen) = watch::channel(0);
        let asked = self.pulses.asked.subscribe();
        self.pulses.expected.store(threads, Ordering::Relaxed);
        self.pulses.lock().insert(thread, seen);
        Pulse { observability: Arc::clone(self), thread, asked, answered }
    }
}

// === impl Pulse ===

impl Pulse {
    /// Answers for as long as it is polled: on the event loop of its thread.
    pub async fn answer(mut self) {
        while self.asked.changed().await.is_ok() {
            let turn = *self.asked.borrow_and_update();
            self.answered.send_replace(turn);
        }
    }
}

impl Drop for Pulse {
    fn drop(&mut self) {
        self.observability.pulses.lock().remove(&self.thread);
    }
}

// === impl Pulses ===

impl Pulses {
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
