//! What a node does all the time: it reads records, forgets, and only then reports the position; it writes its own
//! purges, in order, until the bus has them; and it keeps itself in the list.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use tokio::task::spawn_blocking;

use crate::error::plain;
use crate::fleet::{BEATS, Fleet, MARGIN};
use crate::purge_bus::Read;
use crate::{Forget, News, Position, Record, RecordError, What};

/// Purges written at once.
const AT_ONCE: usize = 100;

impl Fleet {
    pub(super) async fn read(&self, forget: &Arc<dyn Forget>) {
        let mut failures = 0;
        // Time of the last loss, and losses without a full lease between them.
        let (mut lost_at, mut losses) = (None::<Instant>, 0);
        loop {
            if self.holds.load(Ordering::SeqCst) > 0 {
                self.rewound.notified().await;
                continue;
            }
            let (generation, after) = self.progress().start();
            let read = tokio::select! {
                read = self.bus.read_on(after.as_ref(), self.settings.lease) => read,
                () = self.rewound.notified() => continue,
            };
            match read {
                Ok(Read::Records(records)) => {
                    failures = 0;
                    self.progress().is_there(Instant::now());
                    if let Some((last, _)) = records.last() {
                        let last = last.clone();
                        self.forget(forget, generation, records).await;
                        self.progress().advance(generation, last, &self.lease);
                        self.moved.notify_one();
                    }
                }
                Ok(Read::Lost { end, why, whole_for }) => {
                    failures = 0;
                    let noticed = Instant::now();
                    if after.is_some() {
                        self.counts.lost.fetch_add(1, Ordering::Relaxed);
                        if let Some(times) = self.lost.passes(noticed) {
                            forget.tell(&News::Lost { why, times });
                        }
                        let is_again = lost_at.replace(noticed).is_some_and(|at| noticed - at < self.settings.lease);
                        losses = if is_again { losses + 1 } else { 0 };
                    }
                    // Responses stored from now on are newer than this end.
                    self.doubt(forget).await;
                    let whole_since = noticed.checked_sub(whole_for).unwrap_or(noticed);
                    self.progress().begin(generation, end, whole_since, &self.lease);
                    self.moved.notify_one();
                    // An engine that loses its memory again and again, as a full one, is not asked without end.
                    tokio::time::sleep(self.rest(losses)).await;
                }
                Err(error) => {
                    let pause = self.pause(error, &mut failures);
                    tokio::time::sleep(pause).await;
                }
            }
        }
    }

    fn rest(&self, losses: u32) -> Duration {
        match losses {
            0 => Duration::ZERO,
            again => (Duration::from_millis(10) * 2u32.saturating_pow(again.min(10))).min(self.settings.lease / 8),
        }
    }

    async fn forget(&self, forget: &Arc<dyn Forget>, generation: u64, records: Vec<(Position, Vec<u8>)>) {
        let is_late = !self.lease.holds(Instant::now());
        let mut meant = Vec::with_capacity(records.len());
        let mut is_unreadable = false;
        for (_, bytes) in &records {
            match Record::read(bytes) {
                Ok(record) => {
                    let is_new = {
                        let progress = self.progress();
                        // After a rewind all of this is read again.
                        if progress.start().0 != generation {
                            return;
                        }
                        self.recent().insert(bytes)
                    };
                    if !is_new {
                        self.counts.repeated.fetch_add(1, Ordering::Relaxed);
                        continue;
                    }
                    if record.node != self.settings.bus.node {
                        self.counts.received.fetch_add(1, Ordering::Relaxed);
                        self.counts.late.fetch_add(is_late.into(), Ordering::Relaxed);
                    }
                    meant.push(record);
                }
                Err(error) => {
                    let is_first = self.counts.unreadable.fetch_add(1, Ordering::Relaxed) == 0;
                    let is_newer = matches!(error, RecordError::Newer(_));
                    let times = if is_newer { self.newer.passes(Instant::now()) } else { is_first.then_some(1) };
                    if let Some(times) = times {
                        forget.tell(&News::Unreadable { why: plain(&error.to_string()), times });
                    }
                    is_unreadable = true;
                }
            }
        }
        if !meant.is_empty() {
            let forget = forget.clone();
            // A panic there would be a bug: what it has not forgotten is revalidated.
            let forgotten = spawn_blocking(move || {
                for Record { site, what, is_soft, .. } in &meant {
                    forget.forget(site.as_deref(), what, *is_soft);
                }
            });
            is_unreadable |= forgotten.await.is_err();
        }
        if is_unreadable {
            self.doubt(forget).await;
        }
    }

    async fn doubt(&self, forget: &Arc<dyn Forget>) {
        let forget = forget.clone();
        let _ = spawn_blocking(move || forget.doubt()).await;
    }

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

    pub(super) async fn beat(&self) {
        let mut failures = 0;
        let lease = self.settings.lease;
        let mut last: Option<Instant> = None;
        loop {
            let position = self.progress().position().cloned();
            let Some(position) = position else {
                self.moved.notified().await;
                continue;
            };
            // Before the request: the engine counts from later.
            let began = Instant::now();
            self.contact().asked = Some(began);
            // Between two beats, others wait only for the position.
            let told = match last {
                Some(last) if began.duration_since(last) < lease / BEATS => self.bus.tell(&position, lease).await,
                _ => self.bus.confirm(&position, lease).await.map(Some),
            };
            self.contact().asked = None;
            match told {
                Ok(end) => {
                    failures = 0;
                    if let Some(end) = end {
                        self.progress().beaten(end, began + lease - lease / MARGIN, &self.lease);
                        last = Some(began);
                    }
                    self.contact().last_beat = Some(Instant::now());
                    let pause = (lease / BEATS).saturating_sub(last.unwrap_or(began).elapsed());
                    let _ = tokio::time::timeout(pause, self.moved.notified()).await;
                }
                Err(error) => {
                    last = None;
                    let pause: Duration = self.pause(error, &mut failures).min(lease / BEATS);
                    tokio::time::sleep(pause).await;
                }
            }
        }
    }
}
