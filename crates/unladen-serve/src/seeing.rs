//! The principal type is [`Seeing`]: what is counted, logged and traced of requests; and where it can be looked at.
//!
//! Each thread that carries requests has a [`ThreadSeeing`], which takes a [`Record`] of each request that is over. Nothing is
//! shared between those threads: readers add their counts up. What is slow (writing lines, sending spans) is done elsewhere,
//! behind bounded queues; what does not fit in is dropped, and counted.

mod access_log;
pub mod admin;
mod families;
mod front_counts;
mod fronts;
mod hex;
mod histogram;
mod json;
mod method;
mod metrics;
mod misses;
mod otlp;
mod page;
mod process;
mod prometheus;
mod random;
mod request_id;
mod resolved;
mod snapshot;
mod stats;
mod thread;
pub mod trace_context;
mod upstreams;
mod wall;
mod words;

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;

pub use front_counts::{AskedFor, Brought, FrontTotals, ResultTotals};
pub use histogram::{BOUNDS, HistogramTotals};
pub use method::Method;
pub use metrics::{Kind, KindTotals, Totals};
pub use misses::Miss;
pub use request_id::request_id;
pub use thread::ThreadSeeing;
pub use upstreams::View;

pub(crate) use fronts::FrontView;

use crate::Settings;

use access_log::AccessLog;
use metrics::Shard;
use otlp::Exporter;
use process::Process;
use snapshot::{Snapshot, UpstreamSnapshot};
use upstreams::Upstreams;
use wall::Wall;

/// What is seen of requests, by all threads.
#[derive(Debug)]
pub struct Seeing {
    started: Wall,
    since: Instant,
    counted: Mutex<Vec<Counted>>,
    configured: Upstreams,
    fronts: Mutex<Vec<Arc<dyn FrontView>>>,
    /// The settings, resolved, as JSON.
    config: ArcSwap<String>,
    draining: AtomicBool,
    log: AccessLog,
    exporter: Exporter,
    /// How many are sending to the collector, and are to be waited for.
    exports: Mutex<usize>,
    exported: Condvar,
}

/// While it is there, [`Seeing::close`] waits for it.
#[derive(Debug)]
struct Exporting<'a>(&'a Seeing);

/// An upstream's place in a [`Seeing`]: the same on all threads, and after a reload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UpstreamIndex(usize);

/// What was counted under one upstream's name.
#[derive(Debug)]
struct Counted {
    name: Arc<str>,
    /// By thread.
    shards: Vec<Option<Arc<Shard>>>,
}

// === impl Seeing ===

impl Seeing {
    /// As the settings say.
    ///
    /// # Errors
    /// As [`Self::reload`].
    pub fn new(settings: &Settings) -> io::Result<Self> {
        let seeing = Self {
            started: Wall::now(),
            since: Instant::now(),
            counted: Mutex::default(),
            configured: Upstreams::default(),
            fronts: Mutex::default(),
            config: ArcSwap::default(),
            draining: AtomicBool::new(false),
            log: AccessLog::new(),
            exporter: Exporter::new(),
            exports: Mutex::new(0),
            exported: Condvar::new(),
        };
        seeing.reload(settings)?;
        Ok(seeing)
    }

    /// As these settings say, from now on. The access log's file is opened anew. What was counted stays.
    ///
    /// # Errors
    /// The access log's file cannot be opened, or the collector's address is none. Then all stays as it was.
    pub fn reload(&self, settings: &Settings) -> io::Result<()> {
        let target = settings.otlp.as_ref().map(otlp::Exporter::check).transpose();
        let target = target.map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, format!("otlp: {error}")))?;
        self.log.open(settings.log.as_ref()).map_err(|error| {
            let file = settings.log.as_ref().and_then(|log| log.file.as_ref());
            let file = file.map_or_else(|| "on standard error".to_owned(), |file| file.display().to_string());
            io::Error::new(error.kind(), format!("cannot open the access log {file}: {error}"))
        })?;
        self.exporter.set(target);
        self.config.store(Arc::new(resolved::document(settings)));
        Ok(())
    }

    /// These upstreams are configured, from now on. What was counted for others stays, by their names.
    pub fn set_upstreams(&self, upstreams: Vec<Arc<dyn View>>) {
        for upstream in &upstreams {
            self.upstream(&upstream.settings().name);
        }
        self.configured.set(upstreams);
    }

    /// These fronts are configured, from now on; each has an upstream of its name.
    pub(crate) fn set_fronts(&self, fronts: Vec<Arc<dyn FrontView>>) {
        *self.fronts.lock().unwrap_or_else(PoisonError::into_inner) = fronts;
    }

    /// The front of this name; or all of them.
    fn fronts(&self, name: Option<&str>) -> Vec<Arc<dyn FrontView>> {
        let fronts = self.fronts.lock().unwrap_or_else(PoisonError::into_inner);
        fronts.iter().filter(|front| name.is_none_or(|name| name == front.name())).cloned().collect()
    }

    /// The place of the upstream of this name; made when it is asked for the first time, and kept.
    pub fn upstream(&self, name: &str) -> UpstreamIndex {
        let mut counted = self.lock();
        let index = counted.iter().position(|upstream| &*upstream.name == name).unwrap_or_else(|| {
            counted.push(Counted { name: name.into(), shards: Vec::new() });
            counted.len() - 1
        });
        UpstreamIndex(index)
    }

    /// For the thread of this number, counted from 0. The same number continues the same counters: it is for one thread at a time.
    pub fn thread(self: &Arc<Self>, index: usize) -> ThreadSeeing {
        ThreadSeeing::new(Arc::clone(self), index)
    }

    /// It is stopping: from now on `/healthz` says so.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// Sends spans and metrics to the collector, if the settings name one, until `stop` is ready, and then what is left; that takes
    /// no longer than 5 s. On a runtime with I/O and time; once at a time.
    pub async fn export(self: Arc<Self>, stop: impl Future<Output = ()>) {
        let _exporting = self.exporting();
        otlp::export(&self, stop).await;
    }

    /// To be called last, when no requests are carried any more: waits until [`Self::export`] has ended, if it was begun, and until
    /// what waits for the access log is written, but no longer than this. Whether all was done in time. Blocks.
    pub fn close(&self, within: Duration) -> bool {
        let until = Instant::now() + within;
        let exports = self.exports.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.exported.wait_timeout_while(exports, within, |exports| *exports > 0);
        let (exports, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let is_exported = *exports == 0;
        drop(exports);
        // It is written in a moment, unless nobody reads it.
        let is_written =
            self.log.close(until.saturating_duration_since(Instant::now()).max(Duration::from_millis(100)));
        is_exported && is_written
    }

    /// Makes [`Self::close`] wait until it is dropped.
    fn exporting(&self) -> Exporting<'_> {
        *self.exports.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Exporting(self)
    }

    /// What was counted for each upstream, by name.
    pub fn totals(&self) -> Vec<(Arc<str>, Totals)> {
        // The shards are added up without the lock, which a thread may wait for that meets an upstream for the first time.
        let shards: Vec<(Arc<str>, Vec<Arc<Shard>>)> = self
            .lock()
            .iter()
            .map(|upstream| (Arc::clone(&upstream.name), upstream.shards.iter().flatten().cloned().collect()))
            .collect();
        shards.into_iter().map(|(name, shards)| (name, Totals::of(shards.iter().map(|shard| &**shard)))).collect()
    }

    fn snapshot(&self) -> Snapshot {
        let mut totals = self.totals();
        let fronts = self.fronts(None);
        let mut upstreams: Vec<UpstreamSnapshot> = self
            .configured
            .look()
            .into_iter()
            .filter_map(|configured| {
                let index = totals.iter().position(|(name, _)| **name == *configured.state.name)?;
                let (name, totals) = totals.remove(index);
                let front = fronts.iter().find(|front| *front.name() == *name).map(|front| front.state());
                Some(UpstreamSnapshot { name, totals, configured: Some(configured), front })
            })
            .collect();
        let gone = |(name, totals)| UpstreamSnapshot { name, totals, configured: None, front: None };
        upstreams.extend(totals.into_iter().map(gone));
        Snapshot {
            taken: Wall::now(),
            started: self.started,
            uptime: self.since.elapsed(),
            draining: self.draining.load(Ordering::Relaxed),
            upstreams,
            log: self.log.totals(),
            export: self.exporter.totals(),
            process: Process::read(),
        }
    }

    fn shard(&self, UpstreamIndex(upstream): UpstreamIndex, thread: usize) -> Option<Arc<Shard>> {
        let mut counted = self.lock();
        let shards = &mut counted.get_mut(upstream)?.shards;
        if shards.len() <= thread {
            shards.resize(thread + 1, None);
        }
        Some(Arc::clone(shards[thread].get_or_insert_default()))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Counted>> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Exporting<'_> {
    fn drop(&mut self) {
        *self.0.exports.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.exported.notify_all();
    }
}

#[cfg(test)]
mod tests;
