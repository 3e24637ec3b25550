//! The principal type is [`Tally`].

use crate::merge::merge;

/// z of a two-sided 95 % interval.
const Z: f64 = 1.96;

/// What became of many runs whose truth is known.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    runs: u64,
    covered: u64,
    error: f64,
    error_squared: f64,
    half_width: f64,
}

merge! { Tally { runs, covered, error, error_squared, half_width } }

/// What is demanded of a tally.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Share of intervals that cover the truth: least and most.
    pub coverage: (f64, f64),
    /// Largest mean error, as a share of the truth.
    pub bias: f64,
    /// How many standard errors of the tally itself a breach has to be beyond the limit to count as one.
    pub tolerance: f64,
}

impl Limits {
    /// What Unladen promises: 93–97 %, and 1 %. A tally breaches it if it does so beyond its own 95 % interval.
    pub const PROMISED: Self = Self { coverage: (0.93, 0.97), bias: 0.01, tolerance: Z };
}

/// A promise that is not held.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shortfall {
    /// Too few or too many intervals cover the truth.
    Coverage(f64),
    /// The estimates are off on average.
    Bias(f64),
}

impl std::fmt::Display for Shortfall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Coverage(coverage) => write!(f, "{:.1} % of the intervals cover the truth", coverage * 100.0),
            Self::Bias(bias) => write!(f, "the estimates are off by {:+.2} % on average", bias * 100.0),
        }
    }
}

impl Tally {
    /// Adds a run.
    pub fn push(&mut self, truth: f64, value: f64, low: f64, high: f64) {
        let error = value / truth - 1.0;
        self.runs += 1;
        self.covered += u64::from(low <= truth && truth <= high);
        self.error += error;
        self.error_squared += error * error;
        self.half_width += (high - low) / 2.0 / truth;
    }

    /// Runs.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// Share of the intervals that cover the truth.
    pub fn coverage(&self) -> f64 {
        self.covered as f64 / self.runs as f64
    }

    /// The 95 % interval of the coverage.
    pub fn coverage_interval(&self) -> (f64, f64) {
        wilson(self.covered, self.runs, Z)
    }

    /// Mean error of the estimates, as a share of the truth.
    pub fn bias(&self) -> f64 {
        self.error / self.runs as f64
    }

    /// Half the width of the 95 % interval of the bias.
    pub fn bias_margin(&self) -> f64 {
        Z * self.bias_standard_error()
    }

    /// Mean half-width of the intervals, as a share of the truth.
    pub fn half_width(&self) -> f64 {
        self.half_width / self.runs as f64
    }

    /// What falls short of the limits.
    pub fn shortfalls(&self, limits: &Limits) -> Vec<Shortfall> {
        let mut found = Vec::new();
        let (low, high) = wilson(self.covered, self.runs, limits.tolerance);
        if high < limits.coverage.0 || low > limits.coverage.1 {
            found.push(Shortfall::Coverage(self.coverage()));
        }
        if self.bias().abs() - limits.tolerance * self.bias_standard_error() > limits.bias {
            found.push(Shortfall::Bias(self.bias()));
        }
        found
    }

    fn bias_standard_error(&self) -> f64 {
        let n = self.runs as f64;
        ((self.error_squared - self.error.powi(2) / n) / (n - 1.0)).max(0.0).sqrt() / n.sqrt()
    }
}

/// The interval of a share (Wilson 1927), which also holds near 0 and 1.
pub(crate) fn wilson(hits: u64, of: u64, z: f64) -> (f64, f64) {
    let (n, p) = (of as f64, hits as f64 / of as f64);
    let centre = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    ((centre - half).max(0.0), (centre + half).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_has_the_interval_of_the_textbook() {
        let (low, high) = wilson(950, 1_000, Z);
        assert!((low - 0.9347).abs() < 1e-3 && (high - 0.9619).abs() < 1e-3, "{low} {high}");
    }

    #[test]
    fn what_falls_short_is_told() {
        let mut tally = Tally::default();
        for run in 0..1_000 {
            let value = if run % 2 == 0 { 102.9 } else { 103.1 };
            tally.push(100.0, value, value - 10.0, value + 10.0);
        }
        let found = tally.shortfalls(&Limits::PROMISED);
        assert!(matches!(found[..], [Shortfall::Coverage(_), Shortfall::Bias(_)]), "{found:?}");
    }
}
