//! The principal type is [`Store`]: responses in memory, within a bound of bytes. Shared by all threads.

use std::collections::HashMap;
use std::sync::Arc;

use crate::{Nominated, Purge, Sequence, Stored};

/// Bounds of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreSettings {
    /// Bytes, all that is stored and what it takes to find it.
    pub memory: u64,
    /// The longest body.
    pub largest: u64,
    /// Variants of one resource; the oldest goes first.
    pub variants: usize,
}

/// Responses in memory.
#[derive(Debug)]
pub struct Store {}

/// What is stored under one key.
#[derive(Debug)]
pub struct Resource {
    /// By which request fields its variants are told apart: all that its responses nominated.
    pub nominated: Nominated,
    variants: HashMap<Box<[u8]>, Arc<Stored>>,
}

/// What a store has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreTotals {
    pub resources: u64,
    pub bytes: u64,
    pub stored: u64,
    pub evicted: u64,
    pub purged: u64,
}

impl Store {
    pub fn new(settings: StoreSettings) -> Self {
        todo!()
    }

    pub fn find(&self, key: &[u8]) -> Option<Arc<Resource>> {
        todo!()
    }

    /// To be taken before the application is asked: what it answers is not kept if a purge meant it meanwhile.
    pub fn sequence(&self) -> Sequence {
        todo!()
    }

    /// Stores a variant. `variant` is [`Nominated::write_variant`]'s of the request, by the fields that `nominated` has. False: it
    /// was purged meanwhile, or is too large.
    pub fn put(
        &self,
        key: &[u8],
        nominated: &Nominated,
        variant: impl FnOnce(&Nominated) -> Vec<u8>,
        stored: Arc<Stored>,
    ) -> bool {
        todo!()
    }

    /// Forgets, before it returns; softly: is to ask about. How many responses.
    pub fn purge(&self, purge: &Purge, is_soft: bool) -> u64 {
        todo!()
    }

    /// Remembers for a while that responses for a key are not stored, so that nobody waits for another's.
    pub fn set_uncacheable(&self, key: &[u8], until: std::time::Instant) {
        todo!()
    }

    pub fn is_uncacheable(&self, key: &[u8], now: std::time::Instant) -> bool {
        todo!()
    }

    pub fn totals(&self) -> StoreTotals {
        todo!()
    }
}

impl Resource {
    pub fn variant(&self, variant: &[u8]) -> Option<&Arc<Stored>> {
        todo!()
    }
}
