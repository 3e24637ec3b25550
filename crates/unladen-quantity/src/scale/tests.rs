use super::*;
use proptest::prelude::*;

#[test]
fn ticks_are_round() {
    assert_eq!(Scale::new(20.0, 41.0).ticks(5), [20.0, 25.0, 30.0, 35.0, 40.0]);
    assert_eq!(Scale::new(0.0, 1.0).ticks(3), [0.0, 0.5, 1.0]);
    assert_eq!(Scale::new(1.0, 100.0).ticks(9), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]);
    assert_eq!(Scale::new(1.0, 1000.0).ticks(4), [1.0, 10.0, 100.0, 1000.0]);
}

proptest! {
    #[test]
    fn every_value_has_its_place(low in -1e3_f64..1e12, span in -1.0_f64..1e15, value in -1e3_f64..1e15, most in 0_usize..12) {
        let scale = Scale::new(low, low + span);
        prop_assert!((0.0..=1.0).contains(&scale.at(value)));
        prop_assert!(scale.ticks(most).len() <= most.max(2));
        prop_assert!(scale.ticks(most).iter().all(|tick| tick.is_finite()));
    }
}
