//! The principal type is [`Key`]: a resource's key, hashed once.

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use quick_cache::Equivalent;

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
