use super::*;

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
