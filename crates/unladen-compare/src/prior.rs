//! The principal type is [`Prior`]: the expected variation of runs before earlier runs show it.

use crate::between::Between;
use crate::key::Key;
use crate::row::Kind;

/// Maximum number of runs that the prior counts for: with four degrees of freedom, a history of eight runs outweighs it
/// by two to one.
pub(crate) const PRIOR_DEGREES: f64 = 4.0;

/// Number of runs that the documented figure counts for beside the other counters of the same kind.
const DOCUMENTED_DEGREES: f64 = 1.0;

/// A history with a variance this many times that of the documented figure refutes it: its runs vary by more than twice
/// as much.
const REFUTED: f64 = 4.0;

/// What the variation of one series is drawn towards: an empirical Bayes estimate of a variance, as in Smyth (2004,
/// *Stat. Appl. Genet. Mol. Biol.* 3:3). All counters of a kind share what the machine does to a run, so they vary
/// alike; for the same reason they are no independent witnesses, and count for [`PRIOR_DEGREES`] however many they are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Prior {
    variance: f64,
    /// Number of runs it counts for.
    degrees: f64,
    /// Variance of the documented figure alone.
    documented: f64,
}

/// The documented standard deviation between runs, as a share of the figure (shares of requests: as it is): an
/// assumption, on the safe side of what virtual machines show. docs/concepts/between-runs.md lists it.
pub(crate) fn documented(key: &Key) -> f64 {
    match key.kind {
        Kind::Weight if key.is_cpu() || key.is_of_the_scheduler() => 0.015,
        Kind::Weight | Kind::Count | Kind::Size => 0.005,
        Kind::Latency if key.is_tail() => 0.03,
        Kind::Latency | Kind::Rate => 0.02,
        Kind::Effect | Kind::Within => 0.01,
        Kind::Errors => 0.002,
        Kind::Function => 0.03,
    }
}

impl Prior {
    /// From a documented standard deviation alone.
    pub(crate) fn documented(deviation: f64) -> Self {
        let variance = deviation * deviation;
        Self { variance, degrees: PRIOR_DEGREES, documented: variance }
    }

    /// With the median of the series of the same kind, so that one wild counter does not widen all others. After two
    /// runs they show little, since they share what happened to these two.
    pub(crate) fn pooled(deviation: f64, alike: &[Between]) -> Self {
        let median = |mut values: Vec<f64>| {
            values.sort_unstable_by(f64::total_cmp);
            values.get(values.len() / 2).copied().unwrap_or(0.0)
        };
        let degrees = median(alike.iter().map(|between| between.degrees).collect());
        let variance = median(alike.iter().map(|between| between.variance).collect()) / median_of_chi_square(degrees);
        let documented = deviation * deviation;
        // A machine that refutes the documented figure by most of its series refutes it for each of them.
        let of_documented = if variance > REFUTED * documented && degrees > 0.0 { 0.0 } else { DOCUMENTED_DEGREES };
        let known = of_documented + degrees;
        let variance = (of_documented * documented + degrees * variance) / known;
        Self { variance, degrees: known.min(PRIOR_DEGREES), documented }
    }

    pub(crate) fn scaled(self, factor: f64) -> Self {
        let square = factor * factor;
        Self { variance: self.variance * square, documented: self.documented * square, ..self }
    }

    /// The variation of a series, given its own history.
    pub(crate) fn with(self, own: Option<Between>) -> Between {
        let Some(own) = own else {
            return Between { variance: self.variance, within: 0.0, degrees: self.degrees, runs: 0 };
        };
        let is_refuted = own.variance > REFUTED * self.documented;
        let of_prior = if is_refuted { DOCUMENTED_DEGREES } else { self.degrees };
        let degrees = of_prior + own.degrees;
        Between { variance: (of_prior * self.variance + own.degrees * own.variance) / degrees, degrees, ..own }
    }
}

/// Median, as a share of the mean, of a variance estimated with this many degrees of freedom: such estimates are
/// skewed, most of them too small (Wilson & Hilferty 1931, *Proc. Natl. Acad. Sci.* 17:684).
fn median_of_chi_square(degrees: f64) -> f64 {
    (1.0 - 2.0 / (9.0 * degrees.max(1.0))).powi(3)
}

#[cfg(test)]
mod tests;
