//! Writes purges to the bus, in order, until it has them.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use super::Fleet;
use crate::{Forget, News, Position, What};

const AT_ONCE: usize = 100;

impl Fleet {
    pub(super) async fn send(&self, forget: &dyn Forget) {
        let mut failures = 0;
        loop {
            let (records, gone) = self.queue.next(AT_ONCE);
            let overflowed = self.queue.overflowed();
            if records.is_empty() && overflowed.is_none() {
                self.queue.rings().await;
                continue;
            }
            if !records.is_empty() {
                let places = self.insist(&records, &mut failures).await;
                self.counts.sent.fetch_add(records.len() as u64, Ordering::Relaxed);
                for (reply, place) in self.queue.take_until(gone).into_iter().zip(places) {
                    // The caller may have given up.
                    reply.map(|reply| reply.send(place));
                }
            }
            // All rejected purges came before this is written.
            if let Some(refused) = self.queue.overflowed() {
                forget.tell(&News::Overflow);
                self.insist(&[self.record(None, What::All, true)], &mut failures).await;
                self.queue.told(refused);
            }
        }
    }

    async fn insist(&self, records: &[String], failures: &mut u32) -> Vec<Position> {
        loop {
            match self.bus.publish(records).await {
                Ok(places) if places.len() == records.len() => {
                    *failures = 0;
                    // Before it counts as sent.
                    if let Some(last) = places.last() {
                        *self.written.lock().unwrap_or_else(PoisonError::into_inner) = Some(last.clone());
                    }
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
