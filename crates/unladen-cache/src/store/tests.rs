//! Tests of the store: what it finds, what purges leave of it, and how it stays within its bound.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use unladen_http1::Fields;

use super::*;
use crate::{Freshness, Policy, Time};

mod bounds;
mod hit_ratio;
mod model;
mod purges;
mod race;
mod restore;

fn store(memory: u64) -> Store {
    Store::new(StoreSettings { memory, largest: 16 << 20, variants: 8 })
}

fn freshness() -> Freshness {
    Freshness::of(200, &Fields::default(), Time(0), Time(0), &Policy::default())
}

fn response(body: impl Into<Bytes>, tags: &str, sequence: Sequence) -> Arc<Stored> {
    let mut fields = Fields::default();
    fields.push(b"content-type", b"text/html");
    if !tags.is_empty() {
        fields.push(b"cache-tag", tags.as_bytes());
    }
    Arc::new(Stored::new(200, fields, body.into(), freshness(), None, sequence))
}

fn nominated(names: &[&str]) -> Nominated {
    Nominated(names.iter().map(|name| name.as_bytes().into()).collect())
}

fn put(store: &Store, key: &str, body: &str, tags: &str) -> bool {
    let stored = response(body.to_owned(), tags, store.sequence());
    store.put(key.as_bytes(), &Nominated::default(), |_| Vec::new(), stored)
}

fn body(store: &Store, key: &str) -> Option<String> {
    let resource = store.find(key.as_bytes())?;
    resource.variant(b"").map(|stored| String::from_utf8_lossy(&stored.body).into_owned())
}

/// What the index has is what the stored responses have.
fn check_tags(store: &Store) {
    for shard in &store.shards {
        let shard = shard.read().unwrap();
        let tags = |resource: &Arc<Resource>| {
            let mut tags: Vec<_> = resource.responses().flat_map(|stored| stored.tags.clone()).collect();
            tags.sort();
            tags.dedup();
            tags.len()
        };
        assert_eq!(shard.tags(), shard.each().map(tags).sum::<usize>());
        assert_eq!(shard.weight(), shard.each().map(|resource| resource.weight()).sum::<u64>());
    }
}

#[test]
fn what_is_put_is_found() {
    let store = store(8 << 20);
    assert_eq!(body(&store, "a"), None);
    assert!(put(&store, "a", "one", ""));
    assert_eq!(body(&store, "a").unwrap(), "one");
    assert!(put(&store, "a", "two", ""));
    assert_eq!(body(&store, "a").unwrap(), "two");
    assert_eq!(body(&store, "b"), None);
    let totals = store.totals();
    assert_eq!((totals.resources, totals.stored, totals.evicted, totals.purged), (1, 2, 0, 0));
    assert!(totals.bytes > 500, "{totals:?}");
}

#[test]
fn variants_are_told_apart_by_all_that_is_nominated() {
    let store = store(8 << 20);
    let accept = nominated(&["accept"]);
    let put = |names: &Nominated, said: &[u8], expected: &[&str]| {
        let expected = nominated(expected);
        let variant = |all: &Nominated| {
            assert_eq!(*all, expected);
            said.to_vec()
        };
        assert!(store.put(b"k", names, variant, response(said.to_vec(), "", Sequence(0))));
    };
    put(&accept, b"html", &["accept"]);
    put(&accept, b"json", &["accept"]);
    let resource = store.find(b"k").unwrap();
    assert_eq!(resource.nominated, accept);
    for said in [&b"html"[..], b"json"] {
        assert_eq!(resource.variant(said).unwrap().body, said);
    }
    assert!(resource.variant(b"text").is_none());

    // A response that nominates less is told apart by as much as the others.
    put(&nominated(&[]), b"text", &["accept"]);
    assert_eq!(store.find(b"k").unwrap().responses().len(), 3);

    // One that nominates more makes the others unreachable.
    put(&nominated(&["cookie"]), b"x", &["accept", "cookie"]);
    let resource = store.find(b"k").unwrap();
    assert_eq!(resource.nominated, nominated(&["accept", "cookie"]));
    assert_eq!(resource.responses().len(), 1);
    check_tags(&store);
}

#[test]
fn the_oldest_variant_goes() {
    let store = store(8 << 20);
    let accept = nominated(&["accept"]);
    for n in (0..10_u8).rev() {
        assert!(store.put(b"k", &accept, |_| vec![n], response("", "t", Sequence(0))));
        // The first is put again and again, and so is never the oldest.
        assert!(store.put(b"k", &accept, |_| vec![9], response("", "t", Sequence(0))));
    }
    let resource = store.find(b"k").unwrap();
    let there: Vec<_> = (0..10).filter(|n| resource.variant(&[*n]).is_some()).collect();
    assert_eq!(there, [0, 1, 2, 3, 4, 5, 6, 9]);
    check_tags(&store);
}

#[test]
fn uncacheable_keys_are_remembered_for_a_while() {
    let store = store(8 << 20);
    let now = std::time::Instant::now();
    let second = Duration::from_secs(1);
    let is_uncacheable = |key: &[u8], now| store.uncacheable(key, now).is_some();
    assert!(!is_uncacheable(b"a", now));
    store.set_uncacheable(b"a", now + second, true);
    assert!(is_uncacheable(b"a", now));
    assert!(is_uncacheable(b"a", now + second / 2));
    assert!(!is_uncacheable(b"a", now + second + Duration::from_millis(2)));
    assert!(!is_uncacheable(b"b", now));
    // Storing it says otherwise.
    assert!(put(&store, "a", "", ""));
    assert!(!is_uncacheable(b"a", now));
    // So does an answer that would have been stored, if its head tells.
    for is_seen in [true, false] {
        store.set_uncacheable(b"a", now + second, is_seen);
        store.lift(store.uncacheable(b"a", now).unwrap());
        assert_eq!(is_uncacheable(b"a", now), !is_seen);
    }
    // Far more than fit: the last is there, and nothing breaks.
    for n in 0..200_000_u32 {
        store.set_uncacheable(&n.to_le_bytes(), now + second * 400_000_000, n % 2 == 0);
        assert!(is_uncacheable(&n.to_le_bytes(), now));
    }
    let wrong = (0..100_000_u32).filter(|n| is_uncacheable(&(n + 1_000_000).to_le_bytes(), now)).count();
    assert!(wrong < 10, "{wrong} keys taken for others");
}

#[test]
fn one_response_is_removed_and_its_siblings_stay() {
    let store = store(8 << 20);
    let nominated = Nominated(vec![(*b"v").into()]);
    for variant in ["x", "y"] {
        let stored = response(variant, "tag", store.sequence());
        assert!(store.put(b"k", &nominated, |_| variant.into(), stored));
    }
    let resource = store.find(b"k").unwrap();
    let (x, y) = (resource.variant(b"x").unwrap(), resource.variant(b"y").unwrap());
    store.remove(b"other", x);
    store.remove(b"k", x);
    store.remove(b"k", x);
    let left = store.find(b"k").unwrap();
    assert!(left.variant(b"x").is_none() && left.variant(b"y").is_some());
    check_tags(&store);
    store.remove(b"k", y);
    assert!(store.find(b"k").is_none());
    check_tags(&store);
}

#[test]
fn a_coded_body_is_counted() {
    let store = store(8 << 20);
    assert!(put(&store, "a", "plain", "t"));
    let stored = Arc::clone(store.find(b"a").unwrap().variant(b"").unwrap());
    let before = store.totals().bytes;
    store.set_coded(b"a", &stored, Coding::Gzip, Some(Bytes::from(vec![1; 10_000])));
    assert_eq!(stored.in_coding(Coding::Gzip).unwrap().len(), 10_000);
    let after = store.totals().bytes;
    assert!((10_000..10_200).contains(&(after - before)), "{before} {after}");
    // The second time changes nothing, and what is not worth it is known.
    store.set_coded(b"a", &stored, Coding::Gzip, Some(Bytes::from(vec![1; 20_000])));
    store.set_coded(b"a", &stored, Coding::Brotli, None);
    assert_eq!(store.totals().bytes, after);
    assert!(stored.is_coded(Coding::Brotli) && !stored.is_coded(Coding::Zstd));
    // What does not fit is not kept.
    store.set_coded(b"a", &stored, Coding::Zstd, Some(Bytes::from(vec![1; 8 << 20])));
    assert!(stored.is_coded(Coding::Zstd) && stored.in_coding(Coding::Zstd).is_none());
    assert!(store.find(b"a").is_some());
    check_tags(&store);
}
