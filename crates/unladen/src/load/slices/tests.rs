use super::*;
use proptest::prelude::*;

#[test]
fn an_hour_takes_as_many_slices_as_a_minute() {
    let mut slices = Slices::default();
    for second in 0..3_600 {
        slices.record(second * 1_000_000_000, Some(1_000_000 + second), second % 10 == 0);
    }
    let timeline = slices.timeline();
    assert!(timeline.len() <= MOST && timeline.len() > MOST / 4, "{}", timeline.len());
    assert_eq!(timeline.iter().map(|slice| slice.planned).sum::<u64>(), 3_600);
    assert_eq!(timeline.iter().map(|slice| slice.errors).sum::<u64>(), 360);
    assert_eq!((slices.latencies().count(), slices.latencies().max()), (3_600, 1_003_599));
}

/// Of latencies from 0.1 ms to 10 s, by a server that treats its clients badly.
#[test]
fn ten_hours_take_hardly_more_memory_than_ten_minutes() {
    let hour = 3_600_000_000_000_u64;
    let mut rng = fastrand::Rng::with_seed(7);
    let mut memory_at = |rate: u64, length: u64| {
        let mut slices = Slices::default();
        for index in 0..rate {
            let latency = 1e5 * 10_f64.powf(5.0 * rng.f64().powi(4));
            slices.record(length / rate * index, Some(latency as u64), index % 9 == 0);
        }
        // Bins grow with each latency that falls into a new one, up to a maximum.
        slices.slices.iter().map(|part| part.latencies.memory()).sum::<usize>()
    };
    let (minutes, hours, dense) =
        (memory_at(20_000, hour / 6), memory_at(100_000, 10 * hour), memory_at(800_000, 10 * hour));
    assert!(hours < 6 << 20 && dense < 6 << 20, "{minutes} {hours} {dense}");
    assert!(dense < 2 * hours && hours < 4 * minutes, "{minutes} {hours} {dense}");
}

#[test]
fn no_quantile_exceeds_the_largest_latency() {
    let mut slices = Slices::default();
    slices.record(0, Some(63_255_724), false);
    let slice = slices.timeline()[0].clone();
    assert_eq!((slice.p50, slice.p99, slice.max), (63_255_724, 63_255_724, 63_255_724));
    assert_eq!(slices.distribution(), [(63_255_724, 1)]);
}

proptest! {
    #[test]
    fn none_is_lost(latencies in prop::collection::vec((0_u64..1 << 45, 0_u64..1 << 40), 1..200)) {
        let mut slices = Slices::default();
        latencies.iter().for_each(|(planned, latency)| slices.record(*planned, Some(*latency), false));
        prop_assert_eq!(slices.latencies().count(), latencies.len() as u64);
        prop_assert_eq!(slices.distribution().iter().map(|(_, count)| count).sum::<u64>(), latencies.len() as u64);
        prop_assert_eq!(Some(slices.latencies().max()), latencies.iter().map(|(_, latency)| *latency).max());
    }
}
