use super::*;
use crate::Measure;
use crate::Observations;
use crate::Scale;
use crate::Statistic;
use crate::Unit;

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
    assert_eq!(judge(&ratio(1.05, 0.01), &floor, 0.01, MARGIN), Change::Slower);
    assert_eq!(judge(&ratio(0.95, 0.01), &floor, 0.01, MARGIN), Change::Faster);
    assert_eq!(judge(&ratio(1.05, 0.06), &floor, 0.01, MARGIN), Change::Unclear);
    assert_eq!(judge(&ratio(1.05, 0.01), &floor, 0.06, MARGIN), Change::Unclear);
    assert!(!Change::NoMeasurableDifference.is_told() && !Change::Unclear.is_told() && Change::Less.is_told());
}

/// −3.6 % with −25.0 to +23.4 % was "no measurable difference", as the effect was inside the floor; −14.3 to +1.0 % was
/// not.
#[test]
fn an_interval_of_a_quarter_to_each_side_was_equal() {
    let wide = Contrast { value: 0.964, low: 0.75, high: 1.234, ..ratio(1.0, 0.0) };
    assert_eq!(judge(&wide, &floor(1.0, 0.09), 0.8, MARGIN), Change::Unclear);
    let narrower = Contrast { value: 0.93, low: 0.857, high: 1.01, ..ratio(1.0, 0.0) };
    assert_eq!(judge(&narrower, &floor(1.0, 0.05), 0.1, MARGIN), Change::Unclear);
}

#[test]
fn arms_are_equal_only_where_the_whole_interval_lies_within_the_margin() {
    // The interval excludes no change, and the effect is no more than what the baseline differs by from itself.
    assert_eq!(judge(&ratio(1.005, 0.001), &floor(1.0, 0.01), 0.01, MARGIN), Change::NoMeasurableDifference);
    assert_eq!(judge(&ratio(1.005, 0.04), &floor(1.0, 0.01), 0.9, MARGIN), Change::NoMeasurableDifference);
    assert_eq!(judge(&ratio(1.02, 0.04), &floor(1.0, 0.03), 0.9, MARGIN), Change::Unclear);
    // A baseline that differs from itself by more than the margin is no measure of equality.
    assert_eq!(judge(&ratio(1.0, 0.02), &floor(1.1, 0.01), 0.9, MARGIN), Change::Unclear);
}

/// 30.1 ms of CPU to none, over seven blocks, beside eleven other groups: the least p-value of seven blocks is 2/2⁷,
/// and 0.18 once twelve families share it.
#[test]
fn a_weight_that_is_gone_is_not_called_equal_for_want_of_blocks() {
    let gone = contrast(-30.1e6, 4e6, Scale::Difference, Measure::Count, 1.5);
    let floor = Floor::of(&contrast(1e6, 3e6, Scale::Difference, Measure::Count, 2.0));
    assert_eq!(judge(&gone, &floor, 0.18, MARGIN * 30.1e6), Change::Unclear);
    assert_eq!(judge(&gone, &floor, 0.04, MARGIN * 30.1e6), Change::Less);
    let wide = Floor::of(&contrast(40e6, 60e6, Scale::Difference, Measure::Count, 2.0));
    assert_eq!(judge(&gone, &wide, 0.04, MARGIN * 30.1e6), Change::Unclear, "a floor above the whole hides it");
}

#[test]
fn more_within_a_limit_is_faster_and_more_of_a_count_is_more() {
    let none = Floor::of(&contrast(0.0, 0.0, Scale::Difference, Measure::Share, 2.0));
    let difference = |value, measure| contrast(value, 0.01, Scale::Difference, measure, 1.5);
    assert_eq!(judge(&difference(0.1, Measure::Share), &none, 0.0, 0.05).into_str(), "faster");
    assert_eq!(judge(&difference(-0.1, Measure::Share), &none, 0.0, 0.05).into_str(), "slower");
    assert_eq!(judge(&difference(0.1, Measure::Count), &none, 0.0, 0.05).into_str(), "more");
    assert_eq!(judge(&difference(-0.1, Measure::Count), &none, 0.0, 0.05).to_string(), "less");
    assert_eq!(judge(&difference(0.0, Measure::Count), &none, 0.0, 0.05).into_str(), "no measurable difference");
    assert_eq!(judge(&difference(0.001, Measure::Count), &none, 0.9, 0.005).into_str(), "unclear");
}

/// Whole experiments of one candidate: baseline, baseline again and candidate, `blocks` blocks on a machine whose speed
/// wanders.
fn verdict(candidate: f64, blocks: usize, rng: &mut fastrand::Rng) -> Change {
    let mut arms = [(); 3].map(|()| Observations::new());
    for _ in 0..blocks {
        let speed = 0.8 + 0.4 * rng.f64();
        for (arm, factor) in arms.iter_mut().zip([1.0, 1.0, candidate]) {
            // Requests of a phase share more than chance: each phase has a speed of its own, too.
            let phase = 0.97 + 0.06 * rng.f64();
            arm.push_block((0..20).map(|_| (20e6 * factor * speed * phase * (0.8 + 0.4 * rng.f64())) as u64));
        }
    }
    let [baseline, again, candidate] = &arms;
    let pooled = Observations::pooled(&[baseline, again]);
    let of = |terms: &[(f64, &Observations)]| crate::contrast(terms, Statistic::Mean, Scale::Ratio).unwrap();
    let effect = of(&[(1.0, candidate), (-1.0, &pooled)]);
    let floor = Floor::of(&of(&[(1.0, again), (-1.0, baseline)]));
    judge(&effect, &floor, effect.p_value, MARGIN)
}

/// How often each is said of 400 experiments: of a direction, of equality, of neither.
fn said(candidate: f64, blocks: usize, seed: u64) -> (f64, f64, f64) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut counts = [0_u32; 3];
    for _ in 0..400 {
        counts[match verdict(candidate, blocks, &mut rng) {
            Change::NoMeasurableDifference => 1,
            Change::Unclear => 2,
            _ => 0,
        }] += 1;
    }
    let [told, equal, unclear] = counts.map(|count| f64::from(count) / 400.0);
    (told, equal, unclear)
}

/// With a margin, enough blocks must be able to say that nothing differs.
#[test]
fn equal_arms_are_called_equal_or_unclear_and_next_to_never_different() {
    for (blocks, seed) in [(7, 1), (15, 2), (60, 3)] {
        let (told, equal, unclear) = said(1.0, blocks, seed);
        assert!(told <= 0.05, "{blocks} blocks: {told} told, {equal} equal, {unclear} unclear");
        assert!(blocks < 15 || equal >= 0.9, "{blocks} blocks: {told} told, {equal} equal, {unclear} unclear");
    }
}

/// Just beyond the margin is where equality is said wrongly most often.
#[test]
fn a_change_beyond_the_margin_is_called_equal_in_one_of_twenty_at_most() {
    for (candidate, blocks, seed) in [(1.0501, 7, 4), (1.0501, 15, 5), (1.0501, 60, 8), (1.1, 7, 9), (0.94, 15, 10)] {
        let (told, equal, unclear) = said(candidate, blocks, seed);
        assert!(equal <= 0.05, "{candidate}, {blocks} blocks: {told} told, {equal} equal, {unclear} unclear");
    }
}

#[test]
fn what_is_beyond_the_floor_and_not_told_becomes_told_with_more_blocks() {
    let (few, many) = (said(1.02, 7, 6), said(1.02, 60, 7));
    assert!(few.0 < many.0 && many.0 > 0.8, "{few:?} {many:?}");
}

/// After as long as is said, the verdict is one of the others.
#[test]
fn what_is_unclear_is_settled_by_as_much_time_as_is_said() {
    for (value, half_width) in [(1.0, 0.2), (0.96, 0.24), (1.12, 0.24), (1.03, 0.04)] {
        let contrast = ratio(value, half_width);
        assert_eq!(judge(&contrast, &floor(1.0, half_width), 0.3, MARGIN), Change::Unclear);
        let time = time_to_settle(&contrast, MINUTE, MARGIN).unwrap();
        let shrunk = half_width / (time.as_secs_f64() / 60.0).sqrt();
        let then = judge(&ratio(value, shrunk), &floor(1.0, shrunk), 0.001, MARGIN);
        assert_ne!(then, Change::Unclear, "{value} ± {half_width}: ± {shrunk} after {time:?}");
    }
}

fn ratio_of_units(half_width: f64, units: usize) -> Contrast {
    Contrast { units, ..contrast(1.0, half_width, Scale::Ratio, Measure::Latency, 2.0) }
}

const MINUTE: Duration = Duration::from_secs(60);

#[test]
fn half_the_width_takes_four_times_as_long_once_there_are_many_units() {
    let needed = time_needed(&ratio_of_units(0.02, 1_000), MINUTE, 0.01).unwrap();
    assert!((needed.as_secs_f64() / 240.0 - 1.0).abs() < 0.01, "{needed:?}");
}

#[test]
fn few_restarts_take_less_than_the_square_as_t_shrinks_too() {
    // From 2.776 / √5 to half of it: 2.093 / √n at n = 13 or so.
    let needed = time_needed(&ratio_of_units(0.02, 5), MINUTE, 0.01).unwrap().as_secs_f64() / 60.0;
    assert!((2.4..2.7).contains(&needed), "{needed}");
}

#[test]
fn what_is_narrow_enough_needs_no_more() {
    assert!(time_needed(&ratio_of_units(0.005, 20), MINUTE, 0.01).unwrap() < MINUTE);
    let needed = time_needed(&ratio_of_units(0.01, 20), MINUTE, 0.01).unwrap();
    assert!((needed.as_secs_f64() / 60.0 - 1.0).abs() < 0.002);
}

#[test]
fn no_time_is_enough_for_a_width_of_nothing() {
    for target in [0.0, -1.0, f64::NAN] {
        assert_eq!(time_needed(&ratio_of_units(0.02, 20), MINUTE, target), None);
    }
    assert_eq!(time_needed(&ratio_of_units(f64::INFINITY, 2), MINUTE, 0.01), None);
}
