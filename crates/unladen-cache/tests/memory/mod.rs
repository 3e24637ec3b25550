//! A store whose memory is looked at as the kernel counts it.

use std::sync::Arc;

use bytes::Bytes;
use unladen_cache::{Freshness, Nominated, Policy, Store, Stored, Time};
use unladen_http1::Fields;

/// The bound of the store.
pub(crate) const MEMORY: u64 = 64 << 20;

/// Bytes of this process that are in memory.
#[allow(clippy::unwrap_used, reason = "a test")]
pub(crate) fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

fn response(store: &Store, body: usize, tags: &str) -> Arc<Stored> {
    let mut fields = Fields::default();
    if !tags.is_empty() {
        fields.push(b"cache-tag", tags.as_bytes());
    }
    let freshness = Freshness::of(200, &fields, Time(0), Time(0), &Policy::default());
    Arc::new(Stored::new(200, fields, Bytes::from(vec![1; body]), freshness, None, store.sequence()))
}

/// Stores a response of so many bytes, under a variant if something is `said`.
pub(crate) fn put(store: &Store, key: &[u8], said: &[u8], body: usize, tags: &str) {
    let names: &[&[u8]] = if said.is_empty() { &[] } else { &[b"accept"] };
    let nominated = Nominated(names.iter().map(|name| (*name).into()).collect());
    store.put(key, &nominated, |_| said.to_vec(), response(store, body, tags));
}

/// The store is full, and took no more memory than it may.
pub(crate) fn check(what: &str, before: u64, store: &Store) {
    let taken = resident().saturating_sub(before);
    let totals = store.totals();
    assert!(taken <= MEMORY / 10 * 11, "{what}: {:.1} MiB", mib(taken));
    assert!(totals.bytes <= MEMORY && totals.bytes > MEMORY / 10 * 7, "{what}: {totals:?}");
    assert!(totals.evicted > 0, "{what}: the store was full");
}

fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
