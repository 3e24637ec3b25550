//! The principal type is [`Kernel`]: the weights of the Harrell–Davis estimate of a quantile.
//!
//! The estimate (Harrell & Davis 1982, *Biometrika* 69:635) is Σ x₍ᵢ₎ (B(i/n) − B((i−1)/n)), where B is the
//! distribution function of a beta variable with parameters (n+1)q and (n+1)(1−q): the mean of the q-th order statistic
//! over all samples that one could draw from this one. It averages the latencies near the quantile, so it varies less
//! than a single order statistic, and changes smoothly when a block is left out.

use crate::student::incomplete_beta;

const STEPS: usize = 1_024;
/// Standard deviations that the table covers to either side; beyond, less than 1e-8 is left even where few latencies
/// lie beyond the quantile and the weights are skewed.
const REACH: f64 = 12.0;
/// With parameters below this the density has no smooth bell, and B is not tabulated.
const LEAST_TABULATED: f64 = 3.0;

#[derive(Debug, Clone)]
pub(crate) struct Kernel {
    a: f64,
    b: f64,
    /// Below `from` B is 0, above `to` it is 1.
    from: f64,
    to: f64,
    /// B at `STEPS + 1` evenly spaced shares; empty if not tabulated.
    table: Vec<f64>,
}

impl Kernel {
    /// For the quantile `q` (above 0, below 1) of `n` latencies.
    pub(crate) fn new(n: u64, q: f64) -> Self {
        let (a, b) = ((n as f64 + 1.0) * q, (n as f64 + 1.0) * (1.0 - q));
        if a.min(b) < LEAST_TABULATED {
            return Self { a, b, from: 0.0, to: 1.0, table: Vec::new() };
        }
        let sd = (q * (1.0 - q) / (n as f64 + 2.0)).sqrt();
        let (from, to) = ((q - REACH * sd).max(0.0), (q + REACH * sd).min(1.0));
        let width = (to - from) / STEPS as f64;
        let log_density = |u: f64| (a - 1.0) * u.ln() + (b - 1.0) * (-u).ln_1p();
        // It is highest at the mode: no overflow, whatever n.
        let highest = log_density((a - 1.0) / (a + b - 2.0));
        let mut table = Vec::with_capacity(STEPS + 1);
        let (mut sum, mut before) = (0.0, 0.0);
        for step in 0..=STEPS {
            let density = (log_density(from + width * step as f64) - highest).exp();
            sum += f64::midpoint(before, density);
            before = density;
            table.push(sum);
        }
        table.iter_mut().for_each(|cumulative| *cumulative /= sum);
        Self { a, b, from, to, table }
    }

    pub(crate) fn cumulative(&self, share: f64) -> f64 {
        if share <= self.from {
            return 0.0;
        }
        if share >= self.to {
            return 1.0;
        }
        if self.table.is_empty() {
            return incomplete_beta(self.a, self.b, share);
        }
        let position = (share - self.from) / (self.to - self.from) * STEPS as f64;
        let step = (position as usize).min(STEPS - 1);
        let (low, high) = (self.table[step], self.table[step + 1]);
        low + (high - low) * (position - step as f64)
    }

    /// Number of spacings that the weights average, 1 / Σ w²: that of a normal bell, which B's density is near.
    pub(crate) fn spacings(&self) -> f64 {
        let n = self.a + self.b;
        2.0 * (std::f64::consts::PI * self.a * self.b / n).sqrt()
    }

    /// The range of shares with weight.
    pub(crate) fn support(&self) -> (f64, f64) {
        (self.from, self.to)
    }
}

#[cfg(test)]
mod tests;
