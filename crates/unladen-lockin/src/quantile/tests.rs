use super::*;
use proptest::prelude::*;

#[test]
fn a_p99_interval_needs_368_samples_and_is_refused_below() {
    assert_eq!(samples_needed(0.99), 368);
    assert_eq!(samples_needed(0.5), 6);
    let of = |per_block: u64| {
        let mut latencies = BlockLatencies::default();
        for block in 0..10 {
            latencies.push_block((0..per_block).map(|i| 1_000_000 + (block * per_block + i) * 1_000));
        }
        latencies.quantiles(&[0.99]).unwrap()[0].interval
    };
    assert_eq!(of(36), None);
    assert!(of(37).is_some());
}

#[test]
fn fewer_than_six_blocks_give_a_value_and_no_interval() {
    let mut latencies = BlockLatencies::default();
    for _ in 0..5 {
        latencies.push_block([10, 20, 30, 40]);
    }
    assert_eq!(latencies.quantiles(&[0.5]).unwrap(), [Quantile { value: 20, interval: None }]);
    assert_eq!(BlockLatencies::default().quantiles(&[0.5]), None);
}

#[test]
fn the_mean_lies_within_its_interval_and_few_blocks_have_none() {
    let mut latencies = BlockLatencies::default();
    for block in 0..8 {
        latencies.push_block([100 + block, 200, 310]);
        assert_eq!(latencies.mean_interval().is_some(), block >= 5);
    }
    let (low, high) = latencies.mean_interval().unwrap();
    assert!(low < latencies.mean() && latencies.mean() < high);
}

#[test]
fn blocks_that_differ_widen_the_interval() {
    let spread = |shift: u64| {
        let mut latencies = BlockLatencies::default();
        for block in 0..20 {
            latencies.push_block((0..50).map(|i| 1_000 + i + shift * (block % 5)));
        }
        let (low, high) = latencies.quantiles(&[0.5]).unwrap()[0].interval.unwrap();
        high - low
    };
    assert!(spread(200) > 4 * spread(0).max(8), "{} {}", spread(200), spread(0));
}

proptest! {
    #[test]
    fn quantiles_are_the_nearest_rank_within_the_bin_width(
        mut samples in proptest::collection::vec(1_u64..10_000_000_000, 1..400), q in 0.01_f64..0.999,
    ) {
        let mut latencies = BlockLatencies::default();
        for chunk in samples.chunks(40) {
            latencies.push_block(chunk.iter().copied());
        }
        samples.sort_unstable();
        let exact = samples[((q * samples.len() as f64).ceil() as usize).clamp(1, samples.len()) - 1];
        let got = latencies.quantiles(&[q]).unwrap()[0];
        prop_assert!(got.value <= exact && exact - got.value <= exact >> FRACTION_BITS, "{got:?} {exact}");
        prop_assert_eq!(latencies.max(), *samples.last().unwrap());
        if let Some((low, high)) = got.interval {
            prop_assert!(low <= high);
        }
    }
}
