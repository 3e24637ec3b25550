//! The principal type is [`Pulse`]: a thread's answers to liveness checks.

use std::sync::Arc;

use tokio::sync::watch;

use crate::Observability;

/// A thread's answers to liveness checks, which end when this is dropped.
#[derive(Debug)]
pub struct Pulse {
    observability: Arc<Observability>,
    thread: usize,
    asked: watch::Receiver<u64>,
    answered: watch::Sender<u64>,
}

impl Observability {
    /// Registers thread number `thread` of `threads`, which carries requests from now on.
    pub fn pulse(self: &Arc<Self>, thread: usize, threads: usize) -> Pulse {
        let (answered, seen) = watch::channel(0);
        let asked = self.pulses.begin(thread, threads, seen);
        Pulse { observability: Arc::clone(self), thread, asked, answered }
    }
}

// === impl Pulse ===

impl Pulse {
    /// Answers as long as it is polled; to be run on the thread's event loop.
    pub async fn answer(mut self) {
        while self.asked.changed().await.is_ok() {
            let turn = *self.asked.borrow_and_update();
            self.answered.send_replace(turn);
        }
    }
}

impl Drop for Pulse {
    fn drop(&mut self) {
        self.observability.pulses.end(self.thread);
    }
}
