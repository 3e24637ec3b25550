//! The principal type is [`Observations`]: the latencies of one arm, block by block.

use crate::harrell_davis::Kernel;
use crate::jackknife::Replicates;
use crate::quantile::samples_needed;
use crate::statistic::Statistic;
use crate::units::{Layout, Units};

/// Bits of the fraction that bins keep: latencies are rounded to the nearest of 4,096 steps in each power of two, within
/// 0.012 % of the value, far below what any comparison could tell.
const FRACTION_BITS: u32 = 12;
/// Bits of an `f64`'s fraction that are rounded off.
const DROPPED_BITS: u32 = f64::MANTISSA_DIGITS - 1 - FRACTION_BITS;

/// The latencies of one arm, by restart and block.
///
/// They are kept as counts of narrow bins: ten million take as many bytes as there are distinct bins in each block, at
/// most some 8 bytes a latency, far less where blocks are large.
///
/// All arms of an experiment have to be filled alike: each restart and each block in all of them, if need be with no
/// latencies (such a block is then left out of all arms). What is compared is then paired: the blocks of one moment.
///
/// ```
/// use unladen_lockin::{Observations, Statistic};
///
/// let mut arm = Observations::new();
/// arm.push_block((1..=100).map(|ms| ms * 1_000_000));
/// arm.push_block((1..=100).map(|ms| ms * 1_000_000));
/// let median = arm.value(Statistic::Quantile(0.5)).unwrap();
/// assert!((median / 50.5e6 - 1.0).abs() < 0.001);
/// assert_eq!(arm.value(Statistic::Within(25_000_000)), Some(0.25));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Observations {
    layout: Layout,
    blocks: Vec<Bins>,
    /// How many arms were pooled into this one, beyond itself.
    others: usize,
}

/// The latencies of a block.
#[derive(Debug, Clone, Default)]
struct Bins {
    /// Sorted: (bin, count).
    bins: Vec<(u32, u32)>,
    count: u64,
    /// Exact, ns.
    sum: f64,
}

impl Observations {
    /// Without any.
    pub fn new() -> Self {
        Self::default()
    }

    /// The blocks that follow belong to a new restart. Without a call all blocks belong to one.
    pub fn begin_restart(&mut self) {
        self.layout.begin_restart();
    }

    /// Adds the latencies (ns) of one block.
    pub fn push_block(&mut self, latencies: impl IntoIterator<Item = u64>) {
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
        self.blocks.push(Bins { bins, count: binned.len() as u64, sum });
        self.layout.push_block();
    }

    /// The union of arms, block by block: the baseline and the baseline again, say. Blocks that one of the `arms` lacks
    /// are empty.
    #[must_use]
    pub fn pooled(arms: &[&Self]) -> Self {
        let Some(first) = arms.first() else { return Self::new() };
        let blocks = first.layout.blocks();
        let blocks = (0..blocks)
            .map(|index| {
                let of_arms: Vec<&Bins> = arms.iter().filter_map(|arm| arm.blocks.get(index)).collect();
                let is_whole = of_arms.len() == arms.len() && of_arms.iter().all(|bins| bins.count > 0);
                if is_whole { Bins::union(&of_arms) } else { Bins::default() }
            })
            .collect();
        let others = arms.iter().map(|arm| arm.others + 1).sum::<usize>() - 1;
        Self { layout: first.layout.clone(), blocks, others }
    }

    /// Latencies.
    pub fn count(&self) -> u64 {
        self.blocks.iter().map(|block| block.count).sum()
    }

    /// Blocks, those without latencies included.
    pub fn blocks(&self) -> usize {
        self.layout.blocks()
    }

    /// Restarts that have blocks.
    pub fn restarts(&self) -> usize {
        self.layout.restarts()
    }

    /// The statistic of all latencies: ns, or a share; `None` without latencies.
    pub fn value(&self, statistic: Statistic) -> Option<f64> {
        let units = Units::all_in_one(self.blocks.len());
        (self.count() > 0).then(|| self.replicates(statistic, &units).value)
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// How many arms it is made of.
    pub(crate) fn arms(&self) -> usize {
        self.others + 1
    }

    pub(crate) fn has_latencies(&self, block: usize) -> bool {
        self.blocks.get(block).is_some_and(|bins| bins.count > 0)
    }

    /// Latencies in the blocks of these units, and how many the statistic needs.
    pub(crate) fn carried(&self, statistic: Statistic, units: &Units) -> (u64, u64) {
        let count = units.blocks().map(|(block, _)| self.blocks[block].count).sum();
        let needed = if let Statistic::Quantile(q) = statistic { samples_needed(q) } else { 1 };
        (count, needed)
    }

    /// The statistic of all units, and without each.
    pub(crate) fn replicates(&self, statistic: Statistic, units: &Units) -> Replicates {
        match statistic {
            Statistic::Mean => self.shares(units, |bins| bins.sum),
            Statistic::Within(ns) => {
                let limit = bin(ns);
                self.shares(units, |bins| {
                    let within = bins.bins.partition_point(|(bin, _)| *bin <= limit);
                    bins.bins[..within].iter().map(|(_, count)| f64::from(*count)).sum()
                })
            }
            Statistic::Quantile(q) => self.quantiles(q, units),
        }
    }

    /// Σ `sum` / Σ latencies.
    fn shares(&self, units: &Units, sum: impl Fn(&Bins) -> f64) -> Replicates {
        let mut of_units = vec![(0.0, 0.0); units.count()];
        for (block, unit) in units.blocks() {
            let bins = &self.blocks[block];
            of_units[unit].0 += sum(bins);
            of_units[unit].1 += bins.count as f64;
        }
        Replicates::of_ratio(&of_units)
    }

    fn quantiles(&self, q: f64, units: &Units) -> Replicates {
        let mut counts = vec![0_u64; units.count()];
        let (mut least, mut most) = (u32::MAX, 0);
        for (block, unit) in units.blocks() {
            let bins = &self.blocks[block];
            counts[unit] += bins.count;
            least = bins.bins.first().map_or(least, |(bin, _)| least.min(*bin));
            most = bins.bins.last().map_or(most, |(bin, _)| most.max(*bin));
        }
        let total: u64 = counts.iter().sum();
        if total == 0 {
            return Replicates { value: f64::NAN, without: vec![f64::NAN; units.count()] };
        }
        // One kernel for all: what varies when a unit is left out are the latencies, not the way of averaging them.
        let kernel = Kernel::new(total, q);
        let mut dense = vec![0_u64; (most - least) as usize + 1];
        for (block, _) in units.blocks() {
            for &(bin, count) in &self.blocks[block].bins {
                dense[(bin - least) as usize] += u64::from(count);
            }
        }

        // Outside of this region no weight lies, whichever unit is left out.
        let (from, to) = kernel.support();
        let largest = counts.iter().copied().max().unwrap_or(0);
        let (fewest, largest) = ((total - largest) as f64, largest as f64);
        let below = (from * fewest).min(from * total as f64) - 1.0;
        let above = to * fewest + largest + 1.0;
        let (mut first, mut end) = (0, dense.len());
        let (mut before, mut cumulative) = (0, 0_u64);
        for (index, count) in dense.iter().enumerate() {
            if (cumulative + count) as f64 <= below {
                (first, before) = (index + 1, cumulative + count);
            }
            if cumulative as f64 > above {
                end = index;
                break;
            }
            cumulative += count;
        }
        let region: Vec<usize> = (first..end.max(first)).filter(|index| dense[*index] > 0).collect();
        let place: Vec<u32> = {
            let mut place = vec![u32::MAX; end.max(first) - first];
            region.iter().enumerate().for_each(|(at, index)| place[index - first] = at as u32);
            place
        };
        let values: Vec<f64> = region.iter().map(|index| value(least + *index as u32)).collect();
        let pooled: Vec<u64> = region.iter().map(|index| dense[*index]).collect();

        let estimate = |left_out: &[u64], before: u64, total: u64| {
            let mut cumulative = before;
            let (mut sum, mut last) = (0.0, 0.0);
            for ((value, count), left_out) in values.iter().zip(&pooled).zip(left_out) {
                cumulative += count - left_out;
                let weight = kernel.cumulative(cumulative as f64 / total as f64);
                sum += value * (weight - last);
                last = weight;
            }
            sum / last
        };
        let nothing = vec![0; region.len()];
        let value = estimate(&nothing, before, total);
        let mut of_blocks: Vec<Vec<usize>> = vec![Vec::new(); units.count()];
        units.blocks().for_each(|(block, unit)| of_blocks[unit].push(block));
        let mut left_out = nothing;
        let without = of_blocks
            .iter()
            .zip(&counts)
            .map(|(blocks, unit_count)| {
                if *unit_count == total {
                    return f64::NAN;
                }
                left_out.fill(0);
                let mut left_out_before = 0;
                for &(bin, count) in blocks.iter().flat_map(|block| &self.blocks[*block].bins) {
                    let index = (bin - least) as usize;
                    if index < first {
                        left_out_before += u64::from(count);
                    } else if index < end {
                        left_out[place[index - first] as usize] += u64::from(count);
                    }
                }
                estimate(&left_out, before - left_out_before, total - unit_count)
            })
            .collect();
        Replicates { value, without }
    }
}

// === impl Bins ===

impl Bins {
    fn union(of: &[&Self]) -> Self {
        let mut all: Vec<(u32, u32)> = of.iter().flat_map(|bins| bins.bins.iter().copied()).collect();
        all.sort_unstable();
        let bins =
            all.chunk_by(|a, b| a.0 == b.0).map(|run| (run[0].0, run.iter().map(|(_, count)| count).sum())).collect();
        Self { bins, count: of.iter().map(|bins| bins.count).sum(), sum: of.iter().map(|bins| bins.sum).sum() }
    }
}

/// The bin of a latency: the leading bits of its `f64`, which are in order as the latencies are.
fn bin(latency: u64) -> u32 {
    (((latency as f64).to_bits() + (1 << (DROPPED_BITS - 1))) >> DROPPED_BITS) as u32
}

/// The latency in the middle of a bin, ns.
fn value(bin: u32) -> f64 {
    f64::from_bits(u64::from(bin) << DROPPED_BITS)
}

#[cfg(test)]
mod tests;
