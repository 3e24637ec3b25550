//! The principal type is [`Slices`]: latencies by slices of time, in bounded memory for any length.

use std::collections::BTreeMap;

use unladen_load::{BinnedLatencies, Bins};
use unladen_lockin::BlockLatencies;
use unladen_report::Slice;

/// Most slices; beyond, neighbours are merged.
const MOST: usize = 64;

/// Initial width of a slice, ns: a load of a tenth of a second has enough slices for an interval. From a third of a
/// second on slices are wider, and there are 32 to 64 of them.
const FIRST_WIDTH: u64 = 5_000_000;

/// Latencies by planned time. The slices are the blocks of the intervals: requests sent together share what the machine
/// did meanwhile.
#[derive(Debug, Clone)]
pub(crate) struct Slices {
    width: u64,
    slices: Vec<Part>,
    /// Latencies of requests with unknown planned time.
    at_no_time: BinnedLatencies,
}

#[derive(Debug, Clone, Default)]
struct Part {
    latencies: Bins,
    planned: u64,
    errors: u64,
    max: u64,
}

impl Slices {
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

    /// Adds latencies without times: they are in the total, but in no slice.
    pub(crate) fn add_at_no_time(&mut self, latencies: &BinnedLatencies) {
        self.at_no_time.absorb(latencies);
    }

    /// The latencies, one block per slice, and one for those without times.
    pub(crate) fn latencies(&self) -> BlockLatencies {
        let mut latencies = BlockLatencies::default();
        let slices = self.slices.iter().map(|part| (&part.latencies, part.max));
        let parts = slices.chain([(&self.at_no_time.bins, self.at_no_time.max_ns)]);
        for (bins, max) in parts.filter(|(bins, _)| !bins.is_empty()) {
            // The largest is known exactly, and replaces one of its bin.
            let mut bins: Vec<(u64, u32)> = bins.iter().collect();
            if let Some((_, count)) = bins.last_mut() {
                *count -= 1;
            }
            let binned = bins.into_iter().map(|(middle, count)| (middle.min(max), u64::from(count)));
            latencies.push_counts(binned.chain([(max, 1)]));
        }
        latencies
    }

    pub(crate) fn distribution(&self) -> Vec<(u64, u64)> {
        // The middle of the last bin may lie above all its values.
        let max = self.slices.iter().map(|part| part.max).max().unwrap_or(0).max(self.at_no_time.max_ns);
        let mut all: BTreeMap<u64, u64> = BTreeMap::new();
        let in_slices = self.slices.iter().flat_map(|part| part.latencies.iter());
        for (middle, count) in in_slices.chain(self.at_no_time.bins.iter()) {
            *all.entry(middle.min(max)).or_default() += u64::from(count);
        }
        all.into_iter().collect()
    }

    pub(crate) fn timeline(&self) -> Vec<Slice> {
        let of = |(index, part): (usize, &Part)| {
            let sorted: Vec<(u64, u32)> = part.latencies.iter().collect();
            Slice {
                start_ns: index as u64 * self.width,
                length_ns: self.width,
                planned: part.planned,
                errors: part.errors,
                p50: at(&sorted, 0.5).min(part.max),
                p99: at(&sorted, 0.99).min(part.max),
                max: part.max,
            }
        };
        self.slices.iter().enumerate().map(of).collect()
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
mod tests;
