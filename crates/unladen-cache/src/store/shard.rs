//! The principal type is [`Shard`]: a part of the store, under one lock, with the [`Tags`] of its keys.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use bytes::Bytes;
use quick_cache::unsync::Cache;
use quick_cache::{DefaultHashBuilder, Lifecycle, OptionsBuilder, Weighter};

use crate::store::resource::{Hashed, Key, Query, Resource};
use crate::{Coding, Nominated, Purge, Sequence, Stored};

/// A part of the store. What leaves it is returned, to be dropped without the lock.
#[derive(Debug)]
pub(super) struct Shard {
    cache: Cache<Key, Arc<Resource>, Bytewise, Hashed, Evicted>,
    tags: Tags,
    hasher: DefaultHashBuilder,
    /// Most responses of a resource.
    most: usize,
    /// Most bytes of a resource.
    heaviest: u64,
}

#[derive(Debug, Default)]
pub(super) struct Gone {
    pub(super) resources: Vec<Arc<Resource>>,
    pub(super) evicted: u64,
}

#[derive(Clone, Copy, Debug)]
struct Bytewise;

#[derive(Clone, Copy, Debug)]
struct Evicted;

impl Shard {
    pub(super) fn new(bytes: u64, most: usize, hasher: DefaultHashBuilder) -> Option<Self> {
        // Ghosts, the hashes of recent evictions, are half the estimated number of items: pages of 4 KiB.
        let items = usize::try_from(bytes / 4096).unwrap_or(usize::MAX).clamp(64, 1 << 26);
        let options = OptionsBuilder::new().estimated_items_capacity(items).weight_capacity(bytes).build().ok()?;
        let cache = Cache::with_options(options, Bytewise, Hashed::default(), Evicted);
        Some(Self { cache, tags: Tags::default(), hasher, most, heaviest: bytes / 10 * 9 })
    }

    pub(super) fn find(&self, query: Query<'_>) -> Option<Arc<Resource>> {
        self.cache.get(&query).cloned()
    }

    pub(super) fn put(
        &mut self,
        query: Query<'_>,
        nominated: &Nominated,
        variant: impl FnOnce(&Nominated) -> Vec<u8>,
        stored: Arc<Stored>,
        gone: &mut Gone,
    ) -> bool {
        let old = self.cache.peek(&query).cloned();
        let key =
            old.as_ref().map_or_else(|| Key { hash: query.hash, bytes: query.bytes.into() }, |old| old.key().clone());
        let limits = (self.most, self.heaviest);
        let Some(new) = Resource::with(old.as_deref(), &key, nominated, variant, stored, limits) else { return false };
        self.replace(old, Arc::new(new), true, gone)
    }

    /// Stores another process's response beside what is there, unless something would be evicted, or somebody has
    /// fetched the same, or a response that nominates other fields.
    pub(super) fn restore(
        &mut self,
        query: Query<'_>,
        nominated: &Nominated,
        said: &[u8],
        stored: Arc<Stored>,
        gone: &mut Gone,
    ) -> Restored {
        let old = self.cache.peek(&query).cloned();
        let is_known = |old: &Arc<Resource>| {
            old.nominated != *nominated || old.variant(said).is_some() || old.responses().len() >= self.most
        };
        if old.as_ref().is_some_and(is_known) {
            return Restored::Known;
        }
        let key =
            old.as_ref().map_or_else(|| Key { hash: query.hash, bytes: query.bytes.into() }, |old| old.key().clone());
        let limits = (self.most, self.heaviest);
        let new = Resource::with(old.as_deref(), &key, nominated, |_| said.to_vec(), stored, limits);
        let before = old.as_ref().map_or(0, |old| old.weight());
        let fits = |new: &Resource| self.cache.weight() + new.weight().saturating_sub(before) <= self.cache.capacity();
        let Some(new) = new.filter(fits) else { return Restored::Full };
        if self.replace(old, Arc::new(new), true, gone) { Restored::Stored } else { Restored::Full }
    }

    /// All resources, each with the last time at which one of its responses was known to be current.
    pub(super) fn survey(&self) -> impl Iterator<Item = (i64, Weak<Resource>)> {
        let vouched = |resource: &Arc<Resource>| {
            resource.responses().map(|stored| stored.vouched.load(Ordering::Relaxed)).max().unwrap_or(i64::MIN)
        };
        self.cache.iter().map(move |(_, resource)| (vouched(resource), Arc::downgrade(resource)))
    }

    /// Sets a body in another coding, and updates the weight. What would make the resource too heavy is not kept.
    pub(super) fn set_coded(
        &mut self,
        query: Query<'_>,
        stored: &Arc<Stored>,
        coding: Coding,
        body: Option<Bytes>,
        gone: &mut Gone,
    ) {
        let old = self.cache.peek(&query).cloned();
        let Some(old) = old.filter(|old| old.responses().any(|other| Arc::ptr_eq(other, stored))) else {
            stored.set_coded(coding, body);
            return;
        };
        let more = body.as_ref().map_or(0, |body| Stored::coded_weight(body) as u64);
        let fits = old.weight() + more <= self.heaviest;
        if stored.set_coded(coding, body.filter(|_| fits))
            && let Some(new) = old.retain(|_| true)
        {
            self.replace(Some(old), Arc::new(new), false, gone);
        }
    }

    /// Replaces a resource. False if the new one was itself evicted at once.
    fn replace(&mut self, old: Option<Arc<Resource>>, new: Arc<Resource>, is_use: bool, gone: &mut Gone) -> bool {
        if let Some(old) = &old {
            self.tags.remove(old, |tag| tag_hash(&self.hasher, tag));
        }
        self.tags.insert(&new, |tag| tag_hash(&self.hasher, tag));
        let key = new.key().clone();
        let left = if is_use {
            self.cache.insert_with_lifecycle(key, Arc::clone(&new))
        } else {
            match self.cache.replace_with_lifecycle(key, Arc::clone(&new), true) {
                Ok(left) => left,
                // The caller has found it.
                Err((_, new)) => vec![new],
            }
        };
        let mut stays = true;
        for resource in left {
            if !old.as_ref().is_some_and(|old| Arc::ptr_eq(old, &resource)) {
                stays &= !Arc::ptr_eq(&new, &resource);
                self.tags.remove(&resource, |tag| tag_hash(&self.hasher, tag));
                gone.evicted += resource.responses().len() as u64;
            }
            gone.resources.push(resource);
        }
        gone.resources.extend(old);
        stays
    }

    pub(super) fn candidates(&self, purge: &Purge) -> Vec<Arc<[u8]>> {
        let keys = || self.cache.iter().map(|(key, _)| &key.bytes);
        match purge {
            Purge::Key(key) => vec![key.as_slice().into()],
            Purge::Prefix(prefix) => keys().filter(|key| key.starts_with(prefix)).cloned().collect(),
            Purge::Tag(tag) => self.tags.keys(tag_hash(&self.hasher, tag)),
            Purge::All => keys().cloned().collect(),
        }
    }

    /// Removes a key's responses that a purge covers, and returns their number. Responses of the same or a later
    /// sequence are not covered.
    pub(super) fn forget(
        &mut self,
        query: Query<'_>,
        purge: &Purge,
        sequence: Sequence,
        is_soft: bool,
        gone: &mut Gone,
    ) -> u64 {
        let Some(old) = self.cache.peek(&query).cloned() else { return 0 };
        let means = |stored: &Stored| stored.sequence < sequence && purge.means(query.bytes, stored);
        let meant = old.responses().filter(|stored| means(stored)).count();
        if is_soft {
            old.responses().filter(|stored| means(stored)).for_each(|stored| stored.purge_softly());
        } else if meant == old.responses().len() {
            self.tags.remove(&old, |tag| tag_hash(&self.hasher, tag));
            self.cache.remove(&query);
            gone.resources.push(old);
        } else if meant > 0
            && let Some(rest) = old.retain(|stored| !means(stored))
        {
            self.replace(Some(old), Arc::new(rest), false, gone);
        }
        meant as u64
    }

    pub(super) fn remove(&mut self, query: Query<'_>, stored: &Arc<Stored>, gone: &mut Gone) {
        let Some(old) = self.cache.peek(&query).cloned() else { return };
        if !old.responses().any(|own| Arc::ptr_eq(own, stored)) {
            return;
        }
        match old.retain(|own| !std::ptr::eq(own, &raw const **stored)) {
            Some(rest) => {
                self.replace(Some(old), Arc::new(rest), false, gone);
            }
            None => {
                self.tags.remove(&old, |tag| tag_hash(&self.hasher, tag));
                self.cache.remove(&query);
                gone.resources.push(old);
            }
        }
    }

    pub(super) fn resources(&self) -> u64 {
        self.cache.len() as u64
    }

    pub(super) fn weight(&self) -> u64 {
        self.cache.weight()
    }

    #[cfg(test)]
    pub(super) fn tags(&self) -> usize {
        self.tags.len()
    }

    #[cfg(test)]
    pub(super) fn each(&self) -> impl Iterator<Item = &Arc<Resource>> {
        self.cache.iter().map(|(_, resource)| resource)
    }
}

fn tag_hash(hasher: &DefaultHashBuilder, tag: &str) -> u64 {
    // Zero is reserved: it is no tag's hash.
    hasher.hash_one(tag).max(1)
}

impl Weighter<Key, Arc<Resource>> for Bytewise {
    fn weight(&self, _: &Key, resource: &Arc<Resource>) -> u64 {
        resource.weight()
    }
}

impl Lifecycle<Key, Arc<Resource>> for Evicted {
    type RequestState = Vec<Arc<Resource>>;

    fn begin_request(&self) -> Self::RequestState {
        Vec::new()
    }

    fn on_evict(&self, left: &mut Self::RequestState, _: Key, resource: Arc<Resource>) {
        left.push(resource);
    }
}

/// The result of restoring another process's response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restored {
    Stored,
    /// Something newer was fetched meanwhile.
    Known,
    /// It was purged meanwhile, or its key's responses are no longer stored.
    Purged,
    /// There is no room, or it is too large.
    Full,
}

/// The keys of each tag, by the tag's hash: callers compare the tags themselves. A tree, since it returns memory as it
/// shrinks, which tables do not.
#[derive(Debug, Default)]
pub(super) struct Tags {
    pairs: BTreeSet<(u64, Arc<[u8]>)>,
}

/// The hash of responses that any tag covers.
const ANY: u64 = 0;

impl Tags {
    pub(super) fn insert(&mut self, resource: &Resource, hash: impl Fn(&str) -> u64) {
        let key = &resource.key().bytes;
        each(resource, hash, |hash| {
            self.pairs.insert((hash, Arc::clone(key)));
        });
    }

    pub(super) fn remove(&mut self, resource: &Resource, hash: impl Fn(&str) -> u64) {
        if self.pairs.is_empty() {
            return;
        }
        let key = &resource.key().bytes;
        each(resource, hash, |hash| {
            self.pairs.remove(&(hash, Arc::clone(key)));
        });
    }

    /// Keys that may have a response with a tag of this hash.
    pub(super) fn keys(&self, hash: u64) -> Vec<Arc<[u8]>> {
        let first = |hash: u64| (hash, Arc::from(&[][..]));
        let of = |hash: u64| {
            self.pairs.range(first(hash)..).take_while(move |pair| pair.0 == hash).map(|pair| Arc::clone(&pair.1))
        };
        let mut keys: Vec<_> = of(hash).collect();
        if hash != ANY {
            keys.extend(of(ANY));
        }
        keys.sort();
        keys.dedup();
        keys
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }
}

fn each(resource: &Resource, hash: impl Fn(&str) -> u64, mut f: impl FnMut(u64)) {
    for stored in resource.responses() {
        stored.tags.iter().for_each(|tag| f(hash(tag)));
        if stored.has_more_tags {
            f(ANY);
        }
    }
}
