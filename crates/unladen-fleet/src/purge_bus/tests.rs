use super::*;

/// Batches were bounded by their number alone, against a fixed time: a node behind a slow line never got on.
#[test]
fn a_batch_that_takes_too_long_is_halved_down_to_one() {
    let batch = Batch::default();
    assert_eq!(batch.size(), BATCH);
    assert_eq!(batch.judge::<()>(Err(BusError::Timeout)), Err(BusError::Timeout));
    assert_eq!(batch.size(), BATCH / 2);
    let _ = batch.judge::<()>(Err(BusError::Answer("else".into())));
    assert_eq!(batch.size(), BATCH / 2);
    (0..20).for_each(|_| drop(batch.judge::<()>(Err(BusError::Timeout))));
    assert_eq!(batch.size(), 1);
    (0..20).for_each(|_| drop(batch.judge(Ok(()))));
    assert_eq!(batch.size(), BATCH);
}
