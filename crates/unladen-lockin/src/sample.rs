//! The principal type is [`Sample`]: latencies by unit, and their statistics ([`Statistic`]) with all units and without each.

use crate::harrell_davis::Kernel;
use crate::units::Replicates;

pub(crate) struct Sample<'a> {
    units: usize,
    /// (unit, block)
    blocks: Vec<(usize, &'a Bins)>,
}

/// The bins near a quantile, of all units together.
struct Region {
    /// Range of its dense bins.
    from: usize,
    to: usize,
    before: u64,
    /// For each dense bin of the region, its place among the non-empty ones.
    places: Vec<u32>,
    /// For each non-empty bin: ns, and latencies.
    values: Vec<f64>,
    counts: Vec<u64>,
}

impl<'a> Sample<'a> {
    /// From blocks with the number of their unit, which is below `units`.
    pub(crate) fn new(units: usize, blocks: Vec<(usize, &'a Bins)>) -> Self {
        Self { units, blocks }
    }

    pub(crate) fn count(&self) -> u64 {
        self.blocks.iter().map(|(_, bins)| bins.count).sum()
    }

    pub(crate) fn replicates(&self, statistic: Statistic) -> Replicates {
        match statistic {
            Statistic::Mean => self.ratio(|bins| bins.sum),
            Statistic::Within(ns) => self.ratio(|bins| bins.within(ns) as f64),
            Statistic::Quantile(q) => self.quantile(q),
        }
    }

    /// Σ `sum` / Σ latencies.
    fn ratio(&self, sum: impl Fn(&Bins) -> f64) -> Replicates {
        let mut of_units = vec![(0.0, 0.0); self.units];
        for &(unit, bins) in &self.blocks {
            of_units[unit].0 += sum(bins);
            of_units[unit].1 += bins.count as f64;
        }
        Replicates::of_ratio(&of_units)
    }

    fn quantile(&self, q: f64) -> Replicates {
        let mut of_units: Vec<(u64, Vec<&Bins>)> = vec![(0, Vec::new()); self.units];
        for &(unit, bins) in &self.blocks {
            of_units[unit].0 += bins.count;
            of_units[unit].1.push(bins);
        }
        let total = self.count();
        // One kernel for all: leaving out a unit varies the latencies, not the way of averaging them.
        let kernel = Kernel::new(total, q);
        let most_left_out = of_units.iter().map(|(count, _)| *count).max().unwrap_or(0);
        let Some((least, dense)) = self.dense() else {
            return Replicates::of_ratio(&vec![(0.0, 0.0); self.units]);
        };
        let region = Region::new(&dense, least, kernel.support(), total, most_left_out);
        let mut left_out = vec![0; region.values.len()];
        let value = region.estimate(&kernel, &left_out, 0, total);
        let without = of_units
            .iter()
            .map(|(count, blocks)| {
                left_out.fill(0);
                let mut left_out_before = 0;
                for &(bin, count) in blocks.iter().flat_map(|bins| &bins.bins) {
                    let offset = (bin - least) as usize;
                    if offset < region.from {
                        left_out_before += u64::from(count);
                    } else if offset < region.to {
                        left_out[region.places[offset - region.from] as usize] += u64::from(count);
                    }
                }
                region.estimate(&kernel, &left_out, left_out_before, total - count)
            })
            .collect();
        Replicates { value, without, spacings: kernel.spacings() }
    }

    /// The first bin, and the latencies in it and each following bin, up to the last.
    fn dense(&self) -> Option<(u32, Vec<u64>)> {
        let ends = || self.blocks.iter().filter_map(|(_, bins)| Some((bins.bins.first()?.0, bins.bins.last()?.0)));
        let (least, most) = (ends().map(|(first, _)| first).min()?, ends().map(|(_, last)| last).max()?);
        let mut dense = vec![0; (most - least) as usize + 1];
        for &(bin, count) in self.blocks.iter().flat_map(|(_, bins)| &bins.bins) {
            dense[(bin - least) as usize] += u64::from(count);
        }
        Some((least, dense))
    }
}

impl Region {
    /// The bins with all the weight, whichever unit is left out.
    fn new(dense: &[u64], least: u32, support: (f64, f64), total: u64, most_left_out: u64) -> Self {
        let fewest = (total - most_left_out) as f64;
        // Without a unit, the share below a bin is (below − those of the unit) / (total − those of the unit).
        let below = support.0 * fewest - 1.0;
        let above = support.1 * fewest + most_left_out as f64 + 1.0;
        let above = above.max(support.1 * total as f64 + 1.0);
        let (mut from, mut before, mut cumulative) = (0, 0, 0);
        let mut to = dense.len();
        for (offset, count) in dense.iter().enumerate() {
            if cumulative as f64 > above {
                to = offset;
                break;
            }
            cumulative += count;
            if cumulative as f64 <= below {
                (from, before) = (offset + 1, cumulative);
            }
        }
        let mut region =
            Self { from, to, before, places: Vec::with_capacity(to - from), values: Vec::new(), counts: Vec::new() };
        for (offset, count) in dense[from..to].iter().enumerate() {
            region.places.push(region.values.len() as u32);
            if *count > 0 {
                region.values.push(value(least + (from + offset) as u32));
                region.counts.push(*count);
            }
        }
        region
    }

    /// The estimate of Harrell & Davis without some latencies: in each bin, and below all of them.
    fn estimate(&self, kernel: &Kernel, left_out: &[u64], left_out_before: u64, total: u64) -> f64 {
        let mut cumulative = self.before - left_out_before;
        let (mut sum, mut last) = (0.0, 0.0);
        for ((value, count), left_out) in self.values.iter().zip(&self.counts).zip(left_out) {
            cumulative += count - left_out;
            let weight = kernel.cumulative(cumulative as f64 / total as f64);
            sum += value * (weight - last);
            last = weight;
        }
        // `last` is 1 except for what lies beyond the kernel's reach.
        sum / last
    }
}

/// Bits of the fraction that bins keep: latencies are rounded to the nearest of 4,096 steps in each power of two,
/// within 0.012 % of the value, far below what any comparison could tell.
const FRACTION_BITS: u32 = 12;
const DROPPED_BITS: u32 = f64::MANTISSA_DIGITS - 1 - FRACTION_BITS;

/// The latencies of a block, in narrow bins.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bins {
    /// Sorted: (bin, count).
    pub(crate) bins: Vec<(u32, u32)>,
    pub(crate) count: u64,
    /// Exact, ns.
    pub(crate) sum: f64,
}

impl Bins {
    pub(crate) fn of(latencies: impl IntoIterator<Item = u64>) -> Self {
        let mut sum = 0.0;
        let mut binned: Vec<u32> = latencies
            .into_iter()
            .map(|latency| {
                sum += latency as f64;
                bin(latency)
            })
            .collect();
        binned.sort_unstable();
        let bins = binned.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32)).collect();
        Self { bins, count: binned.len() as u64, sum }
    }

    /// Number of latencies of at most `ns`.
    pub(crate) fn within(&self, ns: u64) -> u64 {
        let limit = bin(ns);
        let within = self.bins.partition_point(|(bin, _)| *bin <= limit);
        self.bins[..within].iter().map(|(_, count)| u64::from(*count)).sum()
    }
}

/// The leading bits of the latency's `f64`, which sort like the latencies.
pub(crate) fn bin(latency: u64) -> u32 {
    (((latency as f64).to_bits() + (1 << (DROPPED_BITS - 1))) >> DROPPED_BITS) as u32
}

/// The latency in the middle of a bin, ns.
pub(crate) fn value(bin: u32) -> f64 {
    f64::from_bits(u64::from(bin) << DROPPED_BITS)
}

/// The compared statistic of an arm's latencies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Statistic {
    /// The mean, ns.
    Mean,
    /// A quantile (above 0, below 1) by the estimate of Harrell & Davis, ns.
    Quantile(f64),
    /// The share of requests within so many ns; the limit is as sharp as the bins, 0.012 %.
    Within(u64),
}

/// The kind of a figure, which decides the words for its changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// A time: less is faster.
    Latency,
    /// A share of requests within a time: more is faster.
    Share,
    /// A count per request: less or more.
    Count,
}

impl Statistic {
    /// The kind of its figures.
    pub fn measure(self) -> Measure {
        match self {
            Self::Mean | Self::Quantile(_) => Measure::Latency,
            Self::Within(_) => Measure::Share,
        }
    }
}

#[cfg(test)]
mod tests;
