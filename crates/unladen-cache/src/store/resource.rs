//! The principal types are [`Resource`]: the responses of one key; and [`Key`]: that key, hashed once.

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use quick_cache::Equivalent;

use crate::stored::{PLACE, heap, shared};
use crate::{Nominated, Stored};

/// The responses of one key. It does not change: a store replaces it.
#[derive(Debug)]
pub struct Resource {
    /// Fields that distinguish its variants: all that its responses nominated.
    pub nominated: Nominated,
    key: Key,
    /// Sorted by the request's values.
    variants: Vec<Variant>,
    weight: u64,
}

#[derive(Clone, Debug)]
struct Variant {
    /// Shared by resources that replace one another: copies would leave holes in the heap.
    said: Arc<[u8]>,
    stored: Arc<Stored>,
    born: u64,
}

impl Resource {
    /// The response for a request with these values of the nominated fields.
    pub fn variant(&self, variant: &[u8]) -> Option<&Arc<Stored>> {
        // Most resources have one, with nothing nominated.
        match self.variants.as_slice() {
            [only] => (*only.said == *variant).then_some(&only.stored),
            variants => {
                let place = variants.binary_search_by(|other| (*other.said).cmp(variant)).ok()?;
                variants.get(place).map(|variant| &variant.stored)
            }
        }
    }

    /// All its responses.
    pub fn responses(&self) -> impl ExactSizeIterator<Item = &Arc<Stored>> {
        self.variants.iter().map(|variant| &variant.stored)
    }

    /// Its responses with their requests' values, the oldest first.
    pub fn variants(&self) -> Vec<(&[u8], &Arc<Stored>)> {
        let mut variants: Vec<&Variant> = self.variants.iter().collect();
        variants.sort_by_key(|variant| variant.born);
        variants.into_iter().map(|variant| (&*variant.said, &variant.stored)).collect()
    }

    /// The key of [`write_key`](crate::write_key).
    pub fn key_bytes(&self) -> &[u8] {
        &self.key.bytes
    }

    /// Adds or replaces a response, known by the request's values of the fields that the resource has then. The oldest
    /// go beyond the given count or weight. `None` if the response alone weighs more.
    pub(super) fn with(
        old: Option<&Self>,
        key: &Key,
        nominated: &Nominated,
        said: impl FnOnce(&Nominated) -> Vec<u8>,
        stored: Arc<Stored>,
        (most, heaviest): (usize, u64),
    ) -> Option<Self> {
        let union = old.map_or_else(|| nominated.clone(), |old| old.nominated.union(nominated));
        // Responses stored by fewer fields are not found by more.
        let kept = old.filter(|old| old.nominated == union).map_or(&[][..], |old| &old.variants);
        // Few distinct capacities, so that each reuses the last one's place in the heap.
        let mut variants = Vec::with_capacity((kept.len() + 1).next_power_of_two());
        variants.extend_from_slice(kept);
        let said = Arc::from(said(&union));
        let born = variants.iter().map(|variant| variant.born).max().map_or(0, |last| last + 1);
        let new = Variant { said, stored, born };
        match variants.binary_search_by(|other| other.said.cmp(&new.said)) {
            Ok(place) => variants[place] = new,
            Err(place) => variants.insert(place, new),
        }
        let mut resource = Self { nominated: union, key: key.clone(), variants, weight: 0 };
        loop {
            resource.weigh();
            if resource.variants.len() <= most.max(1) && resource.weight <= heaviest {
                return Some(resource);
            }
            if resource.variants.len() < 2 {
                return None;
            }
            resource.remove_oldest();
        }
    }

    /// The resource with the matching responses alone; `None` if there are none.
    pub(super) fn retain(&self, keep: impl Fn(&Stored) -> bool) -> Option<Self> {
        let variants: Vec<_> = self.variants.iter().filter(|variant| keep(&variant.stored)).cloned().collect();
        let mut rest = Self { nominated: self.nominated.clone(), key: self.key.clone(), variants, weight: 0 };
        rest.weigh();
        (!rest.variants.is_empty()).then_some(rest)
    }

    fn remove_oldest(&mut self) {
        let oldest = self.variants.iter().enumerate().min_by_key(|(_, variant)| variant.born).map(|(place, _)| place);
        if let Some(place) = oldest {
            self.variants.remove(place);
        }
    }

    fn weigh(&mut self) {
        let names = &self.nominated.0;
        let nominated =
            heap(names.len() * size_of::<Box<[u8]>>()) + names.iter().map(|name| heap(name.len())).sum::<usize>();
        let variants = self.variants.iter().map(|variant| shared(variant.said.len()) + variant.stored.weight());
        let weight = PLACE
            + shared(size_of::<Self>())
            + shared(self.key.bytes.len())
            + nominated
            + heap(self.variants.capacity() * size_of::<Variant>())
            + variants.sum::<usize>();
        self.weight = weight as u64;
    }

    pub(super) fn key(&self) -> &Key {
        &self.key
    }

    pub(super) fn weight(&self) -> u64 {
        self.weight
    }
}

/// A resource's key, hashed once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) hash: u64,
    pub(super) bytes: Arc<[u8]>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Query<'a> {
    pub(super) hash: u64,
    pub(super) bytes: &'a [u8],
}

/// Passes on the hash of keys; its seed differs between processes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hashed(u64);

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

// === impl Query ===

impl Hash for Query<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

impl Equivalent<Key> for Query<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        self.hash == key.hash && *self.bytes == *key.bytes
    }
}

// === impl Hashed ===

impl BuildHasher for Hashed {
    type Hasher = Self;

    fn build_hasher(&self) -> Self {
        Self(0)
    }
}

impl Hasher for Hashed {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
