use proptest::prelude::*;

use super::*;

#[test]
fn nothing_is_allowed_before_a_block_nor_after_a_short_one() {
    let mut allowance = Allowance::default();
    assert!(!allowance.covers(Duration::from_nanos(1)));
    assert_eq!(allowance.share(), 0.0);
    allowance.earn(Duration::from_millis(50));
    assert!(!allowance.covers(Duration::from_millis(1)));
    allowance.earn(Duration::from_millis(10));
    assert!(allowance.covers(Duration::from_millis(1)));
}

proptest! {
    /// Whatever blocks and pieces take, no more than one piece is spent beyond the part.
    #[test]
    fn the_cost_stays_within_the_promise(
        blocks in prop::collection::vec(50_u64..20_000, 1..40), pieces in prop::collection::vec(1_u64..30_000, 1..40),
    ) {
        let mut allowance = Allowance::default();
        let mut pieces = pieces.into_iter().map(Duration::from_micros).cycle();
        let expected = Duration::from_millis(1);
        for block in blocks {
            allowance.earn(Duration::from_millis(block));
            while allowance.covers(expected) {
                allowance.spend(pieces.next().unwrap());
            }
        }
        let most = allowance.earned.mul_f64(PART) + Duration::from_millis(30);
        prop_assert!(allowance.spent <= most);
        let tail = 0.03 / (allowance.earned + allowance.spent).as_secs_f64();
        prop_assert!(allowance.share() <= PART + tail);
    }
}
