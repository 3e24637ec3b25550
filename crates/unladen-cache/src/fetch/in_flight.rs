//! The principal type is [`InFlightFetch`]: an answer on its way, shared by all who wait for it (collapsed forwarding).

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::state::State;

/// An answer on its way.
#[derive(Debug)]
pub struct InFlightFetch<H> {
    pub(super) shared: Arc<Shared<H>>,
    key: Arc<[u8]>,
    state: Mutex<State<H>>,
}

type ByKey<H> = HashMap<Arc<[u8]>, Arc<InFlightFetch<H>>>;

#[derive(Debug)]
pub(super) struct Shared<H> {
    pub(super) by_key: Mutex<ByKey<H>>,
    pub(super) fills: AtomicUsize,
    pub(super) bytes: AtomicU64,
}

impl<H> Shared<H> {
    pub(super) fn by_key(&self) -> MutexGuard<'_, ByKey<H>> {
        self.by_key.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl InFlightFetch ===

impl<H> InFlightFetch<H> {
    pub(super) fn new(shared: &Arc<Shared<H>>, key: &Arc<[u8]>) -> Self {
        Self { shared: Arc::clone(shared), key: Arc::clone(key), state: Mutex::new(State::default()) }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State<H>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes it from the map, unless another of the same key has taken its place.
    pub(super) fn close(self: &Arc<Self>) {
        // The map's lock is never taken while a state's is held: joining takes them in the other order.
        if let Entry::Occupied(entry) = self.shared.by_key().entry(Arc::clone(&self.key))
            && Arc::ptr_eq(entry.get(), self)
        {
            entry.remove();
        }
    }

    pub(super) fn count(&self, before: usize, after: usize) {
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
