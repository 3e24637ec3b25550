//! The principal type is [`Units`]: what is left out as a whole to see how much an estimate varies.

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// By block.
    restarts: Vec<u32>,
    begun: u32,
}

/// The independent units of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Unit {
    /// Everything ran in one start of the services: units are balanced, randomly ordered groups of phases.
    Block,
    /// The services were restarted in between: differences between starts count as noise.
    Restart,
}

#[derive(Debug, Clone)]
pub(crate) struct Units {
    pub(crate) unit: Unit,
    count: usize,
    /// (block, unit)
    blocks: Vec<(usize, usize)>,
}

impl Layout {
    pub(crate) fn begin_restart(&mut self) {
        self.begun += 1;
    }

    pub(crate) fn push_block(&mut self) {
        self.restarts.push(self.begun);
    }

    pub(crate) fn blocks(&self) -> usize {
        self.restarts.len()
    }

    pub(crate) fn restarts(&self) -> usize {
        self.restarts.chunk_by(|a, b| a == b).count()
    }

    pub(crate) fn is_aligned_with(&self, other: &Self) -> bool {
        // Numbers may differ by restarts that were begun before any block.
        self.restarts.len() == other.restarts.len()
            && self.restarts.windows(2).zip(other.restarts.windows(2)).all(|(a, b)| (a[0] == a[1]) == (b[0] == b[1]))
    }

    /// The units of the usable blocks: restarts, if there are two or more.
    pub(crate) fn units(&self, is_usable: impl Fn(usize) -> bool) -> Units {
        let usable: Vec<(usize, u32)> =
            self.restarts.iter().copied().enumerate().filter(|(block, _)| is_usable(*block)).collect();
        let restarts = usable.chunk_by(|a, b| a.1 == b.1).count();
        if restarts < 2 {
            let blocks: Vec<_> = usable.iter().enumerate().map(|(unit, (block, _))| (*block, unit)).collect();
            return Units { unit: Unit::Block, count: blocks.len(), blocks };
        }
        let blocks = usable
            .chunk_by(|a, b| a.1 == b.1)
            .enumerate()
            .flat_map(|(unit, run)| run.iter().map(move |(block, _)| (*block, unit)))
            .collect();
        Units { unit: Unit::Restart, count: restarts, blocks }
    }
}

impl Units {
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn blocks(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.blocks.iter().copied()
    }
}

/// A statistic of one arm, of all units and without each of them.
///
/// Leaving out one unit at a time gives the standard error of anything that changes smoothly with the data (Tukey 1958;
/// Shao & Tu 1995, *The Jackknife and Bootstrap*, ch. 2), including Harrell & Davis's quantiles, as they proposed;
/// leaving out whole units covers dependent requests too. Unlike a bootstrap it needs no random numbers, so the same
/// data always give the same interval, and far fewer replicates.
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
