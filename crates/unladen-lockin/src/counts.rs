//! The principal type is [`Counts`]: one counter of one arm, block by block.

use crate::block::Phase;
use crate::contrast::{CannotCompare, Contrast, Scale, combine, units};
use crate::estimate::MIN_BLOCKS;
use crate::ratio::{p_value_of_zero, ratio};
use crate::sample::Measure;
use crate::units::{Layout, Replicates, Units};
use crate::weight::OWN;

/// One counter of one arm, by restart and block: its growth, requests and duration, summed over the arm's phases.
///
/// As with [`Observations`](crate::Observations), all arms have the same blocks; one without requests is left out of
/// all.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    layout: Layout,
    blocks: Vec<Phase>,
    /// Number of arms pooled into this one, beyond itself.
    others: usize,
}

impl Counts {
    /// No blocks yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts a new restart for the following blocks.
    pub fn begin_restart(&mut self) {
        self.layout.begin_restart();
    }

    /// Adds the counter's growth over all phases of one block.
    pub fn push_block(&mut self, phases: Phase) {
        self.blocks.push(phases);
        self.layout.push_block();
    }

    /// The sum of arms, block by block; a block without requests in one of the `arms` is empty.
    #[must_use]
    pub fn pooled(arms: &[&Self]) -> Self {
        let Some(first) = arms.first() else { return Self::new() };
        let blocks = (0..first.blocks.len())
            .map(|index| {
                if !arms.iter().all(|arm| arm.has_requests(index)) {
                    return Phase::default();
                }
                arms.iter().map(|arm| arm.blocks[index]).fold(Phase::default(), |sum, phase| Phase {
                    duration_ns: sum.duration_ns + phase.duration_ns,
                    requests: sum.requests + phase.requests,
                    count: sum.count + phase.count,
                })
            })
            .collect();
        let others = arms.iter().map(|arm| arm.others + 1).sum::<usize>() - 1;
        Self { layout: first.layout.clone(), blocks, others }
    }

    fn has_requests(&self, block: usize) -> bool {
        self.blocks.get(block).is_some_and(|phase| phase.requests > 0)
    }

    /// Growth beyond that of an idle phase as long.
    fn excess(&self, block: usize, idle: Option<&Self>) -> f64 {
        let phase = self.blocks[block];
        let rate = idle.map_or(0.0, |idle| {
            let idle = idle.blocks[block];
            if idle.duration_ns == 0 { 0.0 } else { idle.count / idle.duration_ns as f64 }
        });
        phase.count - rate * phase.duration_ns as f64
    }
}

/// Compares one counter per request between arms: `terms` as for [`contrast`](crate::contrast()), `idle` the same
/// counter in phases without requests of the same blocks (its requests are ignored).
///
/// Without `idle`, the difference is of growth per request. Phases of all arms are equally long and have equally many
/// requests, so a background cancels. With `idle`, each arm's background is subtracted first, at the rate of the
/// block's idle phases: that corrects for phases of unequal length, and makes the figures weights, which can have
/// ratios too.
///
/// With a known background, a difference of blocks is estimated by the median over pairs of blocks, as weights are (see
/// `docs/concepts/lock-in.md`); else it is that of the ratios of sums.
///
/// Fails with [`CannotCompare`]; ratios need counts above zero.
pub fn contrast_counts(
    terms: &[(f64, &Counts)],
    idle: Option<&Counts>,
    scale: Scale,
) -> Result<Contrast, CannotCompare> {
    if idle.is_some_and(|idle| terms.iter().any(|(_, arm)| !idle.layout.is_aligned_with(&arm.layout))) {
        return Err(CannotCompare::NotAligned);
    }
    let units = units(terms, |arm| &arm.layout, |arm, block| arm.has_requests(block))?;
    // For each term, growth and requests by unit.
    let sums: Vec<(f64, Vec<(f64, f64)>)> = terms
        .iter()
        .map(|(weight, arm)| {
            let mut of_units = vec![(0.0, 0.0); units.count()];
            for (block, unit) in units.blocks() {
                of_units[unit].0 += arm.excess(block, idle);
                of_units[unit].1 += arm.blocks[block].requests as f64;
            }
            (*weight, of_units)
        })
        .collect();
    let replicates: Vec<(f64, Replicates)> =
        sums.iter().map(|(weight, of_units)| (*weight, Replicates::of_ratio(of_units))).collect();
    let footing = terms.iter().map(|(weight, arm)| weight * weight / (arm.others + 1) as f64).sum();
    let plain = Contrast { terms: footing, ..combine(&replicates, &units, scale, Measure::Count)? };
    let has_background = idle.is_some_and(|idle| background_share(terms, idle, &units) > OWN);
    if scale == Scale::Ratio || !has_background || units.count() < MIN_BLOCKS {
        return Ok(plain);
    }
    Ok(robust(&sums, plain))
}

/// The background's growth relative to that by requests, in the arm where it is largest.
fn background_share(terms: &[(f64, &Counts)], idle: &Counts, units: &Units) -> f64 {
    terms
        .iter()
        .map(|(_, arm)| {
            let (all, own) = units.blocks().fold((0.0, 0.0), |(all, own), (block, _)| {
                (all + arm.blocks[block].count, own + arm.excess(block, Some(idle)))
            });
            if own > 0.0 { (all - own) / own } else { f64::INFINITY }
        })
        .fold(0.0, f64::max)
}

/// The median over pairs of units of their difference per request, with the interval of the signed-rank test.
fn robust(sums: &[(f64, Vec<(f64, f64)>)], plain: Contrast) -> Contrast {
    let (numerators, denominators): (Vec<f64>, Vec<f64>) = (0..plain.units)
        .map(|unit| {
            let requests = sums.iter().map(|(_, of_units)| of_units[unit].1).sum::<f64>() / sums.len() as f64;
            let difference: f64 = sums.iter().map(|(weight, units)| weight * units[unit].0 / units[unit].1).sum();
            (requests * difference, requests)
        })
        .unzip();
    let Ok(estimate) = ratio(&numerators, &denominators) else { return plain };
    Contrast {
        value: estimate.value,
        low: estimate.low,
        high: estimate.high,
        p_value: p_value_of_zero(&numerators),
        ..plain
    }
}

#[cfg(test)]
mod tests;
