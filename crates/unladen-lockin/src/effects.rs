//! Terms of contrasts between several changes: interactions and main effects.

use crate::observations::Observations;

/// Terms of a [`contrast`](crate::contrast) for whether changes add up: with [`Scale::Ratio`](crate::Scale::Ratio) the
/// ratio of all together to the product of the ratios alone (1: they multiply), with
/// [`Scale::Difference`](crate::Scale::Difference) the effect of all together beyond the sum of each (0 ns: they add
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

/// Terms of a [`contrast`](crate::contrast) for a change's average effect over the arms of a factorial design, `with`
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
