//! The principal type is [`InFlightFetch`]: an answer that is on its way, for all who wait for it (collapsed
//! forwarding).
//!
//! `H` is what is said once, before the body: the head, a stored response, or why there is none.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

mod body;
mod fill;
mod reader;
mod state;

pub use fill::FetchWriter;
pub use reader::FetchReader;

use state::State;

/// Answers that are on their way, by key.
#[derive(Debug)]
pub struct InFlightFetches<H> {
    shared: Arc<Shared<H>>,
}

/// What asking for a key comes to.
#[derive(Debug)]
pub enum Joined<H: Clone> {
    /// Nobody else asks: fetch it, with this …
    Lead(FetchWriter<H>, FetchReader<H>),
    /// … or wait for who does.
    Follow(FetchReader<H>),
}

/// An answer that is on its way.
#[derive(Debug)]
pub struct InFlightFetch<H> {
    shared: Arc<Shared<H>>,
    key: Arc<[u8]>,
    state: Mutex<State<H>>,
}

type ByKey<H> = HashMap<Arc<[u8]>, Arc<InFlightFetch<H>>>;

#[derive(Debug)]
struct Shared<H> {
    by_key: Mutex<ByKey<H>>,
    fills: AtomicUsize,
    bytes: AtomicU64,
}

// === impl InFlightFetches ===

impl<H: Clone> InFlightFetches<H> {
    /// None yet.
    pub fn new() -> Self {
        let shared = Shared { by_key: Mutex::default(), fills: AtomicUsize::new(0), bytes: AtomicU64::new(0) };
        Self { shared: Arc::new(shared) }
    }

    /// Joins whoever asks for this key, if somebody does and has not got a whole answer yet.
    pub fn join(&self, key: &[u8]) -> Joined<H> {
        let mut by_key = self.shared.by_key();
        if let Some(fetch) = by_key.get(key) {
            return Joined::Follow(FetchReader::new(Arc::clone(fetch)));
        }
        let key: Arc<[u8]> = key.into();
        let fetch = Arc::new(InFlightFetch::new(&self.shared, &key));
        // Before anyone can follow: the first reader is the leader's.
        let reader = FetchReader::new(Arc::clone(&fetch));
        by_key.insert(key, Arc::clone(&fetch));
        drop(by_key);
        Joined::Lead(FetchWriter::new(fetch), reader)
    }

    /// Asks without joining, and without being joined: for a key that is known not to be stored.
    pub fn alone(&self, key: &[u8]) -> (FetchWriter<H>, FetchReader<H>) {
        let fetch = Arc::new(InFlightFetch::new(&self.shared, &key.into()));
        let reader = FetchReader::new(Arc::clone(&fetch));
        (FetchWriter::new(fetch), reader)
    }

    /// From now on nobody joins those of these keys, but whoever comes asks anew: what is on its way may be from before
    /// a purge. Those who wait already get it. To be called before the purge returns.
    pub fn part(&self, mut is_meant: impl FnMut(&[u8]) -> bool) {
        self.shared.by_key().retain(|key, _| !is_meant(key));
    }

    /// How many are on their way, and how many bytes of their bodies are kept.
    pub fn in_flight(&self) -> (usize, u64) {
        (self.shared.fills.load(Ordering::Relaxed), self.shared.bytes.load(Ordering::Relaxed))
    }
}

impl<H: Clone> Default for InFlightFetches<H> {
    fn default() -> Self {
        Self::new()
    }
}

impl<H> Clone for InFlightFetches<H> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

// === impl Shared ===

impl<H> Shared<H> {
    fn by_key(&self) -> MutexGuard<'_, ByKey<H>> {
        self.by_key.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl InFlightFetch ===

impl<H> InFlightFetch<H> {
    fn new(shared: &Arc<Shared<H>>, key: &Arc<[u8]>) -> Self {
        Self { shared: Arc::clone(shared), key: Arc::clone(key), state: Mutex::new(State::default()) }
    }

    fn state(&self) -> MutexGuard<'_, State<H>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes it off the map, if it is still there, and not another of the same key.
    fn close(self: &Arc<Self>) {
        // The map's lock is never asked for with a state's held: it is the other way round where somebody joins.
        if let Entry::Occupied(entry) = self.shared.by_key().entry(Arc::clone(&self.key))
            && Arc::ptr_eq(entry.get(), self)
        {
            entry.remove();
        }
    }

    fn count(&self, before: usize, after: usize) {
        let bytes = &self.shared.bytes;
        if after >= before {
            bytes.fetch_add((after - before) as u64, Ordering::Relaxed);
        } else {
            bytes.fetch_sub((before - after) as u64, Ordering::Relaxed);
        }
    }
}

impl<H> Drop for InFlightFetch<H> {
    fn drop(&mut self) {
        let held = self.state.get_mut().unwrap_or_else(PoisonError::into_inner).body.held();
        self.count(held, 0);
    }
}

#[cfg(test)]
mod tests;
