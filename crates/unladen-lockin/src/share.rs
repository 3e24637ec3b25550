//! The principal functions are [`share`] and [`difference`]: parts of a whole that is made of requests, with intervals.
//!
//! The samples of a request depend on one another: a request that is slow in one place has many samples there. So what varies
//! is the request, and samples are never counted as if each were drawn by itself.

use crate::estimate::MIN_BLOCKS;
use crate::mean::student_t;
use crate::student;

/// A part of a whole, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShareEstimate {
    /// Σ parts / Σ wholes.
    pub value: f64,
    /// The 95 % interval; none with too few requests.
    pub interval: Option<(f64, f64)>,
}

/// A difference of two means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DifferenceEstimate {
    /// The candidate's mean less the baseline's.
    pub value: f64,
    /// The 95 % interval; none with too few requests.
    pub interval: Option<(f64, f64)>,
    /// Two-sided, of no change; 1 where there is no interval.
    pub p_value: f64,
}

/// Values of requests, added up as they come: what [`difference_of`] needs of them, in a few bytes however many there are.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Moments {
    count: f64,
    mean: f64,
    /// Σ (value − mean)².
    squares: f64,
}

/// The part that `parts` are of `wholes`, one whole a request. Of requests that are not among the `parts`, the part is 0.
///
/// `parts` are `(request, part)`, each request at most once.
pub fn share(wholes: &[f64], parts: &[(usize, f64)]) -> ShareEstimate {
    let (mut whole, mut squares, mut requests) = (0.0, 0.0, 0_usize);
    for one in wholes {
        whole += one;
        squares += one * one;
        requests += usize::from(*one > 0.0);
    }
    if whole <= 0.0 {
        return ShareEstimate { value: 0.0, interval: None };
    }
    let parts = || parts.iter().filter_map(|&(request, part)| Some((*wholes.get(request)?, part)));
    let value = (parts().map(|(_, part)| part).sum::<f64>() / whole).clamp(0.0, 1.0);
    if requests < MIN_BLOCKS {
        return ShareEstimate { value, interval: None };
    }
    // Those that have no part: what they miss is their share of the whole.
    let mut without = squares;
    let mut residuals = 0.0;
    for (whole, part) in parts() {
        without -= whole * whole;
        residuals += (part - value * whole).powi(2);
    }
    residuals += value * value * without.max(0.0);
    let requests = requests as f64;
    let error = (residuals * requests / (requests - 1.0)).sqrt() / whole;
    let interval = if value <= 0.0 {
        (0.0, 1.0 - 0.05_f64.powf(squares / (whole * whole)))
    } else if value >= 1.0 {
        (0.05_f64.powf(squares / (whole * whole)), 1.0)
    } else {
        let logit = (value / (1.0 - value)).ln();
        let reach = student_t(requests - 1.0) * error / (value * (1.0 - value));
        let back = |x: f64| 1.0 / (1.0 + (-x).exp());
        (back(logit - reach), back(logit + reach))
    };
    ShareEstimate { value, interval: Some(interval) }
}

/// How the mean of the candidate's requests differs from that of the baseline's.
///
/// The values are sparse: of so many requests, those that are not 0.
pub fn difference(baseline: (usize, &[f64]), candidate: (usize, &[f64])) -> DifferenceEstimate {
    let moments = |values: &[f64]| values.iter().copied().collect::<Moments>();
    difference_of((baseline.0, &moments(baseline.1)), (candidate.0, &moments(candidate.1)))
}

/// [`difference`], of so many requests whose values that are not 0 have been added up.
///
/// Student's t for two samples that need not vary alike (Welch 1947, *Biometrika* 34:28).
pub fn difference_of(baseline: (usize, &Moments), candidate: (usize, &Moments)) -> DifferenceEstimate {
    let (requests, candidate_requests) = (baseline.0, candidate.0);
    let (baseline, candidate) = (baseline.1.among(baseline.0), candidate.1.among(candidate.0));
    let value = candidate.mean - baseline.mean;
    if requests < MIN_BLOCKS || candidate_requests < MIN_BLOCKS {
        return DifferenceEstimate { value, interval: None, p_value: 1.0 };
    }
    let (a, b) = (baseline.error_squared(), candidate.error_squared());
    let variance = a + b;
    if variance <= 0.0 {
        // Every request of each is as the others are. What tells them apart then is which of all requests are whose alone.
        let p_value = if value == 0.0 { 1.0 } else { least_p(requests, candidate_requests) };
        return DifferenceEstimate { value, interval: Some((value, value)), p_value };
    }
    let degrees = variance * variance / (a * a / (baseline.count - 1.0) + b * b / (candidate.count - 1.0));
    let error = variance.sqrt();
    let reach = student_t(degrees) * error;
    DifferenceEstimate {
        value,
        interval: Some((value - reach, value + reach)),
        p_value: student::p_value(value / error, degrees),
    }
}

/// The least p-value that the order of so many requests can give: 2 / C(a + b, a).
fn least_p(a: usize, b: usize) -> f64 {
    let least = a.min(b);
    let all = (a + b) as f64;
    // Beyond some terms it is 0 to an `f64`.
    (0..least.min(1100)).fold(2.0, |p, i| p * (least - i) as f64 / (all - i as f64))
}

// === impl Moments ===

impl Moments {
    /// One more. Zeros may be left out.
    pub fn add(&mut self, value: f64) {
        // Welford (1962, *Technometrics* 4:419): nothing is lost where values are large and alike.
        self.count += 1.0;
        let away = value - self.mean;
        self.mean += away / self.count;
        self.squares += away * (value - self.mean);
    }

    /// With zeros to make them so many.
    fn among(self, requests: usize) -> Self {
        let count = self.count.max(requests as f64);
        if count <= 0.0 {
            return self;
        }
        let zeros = count - self.count;
        Self {
            count,
            mean: self.mean * self.count / count,
            squares: self.squares + self.mean * self.mean * self.count * zeros / count,
        }
    }

    /// The square of the mean's standard error.
    fn error_squared(self) -> f64 {
        self.squares / (self.count - 1.0) / self.count
    }
}

impl FromIterator<f64> for Moments {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut moments = Self::default();
        for value in values {
            moments.add(value);
        }
        moments
    }
}

#[cfg(test)]
mod tests;
