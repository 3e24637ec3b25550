use std::time::Duration;

use proptest::prelude::*;

use super::*;

fn settings(healthy: u32, unhealthy: u32) -> HealthSettings {
    HealthSettings { path: "/".into(), every: Duration::ZERO, timeout: Duration::ZERO, healthy, unhealthy }
}

#[test]
fn only_answers_in_a_row_change_it() {
    let mut count = Count::new(&settings(2, 3), true);
    let changes = [false, false, true, false, false, false, false, true, false, true, true].map(|ok| count.take(ok));
    let mut expected = [None; 11];
    (expected[5], expected[10]) = (Some(false), Some(true));
    assert_eq!(changes, expected);
}

proptest! {
    #[test]
    fn it_changes_after_exactly_so_many_against_it(
        to_healthy in 0_u32..5,
        to_unhealthy in 0_u32..5,
        mut healthy: bool,
        answers in prop::collection::vec(any::<bool>(), 0..200),
    ) {
        let mut count = Count::new(&settings(to_healthy, to_unhealthy), healthy);
        let mut since = 0;
        for (index, answer) in answers.iter().enumerate() {
            let needed = if healthy { to_unhealthy } else { to_healthy }.max(1) as usize;
            let row = answers[since..=index].iter().rev().take_while(|answer| **answer != healthy).count();
            let expected = (row == needed).then_some(!healthy);
            prop_assert_eq!(count.take(*answer), expected);
            if expected.is_some() {
                healthy = !healthy;
                since = index + 1;
            }
        }
    }
}
