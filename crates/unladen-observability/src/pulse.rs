//! The principal type is [`Pulse`]: how a thread that carries requests shows that it still does.

use std::sync::Arc;

use tokio::sync::watch;

use crate::Observability;

/// How a thread shows that it still carries requests. It is asked no more once this is dropped.
#[derive(Debug)]
pub struct Pulse {
    observability: Arc<Observability>,
    thread: usize,
    asked: watch::Receiver<u64>,
    answered: watch::Sender<u64>,
}

impl Observability {
    /// For the thread of this number, of so many, which carries requests from now on.
    pub fn pulse(self: &Arc<Self>, thread: usize, threads: usize) -> Pulse {
        let (answered, seen) = watch::channel(0);
        let asked = self.pulses.begin(thread, threads, seen);
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
        self.observability.pulses.end(self.thread);
    }
}
