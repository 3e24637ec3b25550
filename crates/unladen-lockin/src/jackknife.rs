//! The principal type is [`Replicates`]: a statistic of one arm, of all units and without each of them.
//!
//! Leaving out one unit at a time gives the standard error of anything that changes smoothly with the data (Tukey 1958;
//! Shao & Tu 1995, *The Jackknife and Bootstrap*, ch. 2), including Harrell & Davis's quantiles, as they proposed;
//! leaving out whole units covers dependent requests too. Unlike a bootstrap it needs no random numbers, so the same
//! data always give the same interval, and far fewer replicates.

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Replicates {
    pub(crate) value: f64,
    pub(crate) without: Vec<f64>,
    /// Number of spacings between neighbouring latencies that the standard error rests on; infinite if none.
    pub(crate) spacings: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sum {
    pub(crate) value: f64,
    pub(crate) standard_error: f64,
    /// Of Student's t.
    pub(crate) degrees: f64,
}

impl Replicates {
    /// Σ numerators / Σ denominators, for (numerator, denominator) by unit.
    pub(crate) fn of_ratio(units: &[(f64, f64)]) -> Self {
        let (numerator, denominator) = units.iter().fold((0.0, 0.0), |(n, d), (a, b)| (n + a, d + b));
        let without = units.iter().map(|(n, d)| (numerator - n) / (denominator - d)).collect();
        Self { value: numerator / denominator, without, spacings: f64::INFINITY }
    }

    /// Σ wᵢ f(replicatesᵢ), with the jackknife's standard error.
    ///
    /// The standard error itself varies as that of n units does, with n − 1 degrees of freedom. That of a quantile also
    /// depends on the distances between latencies near it; a mean of k spacings varies by 1/√k (Bloch & Gastwirth 1968,
    /// *Ann. Math. Stat.* 39:1083). Both relative variances are summed, and Student's t has the degrees of freedom for
    /// the sum (Satterthwaite 1946, *Biometrics Bulletin* 2:110). This keeps the interval wide enough for a p99 with a
    /// dozen latencies beyond it.
    pub(crate) fn combine(terms: &[(f64, Self)], f: impl Fn(f64) -> f64) -> Sum {
        let n = terms.first().map_or(0, |(_, replicates)| replicates.without.len());
        let sum = |of: &dyn Fn(&Self) -> f64| -> f64 { terms.iter().map(|(weight, term)| weight * f(of(term))).sum() };
        let without: Vec<f64> = (0..n).map(|unit| sum(&|term| term.without[unit])).collect();
        let n = n as f64;
        let mean = without.iter().sum::<f64>() / n;
        let squares: f64 = without.iter().map(|value| (value - mean).powi(2)).sum();
        let weights: f64 = terms.iter().map(|(weight, _)| weight * weight).sum();
        // The variance is that of all terms, as if alike; each term's share of it errs by 2/√k.
        let of_spacings: f64 =
            terms.iter().map(|(weight, term)| (weight * weight / weights).powi(2) * 4.0 / term.spacings).sum();
        Sum {
            value: sum(&|term| term.value),
            standard_error: (squares * (n - 1.0) / n).sqrt(),
            degrees: 2.0 / (2.0 / (n - 1.0) + of_spacings),
        }
    }
}

#[cfg(test)]
mod tests;
