//! The principal type is [`Observability`]: counts, logs and traces of requests, and access to them.
//!
//! Each thread that carries requests has a [`ThreadSeeing`], which takes a [`RequestAccount`] of each completed
//! request. Those threads share nothing: readers add up their counts. Slow work (writing lines, sending spans) happens
//! elsewhere, behind bounded queues; what does not fit is dropped and counted.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use unladen_fleet::Fleet;

use crate::access_log::AccessLog;
use crate::history::History;
use crate::metrics::{Shard, Totals};
use crate::metrics_snapshot::{
    ClientMemory, CountsSnapshot, MetricsSnapshot, Process, RateServiceView, UpstreamCounts, UpstreamSnapshot,
};
use crate::otlp::Exporter;
use crate::peers::Peers;
use crate::pulses::Pulses;
use crate::settings::{ObservabilitySettings, ReadyCheck};
use crate::sites::{Forget, SiteView};
use crate::tier_counts::TierCounts;
use crate::troubles::{Trouble, Troubles};
use crate::upstreams::{UpstreamView, Upstreams};
use crate::wall::Wall;

/// Counts, logs and traces of all threads.
#[derive(Debug)]
pub struct Observability {
    pub(crate) started: Wall,
    since: Instant,
    counted: Mutex<Vec<Counted>>,
    pub(crate) configured: Upstreams,
    sites: Mutex<Vec<Arc<dyn SiteView>>>,
    fleet: Mutex<Option<Arc<Fleet>>>,
    tier: Mutex<Option<Arc<TierCounts>>>,
    rate_services: Mutex<Vec<Arc<dyn RateServiceView>>>,
    pub(crate) config: ArcSwap<String>,
    pub(crate) draining: AtomicBool,
    pub(crate) ready: ArcSwap<Vec<ReadyCheck>>,
    pub(crate) pulses: Pulses,
    pub(crate) peers: Peers,
    pub(crate) troubles: Troubles,
    pub(crate) log: AccessLog,
    pub(crate) exporter: Exporter,
    pub(crate) history: History,
    client_memory: Arc<dyn ClientMemory>,
    /// Exports to the collector that [`Observability::close`] waits for.
    exports: Mutex<usize>,
    exported: Condvar,
}

#[derive(Debug)]
pub(crate) struct Exporting<'a>(&'a Observability);

/// Index of an upstream in [`Observability`]: the same on all threads, and after a reload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UpstreamIndex(pub(crate) usize);

#[derive(Debug)]
struct Counted {
    name: Arc<str>,
    shards: Vec<Option<Arc<Shard>>>,
}

impl Observability {
    /// Creates it from settings; `client_memory` is read live.
    ///
    /// # Errors
    /// As [`Self::reload`].
    pub fn new(settings: ObservabilitySettings, client_memory: Arc<dyn ClientMemory>) -> io::Result<Self> {
        let troubles = Troubles::default();
        let observability = Self {
            started: Wall::now(),
            since: Instant::now(),
            counted: Mutex::default(),
            configured: Upstreams::default(),
            sites: Mutex::default(),
            fleet: Mutex::default(),
            tier: Mutex::default(),
            rate_services: Mutex::default(),
            config: ArcSwap::default(),
            draining: AtomicBool::new(false),
            ready: ArcSwap::default(),
            pulses: Pulses::default(),
            peers: Peers::default(),
            log: AccessLog::new(&troubles),
            troubles,
            exporter: Exporter::new(),
            history: History::default(),
            client_memory,
            exports: Mutex::new(0),
            exported: Condvar::new(),
        };
        observability.reload(settings)?;
        Ok(observability)
    }

    /// Applies new settings and reopens the access log's file. Counts stay.
    ///
    /// # Errors
    /// The access log's file cannot be opened, or the collector's address is invalid. Then nothing changes.
    pub fn reload(&self, settings: ObservabilitySettings) -> io::Result<()> {
        let target = settings.otlp.as_ref().map(Exporter::check).transpose();
        let target = target.map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, format!("otlp: {error}")))?;
        self.log.open(settings.log.as_ref()).map_err(|error| {
            let file = settings.log.as_ref().and_then(|log| log.file.as_ref());
            let file = file.map_or_else(|| "on standard error".to_owned(), |file| file.display().to_string());
            io::Error::new(error.kind(), format!("cannot open the access log {file}: {error}"))
        })?;
        self.exporter.set(target);
        self.ready.store(Arc::new(settings.ready));
        self.peers.set(settings.peers);
        self.config.store(Arc::new(settings.config));
        Ok(())
    }

    /// Reports a trouble that belongs to no request.
    pub fn tell(&self, trouble: &Trouble<'_>) {
        self.troubles.tell(trouble, b"");
    }

    /// Replaces the configured upstreams. Counts of others stay, under their names.
    pub fn set_upstreams(&self, upstreams: Vec<Arc<dyn UpstreamView>>) {
        for upstream in &upstreams {
            self.upstream(&upstream.settings().name);
        }
        self.configured.set(upstreams);
    }

    /// Replaces the configured sites; each has an upstream of its name.
    pub fn set_sites(&self, sites: Vec<Arc<dyn SiteView>>) {
        *self.sites.lock().unwrap_or_else(PoisonError::into_inner) = sites;
    }

    /// Sets the fleet that purges are sent to.
    pub fn set_fleet(&self, fleet: Option<Arc<Fleet>>) {
        *self.fleet.lock().unwrap_or_else(PoisonError::into_inner) = fleet;
    }

    /// Sets the counters of requests between this node and its peers.
    pub fn set_tier(&self, counts: Option<Arc<TierCounts>>) {
        *self.tier.lock().unwrap_or_else(PoisonError::into_inner) = counts;
    }

    /// The fleet of this node.
    pub fn fleet(&self) -> Option<Arc<Fleet>> {
        self.fleet.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the rate limit services.
    pub fn set_rate_services(&self, services: Vec<Arc<dyn RateServiceView>>) {
        *self.rate_services.lock().unwrap_or_else(PoisonError::into_inner) = services;
    }

    fn rate_services(&self) -> Vec<Arc<dyn RateServiceView>> {
        self.rate_services.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Purges the site of this name, or all. Returns the number of responses; `None` if nothing is stored. May block.
    pub fn forget(&self, site: Option<&str>, forget: &Forget) -> Option<u64> {
        self.sites(site).iter().filter_map(|site| site.forget(forget)).reduce(|sum, purged| sum + purged)
    }

    pub(crate) fn sites(&self, name: Option<&str>) -> Vec<Arc<dyn SiteView>> {
        let sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        sites.iter().filter(|site| name.is_none_or(|name| name == site.name())).cloned().collect()
    }

    /// Index of the upstream of this name; created at the first call, and kept.
    pub fn upstream(&self, name: &str) -> UpstreamIndex {
        let mut counted = self.lock();
        let index = counted.iter().position(|upstream| &*upstream.name == name).unwrap_or_else(|| {
            counted.push(Counted { name: name.into(), shards: Vec::new() });
            counted.len() - 1
        });
        UpstreamIndex(index)
    }

    /// Marks the process as stopping: `/healthz` and `/readyz` say so.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// Waits until [`Self::export`] has ended, if it was begun, and the access log is written, at most `within`;
    /// returns whether all was done. Blocks. To be called last, when no more requests are carried.
    pub fn close(&self, within: Duration) -> bool {
        let until = Instant::now() + within;
        let exports = self.exports.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.exported.wait_timeout_while(exports, within, |exports| *exports > 0);
        let (exports, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let is_exported = *exports == 0;
        drop(exports);
        // It is written at once, unless its pipe is not read.
        let is_written =
            self.log.close(until.saturating_duration_since(Instant::now()).max(Duration::from_millis(100)));
        self.troubles.close(Duration::from_millis(100));
        is_exported && is_written
    }

    pub(crate) fn exporting(&self) -> Exporting<'_> {
        *self.exports.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Exporting(self)
    }

    /// Counts of each upstream, by name.
    pub fn totals(&self) -> Vec<(Arc<str>, Totals)> {
        let totals = |(name, shards): (_, Vec<Arc<Shard>>)| (name, Totals::of(shards.iter().map(|shard| &**shard)));
        self.shards().into_iter().map(totals).collect()
    }

    /// Counts for [`History`]: cheap, and without locks that threads wait for.
    pub(crate) fn counts(&self) -> CountsSnapshot {
        let connects = self.configured.connects();
        let of = |(name, shards): (Arc<str>, Vec<Arc<Shard>>)| UpstreamCounts {
            totals: Totals::without_misses(shards.iter().map(|shard| &**shard)),
            connects: connects.get(&*name).copied().unwrap_or(0),
            name,
        };
        let upstreams = self.shards().into_iter().map(of).collect();
        CountsSnapshot { taken: Wall::now(), uptime: self.since.elapsed(), upstreams }
    }

    /// Shards by upstream. To be added up outside the lock, which a thread may need for a new upstream.
    fn shards(&self) -> Vec<(Arc<str>, Vec<Arc<Shard>>)> {
        let of = |upstream: &Counted| {
            (Arc::clone(&upstream.name), upstream.shards.iter().flatten().cloned().collect::<Vec<_>>())
        };
        self.lock().iter().map(of).collect()
    }

    pub(crate) fn snapshot(&self) -> MetricsSnapshot {
        let mut totals = self.totals();
        let sites = self.sites(None);
        let mut upstreams: Vec<UpstreamSnapshot> = self
            .configured
            .look()
            .into_iter()
            .filter_map(|configured| {
                let index = totals.iter().position(|(name, _)| **name == *configured.state.name)?;
                let (name, totals) = totals.remove(index);
                let site = sites.iter().find(|site| *site.name() == *name).map(|site| site.state());
                let troubles = self.troubles.of(&name, Instant::now());
                Some(UpstreamSnapshot { name, totals, configured: Some(configured), site, troubles })
            })
            .collect();
        let gone =
            |(name, totals)| UpstreamSnapshot { name, totals, configured: None, site: None, troubles: Vec::new() };
        upstreams.extend(totals.into_iter().map(gone));
        MetricsSnapshot {
            taken: Wall::now(),
            started: self.started,
            uptime: self.since.elapsed(),
            draining: self.draining.load(Ordering::Relaxed),
            upstreams,
            log: self.log.totals(),
            export: self.exporter.totals(),
            fleet: self.fleet().map(|fleet| fleet.state()),
            tier: self.tier.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|tier| tier.state()),
            peers: self.peers.len(),
            rate_services: self.rate_services().iter().map(|service| service.state()).collect(),
            process: Process::read(),
            client_memory: self.client_memory.state(),
        }
    }

    pub(crate) fn shard(&self, UpstreamIndex(upstream): UpstreamIndex, thread: usize) -> Option<Arc<Shard>> {
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
pub(crate) mod tests;
