use proptest::prelude::*;

use super::*;

fn phase() -> impl Strategy<Value = Phase> {
    (1_000_000_u64..2_000_000_000, 0.0..1e9).prop_map(|(duration_ns, count)| Phase { duration_ns, requests: 0, count })
}

fn block(order: Order, requests: u64) -> impl Strategy<Value = Block> {
    prop::array::uniform4(phase()).prop_map(move |mut phases| {
        for (position, phase) in order.positions().into_iter().zip(&mut phases) {
            phase.requests = if position.is_on() { requests } else { 0 };
        }
        Block::new(order, phases)
    })
}

fn pair() -> impl Strategy<Value = (Block, Block)> {
    prop_oneof![Just(Order::OnFirst), Just(Order::OffFirst)].prop_flat_map(|order| (block(order, 7), block(order, 7)))
}

proptest! {
    /// Whatever the two clocks say of how long the phases were.
    #[test]
    fn together_they_exceed_by_the_sum_of_both((ours, theirs) in pair()) {
        let both = ours.plus(&theirs);
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs())) * 1e4;
        prop_assert!(near(both.excess(), ours.excess() + theirs.excess()));
        prop_assert!(near(both.null_excess(), ours.null_excess() + theirs.null_excess()));
        prop_assert_eq!(both.requests(), ours.requests());
    }
}

#[test]
fn by_the_same_clock_counts_are_added_phase_by_phase() {
    let block = |counts: [f64; 4]| {
        let durations = [500, 600, 400, 500];
        let mut index = 0;
        Block::new(
            Order::OffFirst,
            counts.map(|count| {
                index += 1;
                Phase { duration_ns: durations[index - 1] * 1_000_000, requests: 0, count }
            }),
        )
    };
    let both = block([1.0, 2.0, 3.0, 4.0]).plus(&block([10.0, 20.0, 30.0, 40.0]));
    let sum = block([11.0, 22.0, 33.0, 44.0]);
    assert!((both.excess() - sum.excess()).abs() < 1e-9);
    assert!((both.null_excess() - sum.null_excess()).abs() < 1e-9);
}
