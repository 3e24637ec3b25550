use proptest::prelude::*;

use super::*;
use crate::rules::tests::testing::{around, lean};

fn bound(saves: &Saves) -> (f64, f64) {
    match saves {
        Saves::AtMost { time, part, .. } => (*time, *part),
        Saves::NotKnown(why) => panic!("{why}"),
    }
}

/// One figure, `26.8 ms, 50 %`, was what the calls take and what the fix saves.
#[test]
fn what_the_calls_take_was_told_as_what_the_fix_saves() {
    let takes = Share::of_latency(&lean(), Some(around(4e6, 1e6)));
    let (time, part) = bound(&Saves::part_of(&takes, 0.5));
    let Share::Known { time: all, part: of_all, .. } = &takes else { panic!("{takes:?}") };
    assert!((time - all.high / 2.0).abs() < 1.0 && (part - of_all.high / 2.0).abs() < 1e-9, "{time} {part}");
    assert_eq!(bound(&Saves::at_most(&takes, 1e6)).0, 1e6);
    assert_eq!(bound(&Saves::whole(&lean())), (20.2e6, 1.0));
    assert!(matches!(Saves::all_of(&Share::NotKnown("x".into())), Saves::NotKnown(why) if why == "x"));
}

proptest! {
    /// A bound is no more than the request, and no more than what the calls take where nothing is spared besides them.
    #[test]
    fn a_bound_is_within_what_it_bounds(value in 0.0_f64..20e6, margin in 0.0_f64..10e6, factor in 0.0_f64..4.0) {
        let takes = Share::of_latency(&lean(), Some(around(value, margin)));
        let Share::Known { time: all, part: of_all, .. } = &takes else { return Err(TestCaseError::fail("known")) };
        if let Saves::AtMost { time, part, .. } = Saves::part_of(&takes, factor) {
            prop_assert!((0.0..=1.0).contains(&part));
            prop_assert!(time <= all.high * factor.max(1.0) + 1.0);
            if factor <= 1.0 {
                prop_assert!(time <= all.high + 1.0 && part <= of_all.high + 1e-9);
            }
        }
    }
}
