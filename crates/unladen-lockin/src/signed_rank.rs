//! The null distribution of Wilcoxon's signed-rank statistic. The principal type is [`SignedRank`].
//!
//! W⁺ is the sum of the ranks of the positive differences; equally, the number of pairs (i ≤ j) of blocks whose two
//! differences sum to more than zero. If each difference is symmetric about zero, all 2ⁿ sign patterns are equally
//! likely, and counting gives the distribution (Wilcoxon 1945; Hollander, Wolfe & Chicken, *Nonparametric Statistical
//! Methods*, 3rd ed., ch. 3).

/// Exact distribution up to here; beyond, the normal approximation has an error in the tail below 0.0005.
const EXACT_UP_TO: usize = 60;

/// The two-sided error of all intervals: 5 %.
pub(crate) const ALPHA: f64 = 0.05;

pub(crate) struct SignedRank {
    n: usize,
    /// `cumulative[w]` = P(W⁺ ≤ w); empty with the normal approximation.
    cumulative: Vec<f64>,
}

impl SignedRank {
    pub(crate) fn new(n: usize) -> Self {
        if n > EXACT_UP_TO {
            return Self { n, cumulative: Vec::new() };
        }
        // Probabilities instead of counts: 2⁶⁰ patterns would strain an f64's 53 bits, halves do not.
        let mut probability = vec![0.0; n * (n + 1) / 2 + 1];
        probability[0] = 1.0;
        for rank in 1..=n {
            for w in (0..probability.len()).rev() {
                let with_this_rank = if w >= rank { probability[w - rank] } else { 0.0 };
                probability[w] = 0.5 * (probability[w] + with_this_rank);
            }
        }
        let mut sum = 0.0;
        for p in &mut probability {
            sum += *p;
            *p = sum;
        }
        Self { n, cumulative: probability }
    }

    pub(crate) fn pairs(&self) -> usize {
        self.n * (self.n + 1) / 2
    }

    /// P(W⁺ ≤ w).
    fn at_most(&self, w: f64) -> f64 {
        if w < 0.0 {
            return 0.0;
        }
        if let Some(exact) = self.cumulative.get(w as usize) {
            return *exact;
        }
        if !self.cumulative.is_empty() {
            return 1.0;
        }
        let n = self.n as f64;
        let mean = n * (n + 1.0) / 4.0;
        let sd = (n * (n + 1.0) * (2.0 * n + 1.0) / 24.0).sqrt();
        normal_cdf((w.floor() + 0.5 - mean) / sd)
    }

    /// Sorted estimates to leave out at either end for a 95 % interval; `None` if even the whole range is too narrow.
    pub(crate) fn trim(&self) -> Option<usize> {
        let mut trim = None;
        // P(W⁺ ≤ k) ≤ α/2 allows the interval to start at the (k+1)-th estimate, counted from 1.
        for k in 0..self.pairs() / 2 {
            if self.at_most(k as f64) > ALPHA / 2.0 {
                break;
            }
            trim = Some(k);
        }
        trim
    }

    /// The two-sided p-value; a half (from ties with zero) counts towards the centre, which errs on "does not follow".
    pub(crate) fn p_value(&self, w: f64) -> f64 {
        let mirrored = self.pairs() as f64 - w;
        let tail = self.at_most(w.min(mirrored).ceil());
        (2.0 * tail).min(1.0)
    }
}

/// Φ(z), by Abramowitz & Stegun 7.1.26 (absolute error below 1.5e-7).
pub(crate) fn normal_cdf(z: f64) -> f64 {
    let x = z.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let poly =
        t * (0.254_829_592 + t * (-0.284_496_736 + t * (1.421_413_741 + t * (-1.453_152_027 + t * 1.061_405_429))));
    let upper = 0.5 * poly * (-x * x).exp();
    if z < 0.0 { upper } else { 1.0 - upper }
}

#[cfg(test)]
mod tests;
