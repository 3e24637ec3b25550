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
fn a_mean_is_not_below_all_that_was_seen() {
    let mut latencies = BlockLatencies::default();
    for block in 0..8 {
        // The last of eight blocks was held up by something else.
        latencies.push_block([if block == 7 { 9_000_000 } else { 64 }; 4]);
    }
    let (low, high) = latencies.mean_interval().unwrap();
    assert!(low >= 64.0 && low < latencies.mean() && latencies.mean() < high, "{low} to {high}");
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

/// A load of ten hours at 5,000 requests a second has five million in each of its blocks: a list of them took 80 MB, and
/// of this many takes all memory that there is.
#[test]
fn more_latencies_than_memory_holds_are_counted() {
    let mut latencies = BlockLatencies::default();
    latencies.push_counts([(2_000, 1 << 40), (4_000, 1 << 40), (1 << 30, 0)]);
    assert_eq!((latencies.count(), latencies.mean(), latencies.max()), (2 << 40, 3_000.0, 4_000));
    assert_eq!(latencies.quantiles(&[0.5]).unwrap()[0].value, bin(2_000));
}

proptest! {
    #[test]
    fn counts_are_as_so_many_latencies(
        blocks in proptest::collection::vec(proptest::collection::vec((1_u64..1 << 40, 0_u64..9), 1..30), 1..12),
    ) {
        let (mut counted, mut listed) = (BlockLatencies::default(), BlockLatencies::default());
        for block in blocks {
            listed.push_block(block.iter().flat_map(|(ns, count)| std::iter::repeat_n(*ns, *count as usize)));
            counted.push_counts(block);
        }
        prop_assert_eq!((counted.count(), counted.max()), (listed.count(), listed.max()));
        prop_assert_eq!(counted.quantiles(&[0.1, 0.5, 0.99]), listed.quantiles(&[0.1, 0.5, 0.99]));
        let near = |one: f64, other: f64| (one - other).abs() <= 1e-6 * one.abs().max(1.0);
        prop_assert!(near(counted.mean(), listed.mean()));
        prop_assert_eq!(counted.mean_interval().is_some(), listed.mean_interval().is_some());
    }

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
