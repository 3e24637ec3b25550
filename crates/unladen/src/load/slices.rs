//! The principal type is [`Slices`]: latencies by slice of time, in bounded memory at any length.

use std::collections::BTreeMap;
use std::time::Duration;

use unladen_load::{BinnedLatencies, Bins};
use unladen_lockin::BlockLatencies;
use unladen_report::Slice;

/// Slices at most; when there are more, neighbours are put together.
const MOST: usize = 64;

/// The first width of a slice, ns: a tenth of a second has enough slices for an interval. From a third of a second on
/// they are wider, and there are 32 to 64 of them.
const FIRST_WIDTH: u64 = 5_000_000;

/// Latencies by when their requests were planned. The slices are the blocks of the intervals: requests that were sent
/// together share what the machine did meanwhile.
#[derive(Debug, Clone)]
pub(crate) struct Slices {
    width: u64,
    slices: Vec<Part>,
    /// Latencies of requests of which it is not known when they were planned.
    at_no_time: BinnedLatencies,
}

#[derive(Debug, Clone, Default)]
struct Part {
    latencies: Bins,
    planned: u64,
    errors: u64,
    max: u64,
}

// === impl Slices ===

impl Slices {
    /// Adds a request; `latency` if it has one.
    pub(crate) fn record(&mut self, planned_ns: u64, latency: Option<u64>, failed: bool) {
        let mut index = planned_ns / self.width;
        while index >= MOST as u64 {
            self.halve();
            index = planned_ns / self.width;
        }
        let index = index as usize;
        if self.slices.len() <= index {
            self.slices.resize_with(index + 1, Part::default);
        }
        let part = &mut self.slices[index];
        part.planned += 1;
        part.errors += u64::from(failed);
        if let Some(latency) = latency {
            part.latencies.add(latency);
            part.max = part.max.max(latency);
        }
    }

    /// Adds latencies without times: they are in the whole, and in no slice.
    pub(crate) fn add_at_no_time(&mut self, latencies: &BinnedLatencies) {
        self.at_no_time.absorb(latencies);
    }

    /// Whether nothing has a latency.
    pub(crate) fn is_empty(&self) -> bool {
        self.slices.iter().all(|part| part.latencies.is_empty()) && self.at_no_time.bins.is_empty()
    }

    /// The latencies, a block a slice; those without times are one more.
    pub(crate) fn latencies(&self) -> BlockLatencies {
        let mut latencies = BlockLatencies::default();
        let slices = self.slices.iter().map(|part| (&part.latencies, part.max));
        let parts = slices.chain([(&self.at_no_time.bins, self.at_no_time.max_ns)]);
        for (bins, max) in parts.filter(|(bins, _)| !bins.is_empty()) {
            // The largest is known exactly, and stands for one of its bin.
            let mut bins: Vec<(u64, u32)> = bins.iter().collect();
            if let Some((_, count)) = bins.last_mut() {
                *count -= 1;
            }
            let binned = bins.into_iter().map(|(middle, count)| (middle.min(max), u64::from(count)));
            latencies.push_counts(binned.chain([(max, 1)]));
        }
        latencies
    }

    /// All latencies with their counts, the shortest first.
    pub(crate) fn distribution(&self) -> Vec<(u64, u64)> {
        // The middle of the last bin may lie above all that is in it.
        let max = self.slices.iter().map(|part| part.max).max().unwrap_or(0).max(self.at_no_time.max_ns);
        let mut all: BTreeMap<u64, u64> = BTreeMap::new();
        let in_slices = self.slices.iter().flat_map(|part| part.latencies.iter());
        for (middle, count) in in_slices.chain(self.at_no_time.bins.iter()) {
            *all.entry(middle.min(max)).or_default() += u64::from(count);
        }
        all.into_iter().collect()
    }

    /// Slice by slice, for the picture.
    pub(crate) fn timeline(&self) -> Vec<Slice> {
        let of = |(index, part): (usize, &Part)| {
            let sorted: Vec<(u64, u32)> = part.latencies.iter().collect();
            Slice {
                start: Duration::from_nanos(index as u64 * self.width),
                length: Duration::from_nanos(self.width),
                planned: part.planned,
                errors: part.errors,
                p50: at(&sorted, 0.5).min(part.max),
                p99: at(&sorted, 0.99).min(part.max),
                max: part.max,
            }
        };
        self.slices.iter().enumerate().map(of).collect()
    }

    /// Bytes that its bins take: a share of them with each latency that falls where none fell before, and never more
    /// than all of them.
    #[cfg(test)]
    fn memory(&self) -> usize {
        self.slices.iter().map(|part| part.latencies.memory()).sum()
    }

    fn halve(&mut self) {
        self.width *= 2;
        let parts = std::mem::take(&mut self.slices);
        let mut parts = parts.into_iter();
        while let Some(mut part) = parts.next() {
            if let Some(next) = parts.next() {
                part.latencies.absorb(&next.latencies);
                part.planned += next.planned;
                part.errors += next.errors;
                part.max = part.max.max(next.max);
            }
            self.slices.push(part);
        }
    }
}

impl Default for Slices {
    fn default() -> Self {
        Self { width: FIRST_WIDTH, slices: Vec::new(), at_no_time: BinnedLatencies::default() }
    }
}

fn at(sorted: &[(u64, u32)], q: f64) -> u64 {
    let total: u64 = sorted.iter().map(|(_, count)| u64::from(*count)).sum();
    let rank = ((q * total as f64).ceil() as u64).max(1);
    let mut cumulative = 0;
    for (middle, count) in sorted {
        cumulative += u64::from(*count);
        if cumulative >= rank {
            return *middle;
        }
    }
    0
}

#[cfg(test)]
mod tests {
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
            slices.memory()
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
}
