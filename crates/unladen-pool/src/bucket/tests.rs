use proptest::prelude::*;

use super::*;

const MILLI: Duration = Duration::from_millis(1);

#[test]
fn so_many_at_once_and_then_at_the_rate() {
    let bucket = Bucket::new(10.0, 3);
    let start = Instant::now();
    for _ in 0..3 {
        assert_eq!(bucket.take(start), Ok(()));
    }
    let wait = bucket.take(start).unwrap_err();
    assert_eq!(wait, 100 * MILLI);
    assert!(bucket.take(start + wait - Duration::from_nanos(1)).is_err(), "not before it was said");
    assert_eq!(bucket.take(start + wait), Ok(()));
    assert!(bucket.take(start + wait).is_err());
}

#[test]
fn odd_rates_are_no_trouble() {
    let now = Instant::now();
    for nothing in [0.0, -1.0, f64::NAN, 1e-300] {
        let bucket = Bucket::new(nothing, 2);
        assert_eq!((0..10).filter(|_| bucket.take(now + 1_000 * MILLI).is_ok()).count(), 2, "{nothing}");
    }
    for all in [1e9, 1e18, f64::INFINITY] {
        let bucket = Bucket::new(all, 1);
        assert_eq!(
            (0..100).filter(|nano| bucket.take(bucket.start + Duration::from_nanos(*nano)).is_ok()).count(),
            100,
            "{all}"
        );
    }
    let bucket = Bucket::new(1.0, 0);
    assert_eq!((0..10).filter(|_| bucket.take(now).is_ok()).count(), 1, "no burst is one at a time");
    let early = Bucket::new(1.0, 1);
    assert_eq!(early.take(now), Ok(()), "a time before its start is its start");
}

#[test]
fn threads_take_no_more_than_there_is() {
    let (one, keyed) = (Bucket::new(1.0, 500), KeyedBuckets::new(1.0, 500, 10));
    let now = Instant::now();
    let taken = |take: &(dyn Fn() -> bool + Sync)| -> usize {
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| (0..1_000).filter(|_| take()).count())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        })
    };
    assert_eq!(taken(&|| one.take(now).is_ok()), 500);
    assert_eq!(taken(&|| keyed.take(b"key", now).is_ok()), 500);
    assert_eq!(keyed.len(), 1);
}

#[test]
fn keys_beyond_the_bound_share_one_bucket() {
    let buckets = KeyedBuckets::new(1.0, 2, 3);
    let now = Instant::now();
    for key in [b"a", b"b", b"c"] {
        assert!(buckets.take(key, now).is_ok());
    }
    let others = (0..100_u32).filter(|key| buckets.take(&key.to_be_bytes(), now).is_ok()).count();
    assert_eq!(others, 2);
    assert_eq!(buckets.len(), 3);
    assert!(buckets.take(b"a", now).is_ok(), "those that came first keep theirs");
    assert!(KeyedBuckets::new(1.0, 1, 0).take(b"a", now).is_ok(), "no keys at all: one for all");
}

#[test]
fn those_that_are_full_again_make_room() {
    let buckets = KeyedBuckets::new(10.0, 2, 3);
    let now = Instant::now();
    for key in [b"a", b"b", b"c"] {
        assert!(buckets.take(key, now).is_ok());
    }
    assert!(buckets.take(b"a", now).is_ok());
    let later = now + 150 * MILLI;
    for key in [b"d", b"e"] {
        assert!(buckets.take(key, later).is_ok() && buckets.take(key, later).is_ok(), "b's and c's places");
    }
    assert_eq!(buckets.len(), 3);
    assert!(buckets.take(b"a", later).is_ok(), "a's is still there, with what was left and has come since");
    assert!(buckets.take(b"a", later).is_err());
}

#[test]
fn threads_with_many_keys_keep_the_bound() {
    let buckets = KeyedBuckets::new(1_000.0, 1, 50);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..4_u32 {
            let buckets = &buckets;
            scope.spawn(move || {
                for key in 0..20_000_u32 {
                    let _ = buckets.take(&(key % 200 * (thread + 1)).to_be_bytes(), start + MILLI * key);
                    assert!(buckets.len() <= 50);
                }
            });
        }
    });
    let held: usize = buckets.shards.iter().map(|shard| shard.lock().unwrap().len()).sum();
    assert_eq!(held, buckets.len(), "what is counted is what is held");
    assert!(!buckets.is_empty());
}

/// What it is meant to be: a bucket of tokens that is filled steadily. In ns, of which a token takes `interval`.
struct Tokens {
    interval: u64,
    burst: u64,
    level: u64,
    at: u64,
}

impl Tokens {
    fn take(&mut self, now: u64) -> Result<(), Duration> {
        self.level = (self.level + now - self.at).min(self.burst * self.interval);
        self.at = now;
        match self.level.checked_sub(self.interval) {
            Some(left) => {
                self.level = left;
                Ok(())
            }
            None => Err(Duration::from_nanos(self.interval - self.level)),
        }
    }
}

proptest! {
    #[test]
    fn it_lets_pass_what_a_token_bucket_does(
        interval in 1_u64..1_000_000_000,
        burst in 1_u32..20,
        pauses in prop::collection::vec(0.0_f64..3.0, 1..300),
    ) {
        let bucket = Bucket { rate: Rate { interval, burst: interval * u64::from(burst) }, ..Bucket::new(1.0, 1) };
        let keyed = KeyedBuckets { rate: bucket.rate, ..KeyedBuckets::new(1.0, 1, 1) };
        let mut tokens = Tokens { interval, burst: burst.into(), level: interval * u64::from(burst), at: 0 };
        let mut now = 0;
        for pause in pauses {
            // Many right after each other, some far apart.
            now += (interval as f64 * (pause - 1.5).max(0.0)) as u64;
            let expected = tokens.take(now);
            prop_assert_eq!(bucket.take(bucket.start + Duration::from_nanos(now)), expected);
            prop_assert_eq!(keyed.take(b"key", keyed.start + Duration::from_nanos(now)), expected);
        }
    }
}
