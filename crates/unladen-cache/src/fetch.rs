//! The principal type is [`InFlightFetches`]: answers on their way, each shared by all who wait for it (collapsed
//! forwarding).
//!
//! `H` is sent once, before the body: the head, a stored response, or why there is none.

mod fill;
mod in_flight;
mod state;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

pub use fill::FetchWriter;
use in_flight::Shared;
pub use in_flight::{FetchReader, InFlightFetch};

/// Answers on their way, by key.
#[derive(Debug)]
pub struct InFlightFetches<H> {
    shared: Arc<Shared<H>>,
}

/// The result of joining a key.
#[derive(Debug)]
pub enum Joined<H: Clone> {
    /// Nobody else is fetching: fetch it, with this …
    Lead(FetchWriter<H>, FetchReader<H>),
    /// … or wait for the one who is.
    Follow(FetchReader<H>),
}

// === impl InFlightFetches ===

impl<H: Clone> InFlightFetches<H> {
    /// Begins without any fetch.
    pub fn new() -> Self {
        let shared = Shared { by_key: Mutex::default(), fills: AtomicUsize::new(0), bytes: AtomicU64::new(0) };
        Self { shared: Arc::new(shared) }
    }

    /// Joins the fetch of this key, if one is under way and not complete.
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

    /// Fetches without joining or being joined: for a key that is known to be uncacheable.
    pub fn alone(&self, key: &[u8]) -> (FetchWriter<H>, FetchReader<H>) {
        let fetch = Arc::new(InFlightFetch::new(&self.shared, &key.into()));
        let reader = FetchReader::new(Arc::clone(&fetch));
        (FetchWriter::new(fetch), reader)
    }

    /// Ends joining of the fetches of these keys: what is on its way may be older than a purge, so later requests ask
    /// anew. Present readers still get it. To be called before the purge returns.
    pub fn part(&self, mut is_meant: impl FnMut(&[u8]) -> bool) {
        self.shared.by_key().retain(|key, _| !is_meant(key));
    }

    /// Fetches on their way, and kept bytes of their bodies.
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

#[cfg(test)]
mod tests;
