//! The bound of bytes, and of one response.

use super::*;

#[test]
fn the_store_stays_within_its_bound() {
    let store = store(8 << 20);
    for n in 0..5000_u32 {
        let length = (n * 7919 % 60_000) as usize;
        let body = vec![b'x'; length];
        let stored = response(body, &format!("t{n},all"), store.sequence());
        assert!(store.put(&n.to_le_bytes(), &Nominated::default(), |_| Vec::new(), stored));
        assert!(store.find(&n.to_le_bytes()).is_some(), "what is put is not evicted at once");
        let bytes = store.totals().bytes;
        assert!(bytes <= 8 << 20, "{bytes}");
    }
    let totals = store.totals();
    assert_eq!(totals.stored, 5000);
    assert_eq!(totals.resources + totals.evicted, 5000);
    assert!(totals.bytes > 6 << 20, "{totals:?}");
    check_tags(&store);
    assert_eq!(store.purge(&Purge::Tag("all".into()), false), totals.resources);
    check_tags(&store);
}

#[test]
fn what_is_too_large_is_refused() {
    let settings = StoreSettings { memory: 64 << 20, largest: 16 << 20, variants: 4 };
    let store = Store::new(settings);
    let put = |length: usize| {
        store.put(b"k", &Nominated::default(), |_| Vec::new(), response(vec![0; length], "", Sequence(0)))
    };
    assert!(!put((16 << 20) + 1));
    assert!(put(16 << 20));
    assert!(store.find(b"k").is_some());
    // With less memory than that, what does not fit is refused, and what is there stays.
    let small = Store::new(StoreSettings { memory: 1 << 20, ..settings });
    assert!(super::put(&small, "a", "a", ""));
    assert!(!small.put(b"k", &Nominated::default(), |_| Vec::new(), response(vec![0; 1 << 20], "", Sequence(0))));
    assert!(small.put(b"k", &Nominated::default(), |_| Vec::new(), response(vec![0; 1 << 19], "", Sequence(0))));
    // Variants that do not fit together: the oldest go.
    let accept = nominated(&["accept"]);
    for said in 0..4 {
        assert!(small.put(b"v", &accept, |_| vec![said], response(vec![0; 1 << 18], "", Sequence(0))));
    }
    let resource = small.find(b"v").unwrap();
    assert!(resource.variant(&[3]).is_some() && resource.variant(&[0]).is_none());
}

#[test]
fn a_store_without_memory_stores_nothing() {
    for memory in [0, 1, 100, 10_000] {
        let store = store(memory);
        assert!(!put(&store, "a", &"x".repeat(10_000), "t"));
        assert!(store.find(b"a").is_none());
        assert_eq!(store.purge(&Purge::All, false), 0);
        store.set_uncacheable(b"a", std::time::Instant::now(), true);
    }
    let huge = Store::new(StoreSettings { memory: u64::MAX, largest: u64::MAX, variants: usize::MAX });
    assert!(put(&huge, "a", "x", ""));
}

#[test]
fn parts_are_large_enough_for_the_longest() {
    for memory in [1_u64 << 26, 100_000_000, 1 << 29, 3 << 30, 1 << 36] {
        let store = store(memory);
        let count = store.shards.len() as u64;
        assert!(count.is_power_of_two() && count <= SHARDS);
        assert!(memory / count > 2 * (16 << 20), "{memory} in {count}");
        assert!(count == SHARDS || memory / count < 5 * (16 << 20), "{memory} in {count}");
    }
}
