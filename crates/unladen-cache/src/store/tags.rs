//! The principal type is [`Tags`]: the keys of each tag.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::resource::Resource;

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
