//! The principal type is [`Observations`]: the latencies of one arm, block by block.

use crate::sample::{Bins, Sample, Statistic};
use crate::units::{Layout, Units};

/// The latencies of one arm, by restart and block.
///
/// They are kept as counts of narrow bins (0.024 %): at most 8 bytes a latency, far less for large blocks.
///
/// All arms of an experiment have to be filled alike: each restart and each block in all of them, if need be with no
/// latencies (such a block is then left out of all arms), so that blocks of the same moment are compared.
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
#[derive(Debug, Clone)]
pub struct Observations {
    layout: Layout,
    /// The blocks of each pooled arm: one unless pooled.
    arms: Vec<Vec<Bins>>,
}

impl Observations {
    /// No blocks yet.
    pub fn new() -> Self {
        Self { layout: Layout::default(), arms: vec![Vec::new()] }
    }

    /// Starts a new restart for the following blocks. Without a call all blocks belong to one.
    pub fn begin_restart(&mut self) {
        self.layout.begin_restart();
    }

    /// Adds the latencies (ns) of one block.
    pub fn push_block(&mut self, latencies: impl IntoIterator<Item = u64>) {
        let mut latencies = Some(Bins::of(latencies));
        // Pooled arms take no more blocks; in the others the block is empty, so that it does not count.
        self.arms.iter_mut().for_each(|arm| arm.push(latencies.take().unwrap_or_default()));
        self.layout.push_block();
    }

    /// Pools equal arms, such as the baseline and the baseline again.
    ///
    /// Its [`value`](Self::value) is that of all latencies. In a contrast each arm keeps its own estimate, and they
    /// count equally: an estimate from twice as many latencies would have another bias where they are few (p99), and
    /// two equal arms would seem to differ.
    #[must_use]
    pub fn pooled(arms: &[&Self]) -> Self {
        let Some(first) = arms.first() else { return Self::new() };
        let layout = if arms.iter().all(|arm| arm.layout.is_aligned_with(&first.layout)) {
            first.layout.clone()
        } else {
            Layout::default()
        };
        Self { layout, arms: arms.iter().flat_map(|arm| arm.arms.iter().cloned()).collect() }
    }

    /// Number of latencies.
    pub fn count(&self) -> u64 {
        self.arms.iter().flatten().map(|block| block.count).sum()
    }

    /// Blocks, including those without latencies.
    pub fn blocks(&self) -> usize {
        self.layout.blocks()
    }

    /// Restarts with blocks.
    pub fn restarts(&self) -> usize {
        self.layout.restarts()
    }

    /// The statistic of all latencies: ns, or a share; `None` without latencies.
    pub fn value(&self, statistic: Statistic) -> Option<f64> {
        let all = self.arms.iter().flatten().map(|bins| (0, bins)).collect();
        (self.count() > 0).then(|| Sample::new(1, all).replicates(statistic).value)
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(crate) fn has_latencies(&self, block: usize) -> bool {
        self.arms.iter().all(|arm| arm.get(block).is_some_and(|bins| bins.count > 0))
    }

    pub(crate) fn samples(&self, units: &Units) -> Vec<Sample<'_>> {
        self.arms
            .iter()
            .map(|arm| Sample::new(units.count(), units.blocks().map(|(block, unit)| (unit, &arm[block])).collect()))
            .collect()
    }
}

impl Default for Observations {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests;
