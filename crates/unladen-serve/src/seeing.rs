//! The principal type is [`Seeing`]: what is counted, logged and traced of requests; and where it can be looked at.
//!
//! Each thread that carries requests has a [`ThreadSeeing`], which takes a [`Record`] of each request that is over. Nothing is
//! shared between those threads: readers add their counts up. What is slow (writing lines, sending spans) is done elsewhere,
//! behind bounded queues; what does not fit in is dropped, and counted.

mod hex;
mod histogram;
mod method;
mod metrics;
mod random;
mod request_id;
pub mod trace_context;
mod words;

use std::cell::RefCell;
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use histogram::{BOUNDS, HistogramTotals};
pub use method::Method;
pub use metrics::{Kind, KindTotals, Totals};
pub use request_id::request_id;

use crate::{Record, Settings};

use metrics::Shard;

/// What is seen of requests, by all threads.
#[derive(Debug, Default)]
pub struct Seeing {
    upstreams: Mutex<Vec<Upstream>>,
}

/// An upstream's place in a [`Seeing`]: the same on all threads, and after a reload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UpstreamIndex(usize);

/// What one thread sees. It stays on its thread.
#[derive(Debug)]
pub struct ThreadSeeing {
    seeing: Arc<Seeing>,
    thread: usize,
    shards: RefCell<Vec<Option<Arc<Shard>>>>,
    /// Its counters are for one thread.
    stays: PhantomData<Rc<()>>,
}

#[derive(Debug)]
struct Upstream {
    name: Arc<str>,
    /// By thread.
    shards: Vec<Option<Arc<Shard>>>,
}

// === impl Seeing ===

impl Seeing {
    /// As the settings say.
    pub fn new(_settings: &Settings) -> std::io::Result<Self> {
        Ok(Self::default())
    }

    /// The place of the upstream of this name; made when it is asked for the first time, and kept.
    pub fn upstream(&self, name: &str) -> UpstreamIndex {
        let mut upstreams = self.lock();
        let index = upstreams.iter().position(|upstream| &*upstream.name == name).unwrap_or_else(|| {
            upstreams.push(Upstream { name: name.into(), shards: Vec::new() });
            upstreams.len() - 1
        });
        UpstreamIndex(index)
    }

    /// For the thread of this number, counted from 0. The same number continues the same counters: it is for one thread at a time.
    pub fn thread(self: &Arc<Self>, index: usize) -> ThreadSeeing {
        ThreadSeeing { seeing: Arc::clone(self), thread: index, shards: RefCell::default(), stays: PhantomData }
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

    fn shard(&self, UpstreamIndex(upstream): UpstreamIndex, thread: usize) -> Option<Arc<Shard>> {
        let mut upstreams = self.lock();
        let shards = &mut upstreams.get_mut(upstream)?.shards;
        if shards.len() <= thread {
            shards.resize(thread + 1, None);
        }
        Some(Arc::clone(shards[thread].get_or_insert_default()))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Upstream>> {
        self.upstreams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl ThreadSeeing ===

impl ThreadSeeing {
    /// A request began. It is in flight until [`Self::end`], which is to be called once for each call of this.
    pub fn begin(&self, upstream: UpstreamIndex) {
        self.with(upstream, Shard::begin);
    }

    /// A request that began is over.
    pub fn end(&self, upstream: UpstreamIndex) {
        self.with(upstream, Shard::end);
    }

    /// A client connected to a listener of this upstream.
    pub fn client_opened(&self, upstream: UpstreamIndex) {
        self.with(upstream, Shard::client_opened);
    }

    /// A connection of a client was closed.
    pub fn client_closed(&self, upstream: UpstreamIndex) {
        self.with(upstream, Shard::client_closed);
    }

    /// A request is over: counts it; logs and traces it, if it is to be.
    pub fn observe(&self, record: &Record<'_>, upstream: UpstreamIndex) {
        self.with(upstream, |shard| shard.observe(record));
    }

    fn with(&self, upstream: UpstreamIndex, count: impl FnOnce(&Shard)) {
        if let Some(Some(shard)) = self.shards.borrow().get(upstream.0) {
            return count(shard);
        }
        // The first of this upstream on this thread.
        let Some(shard) = self.seeing.shard(upstream, self.thread) else { return };
        count(&shard);
        let mut shards = self.shards.borrow_mut();
        if shards.len() <= upstream.0 {
            shards.resize(upstream.0 + 1, None);
        }
        shards[upstream.0] = Some(shard);
    }
}

#[cfg(test)]
mod tests;
