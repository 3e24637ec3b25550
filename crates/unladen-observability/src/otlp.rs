//! The principal type is [`Exporter`]: sends spans and metrics to an OpenTelemetry collector, by OTLP over HTTP, as
//! JSON.
//!
//! JSON and plain HTTP need no further dependency, so there is no cargo feature for it. Spans wait in a bounded queue;
//! [`crate::Observability::export`] sends them in batches about twice a second, and metrics as often as configured.
//! What a collector refuses is resent with growing pauses for a minute; then it is dropped and counted.

mod client;
mod export;
mod metrics;
mod traces;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use crate::{OtlpSettings, RequestAccount};
use client::{Destination, TargetError};
use traces::Span;

/// Maximum of waiting spans; some 20 MB at most.
const QUEUE: usize = 4096;

#[derive(Debug)]
pub(super) struct Exporter {
    queue: SyncSender<Span>,
    waiting: Mutex<Receiver<Span>>,
    is_on: AtomicBool,
    to: watch::Sender<Option<Arc<Destination>>>,
    /// `service.instance.id` of this process.
    instance: String,
    counts: Counts,
}

#[derive(Debug, Default)]
struct Counts {
    spans_sent: AtomicU64,
    spans_full: AtomicU64,
    spans_failed: AtomicU64,
    taken: AtomicU64,
    retried: AtomicU64,
    given_up: AtomicU64,
}

/// Sent to the collector since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ExportTotals {
    pub(super) spans_sent: u64,
    /// Spans dropped since the queue was full.
    pub(super) spans_full: u64,
    /// Spans dropped since the collector did not accept them.
    pub(super) spans_failed: u64,
    pub(super) taken: u64,
    pub(super) retried: u64,
    pub(super) given_up: u64,
}

impl Exporter {
    pub(super) fn new() -> Self {
        let (queue, waiting) = sync_channel(QUEUE);
        Self {
            queue,
            waiting: Mutex::new(waiting),
            is_on: AtomicBool::new(false),
            to: watch::Sender::default(),
            instance: traces::instance(),
            counts: Counts::default(),
        }
    }

    /// Destination of the settings, if valid.
    pub(super) fn check(settings: &OtlpSettings) -> Result<Destination, TargetError> {
        let target = settings.endpoint.parse()?;
        Ok(Destination {
            target,
            every: settings.every,
            service: settings.service.clone(),
            environment: settings.environment.clone(),
            zone: settings.zone.clone(),
        })
    }

    pub(super) fn set(&self, to: Option<Destination>) {
        self.is_on.store(to.is_some(), Ordering::Relaxed);
        self.to.send_replace(to.map(Arc::new));
    }

    pub(super) fn observe(&self, record: &RequestAccount<'_>) {
        let Some(trace) = record.trace.filter(|trace| trace.sampled) else { return };
        if self.is_on.load(Ordering::Relaxed) && self.queue.try_send(Span::of(record, trace)).is_err() {
            self.counts.spans_full.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(super) fn totals(&self) -> ExportTotals {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        ExportTotals {
            spans_sent: read(&self.counts.spans_sent),
            spans_full: read(&self.counts.spans_full),
            spans_failed: read(&self.counts.spans_failed),
            taken: read(&self.counts.taken),
            retried: read(&self.counts.retried),
            given_up: read(&self.counts.given_up),
        }
    }

    fn to(&self) -> Option<Arc<Destination>> {
        self.to.borrow().clone()
    }

    fn take(&self, into: &mut Vec<Span>, limit: usize) {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        into.extend(waiting.try_iter().take(limit.saturating_sub(into.len())));
    }
}

#[cfg(test)]
mod tests;
