//! Reads records, forgets, and only then reports the position.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tokio::task::spawn_blocking;

use super::Fleet;
use crate::plain::plain;
use crate::purge_bus::Read;
use crate::{Forget, News, Position, Record, RecordError};

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
}
