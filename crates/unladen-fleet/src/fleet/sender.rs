//! Writes purges to the bus, in their order, until it has them.

use std::sync::atomic::Ordering;

use tokio::sync::mpsc;

use super::Fleet;
use super::sending::Sending;
use crate::{Forget, News, Position, What};

/// Written at once, at most.
const AT_ONCE: usize = 100;

impl Fleet {
    pub(super) async fn send(&self, mut sending: mpsc::Receiver<Sending>, forget: &dyn Forget) {
        let mut batch = Vec::with_capacity(AT_ONCE);
        let mut failures = 0;
        loop {
            if sending.recv_many(&mut batch, AT_ONCE).await == 0 {
                return;
            }
            let (records, replies): (Vec<_>, Vec<_>) = batch.drain(..).map(|next| (next.record, next.reply)).unzip();
            let places = self.insist(&records, &mut failures).await;
            let count = records.len() as u64;
            self.counts.sent.fetch_add(count, Ordering::Relaxed);
            self.counts.waiting.fetch_sub(count, Ordering::SeqCst);
            for (reply, place) in replies.into_iter().zip(places) {
                // Who has asked may have given up.
                reply.map(|reply| reply.send(place));
            }
            // All that was refused came before this is written.
            if self.has_overflowed.swap(false, Ordering::SeqCst) {
                forget.tell(&News::Overflow);
                self.insist(&[self.record(None, What::All, true)], &mut failures).await;
            }
        }
    }

    /// Again and again, until the engine has them.
    async fn insist(&self, records: &[String], failures: &mut u32) -> Vec<Position> {
        loop {
            match self.bus.publish(records).await {
                Ok(places) if places.len() == records.len() => {
                    *failures = 0;
                    return places;
                }
                Ok(_) => tokio::time::sleep(self.settings.lease).await,
                Err(error) => {
                    let pause = self.pause(error, failures);
                    tokio::time::sleep(pause).await;
                }
            }
        }
    }
}
