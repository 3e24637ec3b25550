use super::*;
use crate::{Measure, Scale, Unit};

fn contrast(half_width: f64, units: usize) -> Contrast {
    Contrast {
        value: 1.0,
        low: 1.0 - half_width,
        high: 1.0 + half_width,
        p_value: 1.0,
        units,
        unit: Unit::Block,
        scale: Scale::Ratio,
        measure: Measure::Latency,
        terms: 2.0,
    }
}

const MINUTE: Duration = Duration::from_secs(60);

#[test]
fn half_the_width_takes_four_times_as_long_once_there_are_many_units() {
    let needed = time_needed(&contrast(0.02, 1_000), MINUTE, 0.01).unwrap();
    assert!((needed.as_secs_f64() / 240.0 - 1.0).abs() < 0.01, "{needed:?}");
}

#[test]
fn few_restarts_take_less_than_the_square_as_t_shrinks_too() {
    // From 2.776 / √5 to half of it: 2.093 / √n at n = 13 or so.
    let needed = time_needed(&contrast(0.02, 5), MINUTE, 0.01).unwrap().as_secs_f64() / 60.0;
    assert!((2.4..2.7).contains(&needed), "{needed}");
}

#[test]
fn what_is_narrow_enough_needs_no_more() {
    assert!(time_needed(&contrast(0.005, 20), MINUTE, 0.01).unwrap() < MINUTE);
    let needed = time_needed(&contrast(0.01, 20), MINUTE, 0.01).unwrap();
    assert!((needed.as_secs_f64() / 60.0 - 1.0).abs() < 0.002);
}

#[test]
fn no_time_is_enough_for_a_width_of_nothing() {
    for target in [0.0, -1.0, f64::NAN] {
        assert_eq!(time_needed(&contrast(0.02, 20), MINUTE, target), None);
    }
    assert_eq!(time_needed(&contrast(f64::INFINITY, 2), MINUTE, 0.01), None);
}
