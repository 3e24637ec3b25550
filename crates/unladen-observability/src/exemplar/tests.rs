use super::*;
use crate::observability::tests::record;

fn trace(n: u8) -> Trace {
    Trace { trace_id: [n; 16], parent_id: None, span_id: [n; 8], sampled: true }
}

fn read(all: &[&Exemplars]) -> BucketExemplars {
    let mut sums = None;
    for exemplars in all {
        exemplars.add_to(&mut sums);
    }
    sums
}

#[test]
fn each_bucket_has_its_last_and_threads_are_put_together() {
    let (one, other) = (Exemplars::default(), Exemplars::default());
    assert_eq!((read(&[&one, &other]), latest(&None)), (None, None));
    let early = record();
    let late = RequestAccount { began: early.began + Duration::from_secs(1), ..record() };
    one.put(&early, trace(1), Duration::from_micros(50));
    one.put(&early, trace(2), Duration::from_micros(60));
    one.put(&early, trace(3), Duration::from_millis(3));
    other.put(&late, trace(4), Duration::from_millis(2));
    let sums = read(&[&one, &other]);
    assert_eq!(sums, read(&[&other, &one]));
    let buckets = sums.as_deref().unwrap();
    let ids = buckets.iter().map(|bucket| bucket.map_or(0, |one| one.trace_id[0]));
    assert_eq!(ids.collect::<Vec<_>>()[..5], [2, 0, 0, 0, 4]);
    assert_eq!(latest(&sums).unwrap().trace_id, [4; 16]);
    assert_eq!((buckets[4].unwrap().ns, buckets[4].unwrap().at), (2_000_000, late.began + late.total));
}

#[test]
fn whoever_counts_does_not_wait_for_whoever_reads() {
    let exemplars = Exemplars::default();
    let reading = exemplars.0.lock().unwrap();
    exemplars.put(&record(), trace(1), Duration::from_micros(50));
    drop(reading);
    assert_eq!(read(&[&exemplars]), None);
}
