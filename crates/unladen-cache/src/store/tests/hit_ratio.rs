//! What is evicted: at least as good a choice as the least recently used.

use std::collections::{BTreeMap, HashMap};

use super::*;

/// A trace of requests for objects of varied length, by Zipf's law with this exponent.
fn trace(objects: usize, requests: usize, exponent: f64, seed: u64) -> Vec<usize> {
    let mut sum = 0.0;
    let sums: Vec<f64> = (1..=objects)
        .map(|rank| {
            sum += (rank as f64).powf(-exponent);
            sum
        })
        .collect();
    let mut state = seed;
    let mut uniform = || {
        // SplitMix64
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = state;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut object = || {
        let place = uniform() * sum;
        sums.partition_point(|until| *until < place).min(objects - 1)
    };
    (0..requests).map(|_| object()).collect()
}

/// Lengths between 500 bytes and 64 KiB, which have nothing to do with how often an object is asked for.
fn length(object: usize) -> usize {
    let spread = (object.wrapping_mul(2_654_435_761) >> 7) % 1000;
    (500.0 * (128.0_f64).powf(spread as f64 / 1000.0)) as usize
}

fn lru(trace: &[usize], memory: usize, weight: impl Fn(usize) -> usize) -> usize {
    let (mut used, mut hits) = (0, 0);
    let mut last: HashMap<usize, usize> = HashMap::new();
    let mut order: BTreeMap<usize, usize> = BTreeMap::new();
    for (now, &object) in trace.iter().enumerate() {
        match last.insert(object, now) {
            Some(before) => {
                hits += 1;
                order.remove(&before);
            }
            None => used += weight(object),
        }
        order.insert(now, object);
        while used > memory {
            let (_, oldest) = order.pop_first().unwrap();
            last.remove(&oldest);
            used -= weight(oldest);
        }
    }
    hits
}

#[test]
fn under_zipf_it_is_at_least_that_of_lru() {
    const MEMORY: u64 = 32 << 20;
    let zeros = Bytes::from(vec![0; 64 << 10]);
    for exponent in [0.6, 0.8, 1.0] {
        let trace = trace(20_000, 150_000, exponent, 7);
        let store = Store::new(StoreSettings { memory: MEMORY, largest: 1 << 20, variants: 4 });
        let mut hits = 0;
        for object in &trace {
            let key = object.to_le_bytes();
            if store.find(&key).is_some() {
                hits += 1;
            } else {
                let stored = response(zeros.slice(..length(*object)), "", Sequence(0));
                store.put(&key, &Nominated::default(), |_| Vec::new(), stored);
            }
        }
        let totals = store.totals();
        assert!(totals.evicted > totals.resources, "the store was full: {totals:?}");
        // The other has all the memory, and pays as much for each object.
        let lru = lru(&trace, MEMORY as usize, |object| length(object) + 900);
        let ratio = |hits: usize| hits as f64 / trace.len() as f64;
        assert!(hits >= lru, "zipf {exponent}: {:.4} against {:.4}", ratio(hits), ratio(lru));
    }
}
