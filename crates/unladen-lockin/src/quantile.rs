//! The principal type is [`BlockLatencies`]: latencies by block, for quantiles with intervals from resampling blocks.
//!
//! Requests of one block share what the machine did meanwhile, so resampling single requests would make intervals too
//! narrow. Whole blocks are drawn with replacement (Efron & Tibshirani 1993, ch. 8; percentile method).

use std::collections::BTreeMap;

use crate::ratio::mean_ratio;

/// The ends of a 95 % interval are then the 25th smallest and largest, known to about ±5 ranks.
const RESAMPLES: usize = 1_000;

/// Latencies are kept to one part in 2^8 of their power of two: 0.2 % of the value.
const FRACTION_BITS: u32 = 8;

/// A quantile of the latencies, in ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quantile {
    /// The smallest latency that at least this share of requests stays within.
    pub value: u64,
    /// The 95 % interval, or `None` with too few samples.
    pub interval: Option<(u64, u64)>,
}

/// Independent samples needed for an interval of quantile `q`: with fewer, the largest sample is below the quantile too
/// often (probability qⁿ) to bound it from above. 368 for p99.
pub fn samples_needed(q: f64) -> u64 {
    let tail = q.max(1.0 - q);
    ((0.025_f64).ln() / tail.ln()).ceil() as u64
}

/// Latencies by block.
#[derive(Debug, Clone, Default)]
pub struct BlockLatencies {
    /// Sorted bins by block: (latency rounded down, count).
    blocks: Vec<Vec<(u64, u64)>>,
    /// Sum and number of latencies by block.
    sums: Vec<(f64, f64)>,
    count: u64,
    sum: f64,
    sum_of_squares: f64,
    max: u64,
}

impl BlockLatencies {
    /// Adds the latencies (ns) of one block.
    pub fn push_block(&mut self, latencies: impl IntoIterator<Item = u64>) {
        let mut binned: Vec<u64> = Vec::new();
        let before = self.sum;
        for latency in latencies {
            self.count += 1;
            self.sum += latency as f64;
            self.sum_of_squares += (latency as f64).powi(2);
            self.max = self.max.max(latency);
            binned.push(bin(latency));
        }
        self.sums.push((self.sum - before, binned.len() as f64));
        binned.sort_unstable();
        let bins = binned.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64)).collect();
        self.blocks.push(bins);
    }

    /// Adds one block of counted latencies, (ns, count), in memory that does not grow with their number.
    pub fn push_counts(&mut self, counts: impl IntoIterator<Item = (u64, u64)>) {
        let mut bins: BTreeMap<u64, u64> = BTreeMap::new();
        let (mut sum, mut number) = (0.0, 0);
        for (latency, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
            number += count;
            sum += latency as f64 * count as f64;
            self.sum_of_squares += (latency as f64).powi(2) * count as f64;
            self.max = self.max.max(latency);
            *bins.entry(bin(latency)).or_default() += count;
        }
        self.count += number;
        self.sum += sum;
        self.sums.push((sum, number as f64));
        self.blocks.push(bins.into_iter().collect());
    }

    /// Number of requests.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Mean latency, ns; 0 without requests.
    pub fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum / self.count as f64 }
    }

    /// The 95 % interval of the mean, ns; `None` with fewer than [`MIN_BLOCKS`](crate::MIN_BLOCKS) blocks.
    ///
    /// It starts no lower than the smallest latency: with one block far above the others, it would start below zero.
    pub fn mean_interval(&self) -> Option<(f64, f64)> {
        let (sums, counts): (Vec<f64>, Vec<f64>) = self.sums.iter().copied().unzip();
        let least = self.blocks.iter().filter_map(|bins| bins.first()).map(|(latency, _)| *latency).min()? as f64;
        mean_ratio(&sums, &counts).ok().map(|mean| (mean.low.max(least), mean.high))
    }

    /// Standard deviation of the latencies (their spread, not an interval), ns.
    pub fn sd(&self) -> f64 {
        if self.count < 2 {
            return 0.0;
        }
        let n = self.count as f64;
        ((self.sum_of_squares - self.sum.powi(2) / n) / (n - 1.0)).max(0.0).sqrt()
    }

    /// The largest latency, ns.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// The quantiles `qs` (0 … 1) with their intervals; `None` without requests. Deterministic.
    pub fn quantiles(&self, qs: &[f64]) -> Option<Vec<Quantile>> {
        if self.count == 0 {
            return None;
        }
        let table = Table::of(&self.blocks);
        let values = table.at(&vec![1; self.blocks.len()], qs);
        let mut resampled: Vec<Vec<u64>> = vec![Vec::with_capacity(RESAMPLES); qs.len()];
        if self.blocks.len() >= crate::MIN_BLOCKS {
            let mut rng = fastrand::Rng::with_seed(self.count);
            for _ in 0..RESAMPLES {
                let mut drawn = vec![0_u64; self.blocks.len()];
                for _ in 0..drawn.len() {
                    drawn[rng.usize(..self.blocks.len())] += 1;
                }
                for (sink, value) in resampled.iter_mut().zip(table.at(&drawn, qs)) {
                    sink.push(value);
                }
            }
        }
        let quantiles = values.into_iter().zip(qs).zip(resampled).map(|((value, q), mut sample)| {
            sample.sort_unstable();
            let cut = (sample.len() as f64 * crate::signed_rank::ALPHA / 2.0) as usize;
            let carried = self.count >= samples_needed(*q) && !sample.is_empty();
            let interval = carried.then(|| (sample[cut], sample[sample.len() - 1 - cut]));
            Quantile { value, interval }
        });
        Some(quantiles.collect())
    }
}

/// Cumulative counts by block and bin, so that a quantile of any mixture of blocks is found by bisection.
struct Table {
    /// All bins, ascending.
    bins: Vec<u64>,
    /// For each bin, for each block.
    below: Vec<u64>,
    blocks: usize,
}

impl Table {
    fn of(blocks: &[Vec<(u64, u64)>]) -> Self {
        let mut bins: Vec<u64> = blocks.iter().flatten().map(|(bin, _)| *bin).collect();
        bins.sort_unstable();
        bins.dedup();
        let mut below = vec![0; bins.len() * blocks.len()];
        for (block, of_block) in blocks.iter().enumerate() {
            let (mut cumulative, mut rest) = (0, of_block.as_slice());
            for (place, bin) in bins.iter().enumerate() {
                while let Some((_, after)) = rest.split_first().filter(|((first, _), _)| first <= bin) {
                    cumulative += rest[0].1;
                    rest = after;
                }
                below[place * blocks.len() + block] = cumulative;
            }
        }
        Self { bins, below, blocks: blocks.len() }
    }

    /// Quantiles when block `b` counts `drawn[b]` times.
    fn at(&self, drawn: &[u64], qs: &[f64]) -> Vec<u64> {
        let total = self.bins.len().checked_sub(1).map_or(0, |last| self.count(last, drawn));
        let quantile = |q: &f64| {
            let rank = ((q * total as f64).ceil() as u64).clamp(1, total.max(1));
            let (mut low, mut high) = (0, self.bins.len());
            while low < high {
                let middle = low.midpoint(high);
                if self.count(middle, drawn) < rank { low = middle + 1 } else { high = middle }
            }
            self.bins.get(low).copied().unwrap_or(0)
        };
        qs.iter().map(quantile).collect()
    }

    fn count(&self, place: usize, drawn: &[u64]) -> u64 {
        let row = &self.below[place * self.blocks..(place + 1) * self.blocks];
        row.iter().zip(drawn).map(|(below, drawn)| below * drawn).sum()
    }
}

fn bin(latency: u64) -> u64 {
    let shift = (64 - latency.leading_zeros()).saturating_sub(FRACTION_BITS + 1);
    latency >> shift << shift
}

#[cfg(test)]
mod tests;
