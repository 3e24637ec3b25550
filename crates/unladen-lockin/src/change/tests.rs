use super::*;
use crate::{Scale, Unit};

fn contrast(value: f64, half_width: f64, scale: Scale, measure: Measure, terms: f64) -> Contrast {
    let (low, high) = (value - half_width, value + half_width);
    Contrast { value, low, high, p_value: 0.001, units: 20, unit: Unit::Block, scale, measure, terms }
}

fn ratio(value: f64, half_width: f64) -> Contrast {
    contrast(value, half_width, Scale::Ratio, Measure::Latency, 1.5)
}

fn floor(value: f64, half_width: f64) -> Floor {
    Floor::of(&contrast(value, half_width, Scale::Ratio, Measure::Latency, 2.0))
}

#[test]
fn the_floor_is_the_width_or_the_difference_of_equal_arms_on_the_footing_of_the_effect() {
    let footing = (1.5_f64 / 2.0).sqrt();
    assert!((floor(1.002, 0.01).for_effect(&ratio(1.1, 0.01)) - 0.01 * footing).abs() < 1e-12);
    assert!((floor(0.97, 0.01).for_effect(&ratio(1.1, 0.01)) - 0.03 * footing).abs() < 1e-12);
    let of_four = contrast(1.1, 0.01, Scale::Ratio, Measure::Latency, 8.0);
    assert!((floor(1.0, 0.01).for_effect(&of_four) - 0.02).abs() < 1e-12);
}

#[test]
fn a_change_needs_its_interval_its_floor_and_its_p_value() {
    let floor = floor(1.0, 0.01);
    assert_eq!(judge(&ratio(1.05, 0.01), &floor, 0.01), Change::Slower);
    assert_eq!(judge(&ratio(0.95, 0.01), &floor, 0.01), Change::Faster);
    assert_eq!(judge(&ratio(1.05, 0.06), &floor, 0.01), Change::NoMeasurableDifference);
    assert_eq!(judge(&ratio(1.05, 0.01), &floor, 0.06), Change::NoMeasurableDifference);
    assert_eq!(judge(&ratio(1.005, 0.001), &floor, 0.01), Change::NoMeasurableDifference);
    assert!(!Change::NoMeasurableDifference.is_measurable() && Change::Less.is_measurable());
}

#[test]
fn more_within_a_limit_is_faster_and_more_of_a_count_is_more() {
    let none = Floor::of(&contrast(0.0, 0.0, Scale::Difference, Measure::Share, 2.0));
    let difference = |value, measure| contrast(value, 0.01, Scale::Difference, measure, 1.5);
    assert_eq!(judge(&difference(0.1, Measure::Share), &none, 0.0).as_str(), "faster");
    assert_eq!(judge(&difference(-0.1, Measure::Share), &none, 0.0).as_str(), "slower");
    assert_eq!(judge(&difference(0.1, Measure::Count), &none, 0.0).as_str(), "more");
    assert_eq!(judge(&difference(-0.1, Measure::Count), &none, 0.0).to_string(), "less");
    assert_eq!(judge(&difference(0.0, Measure::Count), &none, 0.0).as_str(), "no measurable difference");
}
