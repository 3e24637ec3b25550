//! The principal type is [`Contrast`]: how arms differ, with a 95 % interval.

use crate::estimate::MIN_BLOCKS;
use crate::observations::Observations;
use crate::quantile::samples_needed;
use crate::sample::{Measure, Sample, Statistic};
use crate::signed_rank::ALPHA;
use crate::student;
use crate::units::{Layout, Replicates, Unit, Units};

/// Exact counts of equal arms differ by rounding alone, which without any spread would be significant.
const ROUNDING: f64 = 1e-12;

/// How terms are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// exp Σ w ln s: a ratio; no change is 1.
    Ratio,
    /// Σ w s: a difference in the statistic's unit; no change is 0.
    Difference,
}

impl Scale {
    /// The value of no change.
    pub fn no_change(self) -> f64 {
        match self {
            Self::Ratio => 1.0,
            Self::Difference => 0.0,
        }
    }

    fn inner(self, value: f64) -> f64 {
        if self == Self::Ratio { value.ln() } else { value }
    }

    fn outer(self, value: f64) -> f64 {
        if self == Self::Ratio { value.exp() } else { value }
    }
}

/// How arms differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contrast {
    /// A ratio, or a difference in ns, as a share, or per request.
    pub value: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    pub high: f64,
    /// Two-sided p-value of "no change", before control of false discoveries. At most 5 % exactly if the interval
    /// excludes no change.
    pub p_value: f64,
    pub units: usize,
    pub unit: Unit,
    pub scale: Scale,
    pub measure: Measure,
    /// Σ w² over its arms, pooled ones sharing a weight: its variance in units of one arm's, were all arms alike. 2 for
    /// one arm against another, 1.5 for one against two pooled ones.
    pub terms: f64,
}

/// Why arms cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum CannotCompare {
    /// Too few blocks have data in every arm, and there were no restarts.
    #[error(
        "{blocks} block{} data in every arm are too few for a 95 % interval, {MIN_BLOCKS} are needed: measure longer",
        if *blocks == 1 { " that has" } else { "s that have" }
    )]
    TooFewBlocks { blocks: usize },
    /// An arm has too few latencies for an interval of this quantile.
    #[error(
        "{latencies} latencies are too few for an interval of the {} % quantile, each arm needs {needed}: measure \
         longer",
        quantile * 100.0
    )]
    TooFewLatencies {
        quantile: f64,
        /// In the arm with the fewest.
        latencies: u64,
        /// Per arm, see [`samples_needed`](crate::samples_needed).
        needed: u64,
    },
    /// A ratio needs figures above zero.
    #[error("there is no ratio to a figure that is not above zero")]
    NotPositive,
    /// The arms do not have the same restarts and blocks, or there are no arms.
    #[error("the arms do not have the same restarts and blocks")]
    NotAligned,
}

impl Contrast {
    /// Half of the interval's width: the number after a ±.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// [`half_width`](Self::half_width) as a share of the value: for a ratio its precision; infinite for a difference
    /// of zero.
    pub fn relative_half_width(&self) -> f64 {
        if self.value == 0.0 { f64::INFINITY } else { self.half_width() / self.value.abs() }
    }

    /// Its distance from no change: for a ratio, a share.
    pub fn change(&self) -> f64 {
        self.value - self.scale.no_change()
    }

    /// Whether no change lies outside the interval.
    pub fn excludes_no_change(&self) -> bool {
        let no_change = self.scale.no_change();
        self.low > no_change || self.high < no_change
    }

    /// Whether the whole interval lies within no change ± `margin`.
    pub fn is_within(&self, margin: f64) -> bool {
        let no_change = self.scale.no_change();
        self.low >= no_change - margin && self.high <= no_change + margin
    }
}

/// Compares arms by the weighted sum of a statistic, or of its logarithm: in an ordinary comparison, see [`compare`],
/// the candidate has weight 1 and the baseline −1. Units are left out of all arms together, so what the arms of a block
/// or a restart share does not widen the interval.
///
/// Units are the restarts if there are two or more, else the blocks. Few restarts are few degrees of freedom: with two,
/// Student's t is 12.7, with five 2.8, and the interval is as wide.
///
/// ```
/// use unladen_lockin::{Observations, Scale, Statistic, contrast};
///
/// let mut rng = fastrand::Rng::with_seed(1);
/// let (mut baseline, mut candidate) = (Observations::new(), Observations::new());
/// for _block in 0..20 {
///     baseline.push_block((0..100).map(|_| rng.u64(10_000_000..20_000_000)));
///     candidate.push_block((0..100).map(|_| rng.u64(11_000_000..22_000_000)));
/// }
/// let slower = contrast(&[(1.0, &candidate), (-1.0, &baseline)], Statistic::Mean, Scale::Ratio)?;
/// assert!(slower.low < 1.1 && 1.1 < slower.high && slower.p_value < 0.001);
/// let by_ns = contrast(&[(1.0, &candidate), (-1.0, &baseline)], Statistic::Mean, Scale::Difference)?;
/// assert!(by_ns.low < 1.5e6 && 1.5e6 < by_ns.high);
/// # Ok::<(), unladen_lockin::CannotCompare>(())
/// ```
///
/// Fails with [`CannotCompare`].
pub fn contrast(terms: &[(f64, &Observations)], statistic: Statistic, scale: Scale) -> Result<Contrast, CannotCompare> {
    let units = units(terms, |arm| arm.layout(), |arm, block| arm.has_latencies(block))?;
    let samples: Vec<(f64, Sample<'_>)> = terms
        .iter()
        .flat_map(|(weight, arm)| {
            let of_arms = arm.samples(&units);
            let weight = weight / of_arms.len() as f64;
            of_arms.into_iter().map(move |sample| (weight, sample))
        })
        .collect();
    if let Statistic::Quantile(quantile) = statistic {
        let latencies = samples.iter().map(|(_, sample)| sample.count()).min().unwrap_or(0);
        let needed = samples_needed(quantile);
        if latencies < needed {
            return Err(CannotCompare::TooFewLatencies { quantile, latencies, needed });
        }
    }
    let replicates: Vec<(f64, Replicates)> =
        samples.iter().map(|(weight, sample)| (*weight, sample.replicates(statistic))).collect();
    combine(&replicates, &units, scale, statistic.measure())
}

/// The candidate as a ratio of the baseline: above 1, its latencies are longer. Fails as [`contrast`] does.
pub fn compare(
    candidate: &Observations,
    baseline: &Observations,
    statistic: Statistic,
) -> Result<Contrast, CannotCompare> {
    contrast(&[(1.0, candidate), (-1.0, baseline)], statistic, Scale::Ratio)
}

pub(crate) fn units<T>(
    terms: &[(f64, &T)],
    layout: impl Fn(&T) -> &Layout,
    has_data: impl Fn(&T, usize) -> bool,
) -> Result<Units, CannotCompare> {
    let Some((_, first)) = terms.first() else { return Err(CannotCompare::NotAligned) };
    if !terms.iter().all(|(_, arm)| layout(arm).is_aligned_with(layout(first))) {
        return Err(CannotCompare::NotAligned);
    }
    let units = layout(first).units(|block| terms.iter().all(|(_, arm)| has_data(arm, block)));
    if units.unit == Unit::Block && units.count() < MIN_BLOCKS {
        return Err(CannotCompare::TooFewBlocks { blocks: units.count() });
    }
    Ok(units)
}

pub(crate) fn combine(
    replicates: &[(f64, Replicates)],
    units: &Units,
    scale: Scale,
    measure: Measure,
) -> Result<Contrast, CannotCompare> {
    let figures = replicates.iter().flat_map(|(_, of)| of.without.iter().chain([&of.value]));
    if scale == Scale::Ratio && !figures.copied().all(|figure| figure > 0.0) {
        return Err(CannotCompare::NotPositive);
    }
    let mut sum = Replicates::combine(replicates, |value| scale.inner(value));
    let largest = replicates.iter().map(|(weight, of)| (weight * of.value).abs()).fold(0.0, f64::max);
    if sum.value.abs() < ROUNDING * if scale == Scale::Ratio { 1.0 } else { largest } {
        sum.value = 0.0;
    }
    let margin =
        if sum.standard_error > 0.0 { student::critical(ALPHA, sum.degrees) * sum.standard_error } else { 0.0 };
    Ok(Contrast {
        value: scale.outer(sum.value),
        low: scale.outer(sum.value - margin),
        high: scale.outer(sum.value + margin),
        p_value: if sum.value == 0.0 { 1.0 } else { student::p_value(sum.value / sum.standard_error, sum.degrees) },
        units: units.count(),
        unit: units.unit,
        scale,
        measure,
        terms: replicates.iter().map(|(weight, _)| weight * weight).sum(),
    })
}

/// Terms of a [`contrast`](contrast()) for whether changes add up: with [`Scale::Ratio`] the
/// ratio of all together to the product of the ratios alone (1: they multiply), with
/// [`Scale::Difference`] the effect of all together beyond the sum of each (0 ns: they add
/// up).
pub fn interaction<'a>(
    all: &'a Observations,
    alone: &[&'a Observations],
    baseline: &'a Observations,
) -> Vec<(f64, &'a Observations)> {
    let mut terms = vec![(1.0, all), (alone.len() as f64 - 1.0, baseline)];
    terms.extend(alone.iter().map(|arm| (-1.0, *arm)));
    terms
}

/// Terms of a [`contrast`](contrast()) for a change's average effect over the arms of a factorial design, `with`
/// it and `without` it.
pub fn main_effect<'a>(with: &[&'a Observations], without: &[&'a Observations]) -> Vec<(f64, &'a Observations)> {
    let mean = |arms: &[&'a Observations], sign: f64| {
        let weight = sign / arms.len() as f64;
        arms.iter().map(move |arm| (weight, *arm)).collect::<Vec<_>>()
    };
    [mean(with, 1.0), mean(without, -1.0)].concat()
}

#[cfg(test)]
mod tests;
