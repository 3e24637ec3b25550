use super::*;
use proptest::prelude::*;

fn planner(seed: u64, targets: usize) -> Planner {
    Planner::new(seed, targets, Timing { phase: Duration::from_millis(500), jitter: Timing::JITTER })
}

#[test]
fn the_same_seed_gives_the_same_plan_and_another_seed_another() {
    let plan = |seed| planner(seed, 3).take(60).collect::<Vec<_>>();
    assert_eq!(plan(7), plan(7));
    assert_ne!(plan(7), plan(8));
}

#[test]
fn both_orders_come_about_equally_often() {
    let on_first = planner(1, 1).take(10_000).filter(|block| block.order == Order::OnFirst).count();
    // Five standard deviations of a fair coin.
    assert!((4_750..=5_250).contains(&on_first), "{on_first}");
}

#[test]
fn a_linear_drift_cancels_in_both_orders() {
    for order in [Order::OnFirst, Order::OffFirst] {
        let sum: i32 = order.positions().iter().zip(0..).map(|(p, t)| if p.is_on() { t } else { -t }).sum();
        assert_eq!(sum, 0);
    }
}

proptest! {
    #[test]
    fn every_round_holds_each_subject_once(seed: u64, targets in 1_usize..12) {
        let blocks: Vec<_> = planner(seed, targets).take(targets * 5).collect();
        for round in blocks.chunks(targets) {
            let mut seen: Vec<_> = round.iter().map(|block| block.target).collect();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..targets).collect::<Vec<_>>());
        }
    }

    #[test]
    fn lengths_stay_within_the_jitter(seed: u64, jitter in -1.0_f64..2.0, phase_ms in 1_u64..100_000) {
        let phase = Duration::from_millis(phase_ms);
        let bound = jitter.clamp(0.0, 0.5);
        for block in Planner::new(seed, 1, Timing { phase, jitter }).take(50) {
            let ratio = block.phase.as_secs_f64() / phase.as_secs_f64();
            prop_assert!((ratio - 1.0).abs() <= bound + 1e-6, "{}", ratio);
        }
    }
}
