//! The principal type is [`Bins`]: the latencies of a block, in narrow bins.

/// Bits of the fraction that bins keep: latencies are rounded to the nearest of 4,096 steps in each power of two,
/// within 0.012 % of the value, far below what any comparison could tell.
const FRACTION_BITS: u32 = 12;
const DROPPED_BITS: u32 = f64::MANTISSA_DIGITS - 1 - FRACTION_BITS;

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

#[cfg(test)]
mod tests;
