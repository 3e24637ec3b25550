use proptest::prelude::*;

use super::*;

#[test]
fn fewer_than_six_requests_carry_no_interval() {
    let parts: Vec<(usize, f64)> = (0..5).map(|request| (request, 1.0 + request as f64)).collect();
    assert_eq!(share(&[10.0; 5], &parts), ShareEstimate { value: 0.3, interval: None });
    assert!(share(&[10.0; 6], &parts).interval.is_some());
    // Requests of which nothing was seen say nothing.
    assert_eq!(share(&[10.0, 10.0, 10.0, 10.0, 10.0, 0.0], &parts).interval, None);
    assert_eq!(share(&[], &[]), ShareEstimate { value: 0.0, interval: None });
    assert_eq!(share(&[0.0; 9], &[(3, 0.0)]), ShareEstimate { value: 0.0, interval: None });
    let difference = difference((5, &[1.0]), (50, &[2.0; 50]));
    assert_eq!((difference.interval, difference.p_value), (None, 1.0));
    assert!((difference.value - 1.8).abs() < 1e-12);
}

#[test]
fn what_no_request_has_may_be_in_three_of_n() {
    for n in [6, 30, 300] {
        let (low, high) = share(&vec![7.0; n], &[]).interval.unwrap();
        assert_eq!(low, 0.0);
        assert!((high - 3.0 / n as f64).abs() < 0.11 * 3.0 / n as f64 + 0.07 / n as f64 || n == 6, "{n}: {high}");
        let all: Vec<(usize, f64)> = (0..n).map(|request| (request, 7.0)).collect();
        let (low, top) = share(&vec![7.0; n], &all).interval.unwrap();
        assert!(top == 1.0 && (low - (1.0 - high)).abs() < 1e-12, "{n}: {low}");
    }
    // One request is nearly all of it: little is known.
    let (_, high) = share(&[1e6, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0], &[]).interval.unwrap();
    assert!(high > 0.94, "{high}");
}

#[test]
fn the_same_share_of_each_request_is_known() {
    let wholes: Vec<f64> = (1..20).map(|request| 100.0 * f64::from(request)).collect();
    let parts: Vec<(usize, f64)> = wholes.iter().map(|whole| whole / 4.0).enumerate().collect();
    let ShareEstimate { value, interval: Some((low, high)) } = share(&wholes, &parts) else { panic!() };
    assert!(value == 0.25 && low <= value && value <= high && high - low < 1e-9, "{low} {high}");
}

#[test]
fn a_part_in_one_request_may_be_hardly_there_or_in_many() {
    let (low, high) = share(&[100.0; 20], &[(7, 20.0)]).interval.unwrap();
    assert!(low < 0.001 && high > 0.03, "{low} {high}");
}

#[test]
fn alike_requests_differ_as_far_as_their_number_tells() {
    let same = difference((20, &[3.0; 20]), (9, &[3.0; 9]));
    assert_eq!((same.value, same.interval, same.p_value), (0.0, Some((0.0, 0.0)), 1.0));
    let other = difference((6, &[3.0; 6]), (6, &[5.0; 6]));
    assert_eq!((other.value, other.interval), (2.0, Some((2.0, 2.0))));
    assert!((other.p_value - 2.0 / 924.0).abs() < 1e-12);
    assert!(difference((100_000, &[]), (100_000, &[1.0; 100_000])).p_value < 1e-300);
}

/// The example of Welch's test with samples of unequal variance, worked by hand: means 20 and 23, squares of errors 2
/// and 1.
#[test]
fn the_difference_is_welchs() {
    let baseline = [16.0, 18.0, 20.0, 20.0, 22.0, 24.0];
    let candidate = [23.0, 22.0, 24.0, 23.0, 21.0, 25.0];
    // Variances 8 and 2, over 6.
    let found = difference((6, &baseline), (6, &candidate));
    let error = (8.0_f64 / 6.0 + 2.0 / 6.0).sqrt();
    let degrees = (10.0_f64 / 6.0).powi(2) / ((8.0_f64 / 6.0).powi(2) / 5.0 + (2.0_f64 / 6.0).powi(2) / 5.0);
    assert!((found.value - 3.0).abs() < 1e-12);
    assert!((found.p_value - student::p_value(3.0 / error, degrees)).abs() < 1e-12);
    let (low, high) = found.interval.unwrap();
    assert!(
        (high - 3.0 - student::critical(0.05, degrees) * error).abs() < 0.01
            && ((low + high) / 2.0 - 3.0).abs() < 1e-12
    );
}

#[test]
fn few_degrees_of_freedom_have_their_t() {
    for (degrees, t) in [(1.0, 12.7062), (1.5, 6.0), (2.0, 4.30265), (3.0, 3.18245), (4.0, 2.77645), (5.0, 2.57058)] {
        let found = critical(degrees);
        let exact = student::critical(0.05, degrees);
        assert!((found - exact).abs() < 0.005, "{degrees}: {found}, {exact}");
        assert!(degrees == 1.5 || (found - t).abs() < 0.005, "{degrees}: {found}");
    }
}

#[test]
fn moments_are_those_of_all_values_however_large() {
    let values: Vec<f64> = (0..50).map(|i| 1e12 + f64::from(i % 7)).collect();
    let moments: Moments = values.iter().copied().collect();
    let mean = values.iter().sum::<f64>() / 50.0;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    assert!((moments.squares - squares).abs() < 0.01 * squares, "{moments:?} {squares}");
}

struct Draw(fastrand::Rng);

impl Draw {
    fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.0.f64()).ln()).sqrt() * (std::f64::consts::TAU * self.0.f64()).cos()
    }

    /// Skewed, of mean 1.
    fn duration(&mut self, sigma: f64) -> f64 {
        (sigma * self.normal() - sigma * sigma / 2.0).exp()
    }

    /// Samples, where `mean` are expected.
    fn samples(&mut self, mean: f64) -> f64 {
        if mean > 30.0 {
            return (mean + mean.sqrt() * self.normal()).round().max(0.0);
        }
        let (mut product, mut count) = (self.0.f64(), 0.0);
        while product > (-mean).exp() {
            product *= self.0.f64();
            count += 1.0;
        }
        count
    }
}

/// How often, of so many runs, the interval holds the share: requests last differently long, and of each a skewed part,
/// which varies by `spread`, is the function's.
fn coverage_of_share(truth: f64, requests: usize, spread: f64, runs: usize) -> f64 {
    let mut draw = Draw(fastrand::Rng::with_seed(requests as u64 * 1000 + (truth * 1000.0) as u64));
    let mut covered = 0;
    for _ in 0..runs {
        let (mut wholes, mut parts) = (Vec::new(), Vec::new());
        for request in 0..requests {
            let length = 400.0 * draw.duration(0.4);
            let expected = length * truth * draw.duration(spread);
            let part = draw.samples(expected);
            wholes.push(part + draw.samples(length * (1.0 - truth)));
            if part > 0.0 {
                parts.push((request, part));
            }
        }
        let (low, high) = share(&wholes, &parts).interval.unwrap();
        covered += usize::from(low <= truth && truth <= high);
    }
    covered as f64 / runs as f64
}

#[test]
fn a_shares_interval_covers_it() {
    for truth in [0.01, 0.05, 0.2] {
        for (requests, runs) in [(6, 3000), (12, 3000), (30, 2000), (200, 700)] {
            let covered = coverage_of_share(truth, requests, 0.5, runs);
            // Three standard errors of what so many runs tell.
            let error = 3.0 * (0.05 * 0.95 / runs as f64).sqrt();
            assert!((0.93 - error..=0.975 + error).contains(&covered), "{truth} of {requests}: {covered}");
        }
    }
}

/// As the docs admit.
#[test]
fn what_is_rare_and_large_is_covered_less() {
    let covered = coverage_of_share(0.05, 12, 1.5, 3000);
    assert!((0.80..0.93).contains(&covered), "{covered}");
    let covered = coverage_of_share(0.05, 200, 1.5, 500);
    assert!(covered > 0.87, "{covered}");
}

#[test]
fn a_differences_interval_covers_it_and_no_change_is_seldom_called_one() {
    let mut draw = Draw(fastrand::Rng::with_seed(5));
    for (baseline, candidate, runs) in [(6, 6, 4000), (12, 30, 3000), (200, 200, 600)] {
        let (mut covered, mut called) = (0, 0);
        for _ in 0..runs {
            let mut values = |n: usize, mean: f64| (0..n).map(|_| mean * draw.duration(0.5)).collect::<Vec<f64>>();
            let (a, b, same) = (values(baseline, 10.0), values(candidate, 14.0), values(candidate, 10.0));
            let (low, high) = difference((baseline, &a), (candidate, &b)).interval.unwrap();
            covered += usize::from(low <= 4.0 && 4.0 <= high);
            called += usize::from(difference((baseline, &a), (candidate, &same)).p_value <= 0.05);
        }
        let (covered, called) = (covered as f64 / runs as f64, called as f64 / runs as f64);
        assert!((0.93..=0.975).contains(&covered), "{baseline}, {candidate}: {covered}");
        assert!((0.02..=0.075).contains(&called), "{baseline}, {candidate}: {called}");
    }
}

proptest! {
    #[test]
    fn the_interval_lies_in_0_to_1_and_has_the_share(
        requests in proptest::collection::vec((0.0_f64..1e6, 0.0_f64..=1.0, any::<bool>()), 6..40),
    ) {
        let wholes: Vec<f64> = requests.iter().map(|(whole, ..)| whole + 1.0).collect();
        let parts: Vec<(usize, f64)> = requests.iter().enumerate().filter(|(_, (.., has))| *has)
            .map(|(request, (_, part, _))| (request, part * wholes[request])).collect();
        let ShareEstimate { value, interval: Some((low, high)) } = share(&wholes, &parts) else { panic!() };
        prop_assert!(0.0 <= low && low <= value && value <= high && high <= 1.0, "{} {} {}", low, value, high);
        // Zeros that are told are as those that are left out.
        let told: Vec<(usize, f64)> = (0..wholes.len())
            .map(|request| parts.iter().find(|part| part.0 == request).copied().unwrap_or((request, 0.0))).collect();
        let ShareEstimate { interval: Some((told_low, told_high)), .. } = share(&wholes, &told) else { panic!() };
        prop_assert!((low - told_low).abs() < 1e-6 && (high - told_high).abs() < 1e-6);
    }

    #[test]
    fn any_numbers_give_an_interval(
        wholes in proptest::collection::vec(prop_oneof![Just(0.0), Just(1.0), Just(1e19), 0.0_f64..1e300], 0..12),
        parts in proptest::collection::vec((0_usize..14, prop_oneof![Just(0.0), Just(1e19), 0.0_f64..1e300]), 0..3),
    ) {
        let found = share(&wholes, &parts);
        prop_assert!((0.0..=1.0).contains(&found.value));
        if let Some((low, high)) = found.interval {
            prop_assert!(0.0 <= low && low <= high && high <= 1.0, "{:?}", found);
        }
    }

    #[test]
    fn zeros_may_be_left_out(values in proptest::collection::vec(0_u8..4, 6..20), others in proptest::collection::vec(0_u8..4, 6..20)) {
        let all = |values: &[u8]| values.iter().map(|value| f64::from(*value)).collect::<Vec<f64>>();
        let some = |values: &[u8]| all(values).into_iter().filter(|value| *value > 0.0).collect::<Vec<f64>>();
        let told = difference((values.len(), &all(&values)), (others.len(), &all(&others)));
        let left_out = difference((values.len(), &some(&values)), (others.len(), &some(&others)));
        prop_assert!((told.value - left_out.value).abs() < 1e-9);
        prop_assert!((told.p_value - left_out.p_value).abs() < 1e-6, "{told:?} {left_out:?}");
    }
}
