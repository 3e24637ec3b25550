//! The principal type is [`Replicates`]: a statistic of one arm, of all units and without each of them.
//!
//! Leaving out one unit at a time tells the standard error of anything that changes smoothly with the data (Tukey 1958;
//! Shao & Tu 1995, *The Jackknife and Bootstrap*, ch. 2), Harrell & Davis's quantiles among them, for which they proposed
//! it themselves. Beside a bootstrap it needs no random numbers, so the same data always give the same interval, and a
//! replicate for each unit instead of two thousand.

/// A statistic with all units, and without each.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Replicates {
    pub(crate) value: f64,
    pub(crate) without: Vec<f64>,
}

impl Replicates {
    /// Σ numerators / Σ denominators, of (numerator, denominator) by unit.
    pub(crate) fn of_ratio(units: &[(f64, f64)]) -> Self {
        let (numerator, denominator) = units.iter().fold((0.0, 0.0), |(n, d), (a, b)| (n + a, d + b));
        let without = units.iter().map(|(n, d)| (numerator - n) / (denominator - d)).collect();
        Self { value: numerator / denominator, without }
    }

    /// Σ wᵢ f(replicatesᵢ).
    pub(crate) fn combine(terms: &[(f64, Self)], f: impl Fn(f64) -> f64) -> Self {
        let units = terms.first().map_or(0, |(_, replicates)| replicates.without.len());
        let sum = |of: &dyn Fn(&Self) -> f64| terms.iter().map(|(weight, term)| weight * f(of(term))).sum();
        Self {
            value: sum(&|term| term.value),
            without: (0..units).map(|unit| sum(&|term| term.without[unit])).collect(),
        }
    }

    /// The jackknife's standard error.
    pub(crate) fn standard_error(&self) -> f64 {
        let n = self.without.len() as f64;
        let mean = self.without.iter().sum::<f64>() / n;
        let squares: f64 = self.without.iter().map(|value| (value - mean).powi(2)).sum();
        (squares * (n - 1.0) / n).sqrt()
    }
}

#[cfg(test)]
mod tests;
