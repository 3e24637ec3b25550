use proptest::prelude::*;

use super::*;
use crate::mix::Mix;
use crate::schedule::{Arrivals, Step};

fn any_schedule() -> impl Strategy<Value = Schedule> {
    let step = (0_u32..2_000, 0_u32..2_000, 1_u64..1_500).prop_map(|(from, to, ms)| Step {
        from: f64::from(from),
        to: f64::from(to),
        time: Duration::from_millis(ms),
    });
    let arrivals = prop_oneof![Just(Arrivals::Constant), Just(Arrivals::Poisson)];
    (prop::collection::vec(step, 1..4), arrivals, any::<u64>())
        .prop_filter_map("a rate above 0", |(steps, arrivals, seed)| Schedule::new(steps, arrivals, seed).ok())
}

/// What each agent sends: number, planned time, and the request that is drawn for it.
fn sent(schedule: &Schedule, mix: &Mix, seed: u64, share: Share, most: Option<u64>) -> Vec<(u64, Duration, usize)> {
    let mut draw = mix.clone().draw(seed);
    Turns::of(schedule, share, most).map(|(number, time)| (number, time, draw.of_number(number))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_shares_of_a_load_are_the_load(
        schedule in any_schedule(),
        weights in prop::collection::vec(0_u8..9, 1..6),
        (seed, parts) in (any::<u64>(), 1_u32..7),
        most in prop::option::of(0_u64..3_000),
    ) {
        let mix = Mix::weighted(weights.iter().enumerate().map(|(index, weight)| (index, f64::from(*weight))));
        let whole = sent(&schedule, &mix, seed, Share::WHOLE, most);
        let mut together = Vec::new();
        for index in 0..parts {
            let share = Share::new(index, parts).unwrap();
            let own = sent(&schedule, &mix, seed, share, most);
            prop_assert_eq!(own.len() as u64, share.of_requests(whole.len() as u64));
            together.extend(own);
        }
        together.sort_by_key(|(number, _, _)| *number);
        prop_assert_eq!(together, whole);
    }

    #[test]
    fn closed_loops_draw_the_one_mix(parts in 1_u32..7, seed in any::<u64>(), requests in 0_u64..400) {
        let mix = Mix::weighted([(0, 1.0), (1, 2.5), (2, 0.5)]);
        let mut whole = mix.clone().draw(seed);
        let whole: Vec<usize> = (0..requests).map(|number| whole.of_number(number)).collect();
        let mut workers = 0;
        for index in 0..parts {
            let share = Share::new(index, parts).unwrap();
            let mut draw = mix.clone().draw(seed);
            for turn in 0..share.of_requests(requests) {
                let number = share.number(turn);
                prop_assert!(share.has(number));
                prop_assert_eq!(draw.of_number(number), whole[number as usize]);
            }
            workers += share.of_workers(100);
        }
        prop_assert_eq!(workers, 100);
    }
}

#[test]
fn there_is_no_part_beyond_the_last() {
    for (index, of) in [(0, 0), (1, 1), (5, 3), (0, 1_001)] {
        assert!(Share::new(index, of).is_err(), "{index} of {of}");
    }
    assert_eq!(Share::new(0, 1).unwrap(), Share::WHOLE);
}
