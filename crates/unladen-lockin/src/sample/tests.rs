use proptest::prelude::*;

use super::*;
use crate::student::incomplete_beta;

/// Harrell & Davis as they write it.
fn direct(latencies: &[u64], q: f64, n: f64) -> f64 {
    let mut sorted = latencies.to_vec();
    sorted.sort_unstable();
    let of = sorted.len() as f64;
    let cumulative = |share: f64| incomplete_beta((n + 1.0) * q, (n + 1.0) * (1.0 - q), share);
    sorted
        .iter()
        .enumerate()
        .map(|(i, latency)| *latency as f64 * (cumulative((i as f64 + 1.0) / of) - cumulative(i as f64 / of)))
        .sum()
}

fn blocks(of: &[Vec<u64>]) -> Vec<Bins> {
    of.iter().map(|latencies| Bins::of(latencies.iter().copied())).collect()
}

fn sample(bins: &[Bins]) -> Sample<'_> {
    Sample::new(bins.len(), bins.iter().enumerate().collect())
}

proptest! {
    #[test]
    fn quantiles_are_those_of_harrell_and_davis_with_and_without_each_unit(
        units in proptest::collection::vec(proptest::collection::vec(1_000_000_u64..100_000_000, 1..40), 2..12),
        q in 0.02_f64..0.98,
    ) {
        let bins = blocks(&units);
        let found = sample(&bins).replicates(Statistic::Quantile(q));
        let all: Vec<u64> = units.concat();
        let n = all.len() as f64;
        let expected = direct(&all, q, n);
        prop_assert!((found.value / expected - 1.0).abs() < 5e-4, "{} {expected}", found.value);
        for left_out in 0..units.len() {
            let rest: Vec<u64> =
                units.iter().enumerate().filter(|(unit, _)| *unit != left_out).flat_map(|(_, of)| of.clone()).collect();
            let (found, expected) = (found.without[left_out], direct(&rest, q, n));
            prop_assert!((found / expected - 1.0).abs() < 1e-3, "without {left_out}: {found} {expected}");
        }
    }

    #[test]
    fn means_and_shares_are_those_of_all_latencies(
        units in proptest::collection::vec(proptest::collection::vec(1_u64..100_000_000, 1..40), 2..8),
    ) {
        let bins = blocks(&units);
        let all: Vec<u64> = units.concat();
        let mean = all.iter().sum::<u64>() as f64 / all.len() as f64;
        let found = sample(&bins).replicates(Statistic::Mean);
        prop_assert!((found.value / mean - 1.0).abs() < 1e-12);
        let rest: Vec<u64> = units[1..].concat();
        let mean = rest.iter().sum::<u64>() as f64 / rest.len() as f64;
        prop_assert!((found.without[0] / mean - 1.0).abs() < 1e-9);
        let share = sample(&bins).replicates(Statistic::Within(u64::MAX));
        prop_assert_eq!(share.value, 1.0);
    }
}

#[test]
fn many_latencies_in_few_units_are_evaluated_as_few_in_many() {
    // The region near the quantile has to hold what leaving out half of the latencies moves into it.
    let mut rng = fastrand::Rng::with_seed(9);
    let units: Vec<Vec<u64>> =
        [20_000_000, 30_000_000].map(|from| (0..20_000).map(|_| rng.u64(from..from + 5_000_000)).collect()).into();
    let bins = blocks(&units);
    for q in [0.05, 0.5, 0.9] {
        let found = sample(&bins).replicates(Statistic::Quantile(q));
        assert!((found.without[0] / (30e6 + q * 5e6) - 1.0).abs() < 5e-3, "{q} {found:?}");
        assert!((found.without[1] / (20e6 + q * 5e6) - 1.0).abs() < 5e-3, "{q} {found:?}");
    }
}

#[test]
fn one_latency_for_all_is_its_quantile() {
    let bins = blocks(&vec![vec![16_777_216; 50]; 8]);
    let found = sample(&bins).replicates(Statistic::Quantile(0.9));
    assert_eq!(found.value, 16_777_216.0);
    assert!(found.without.iter().all(|without| *without == found.value));
}

#[test]
fn a_bin_is_within_a_few_thousandths_of_a_percent_and_in_order() {
    let mut rng = fastrand::Rng::with_seed(3);
    let mut latencies: Vec<u64> = (0..10_000).map(|_| rng.u64(..) >> rng.u32(0..64)).filter(|ns| *ns > 0).collect();
    latencies.sort_unstable();
    for pair in latencies.windows(2) {
        assert!(bin(pair[0]) <= bin(pair[1]));
        assert!((value(bin(pair[0])) / pair[0] as f64 - 1.0).abs() <= 0.5_f64.powi(13), "{}", pair[0]);
    }
    assert_eq!(value(bin(0)), 0.0);
}

#[test]
fn equal_latencies_share_a_bin_and_the_sum_is_exact() {
    let bins = Bins::of([20_000_001, 20_000_001, 20_000_002, 90_000_000]);
    assert_eq!((bins.bins.len(), bins.count, bins.sum), (2, 4, 150_000_004.0));
    assert_eq!((bins.within(19_000_000), bins.within(20_000_001), bins.within(u64::MAX)), (0, 3, 4));
}

#[test]
fn ten_million_latencies_of_a_page_are_a_few_thousand_bins() {
    let mut rng = fastrand::Rng::with_seed(3);
    let bins = Bins::of((0..100_000).map(|_| rng.u64(10_000_000..160_000_000)));
    assert!(bins.bins.len() <= 4 * 4_096 + 1, "{}", bins.bins.len());
}
