//! The principal functions are [`share`] and [`difference`]: parts of a whole made of requests, with intervals.
//!
//! The samples of a request depend on one another: a request that is slow in one place has many samples there. So the
//! unit is the request, and samples are never counted as if drawn independently.

use crate::estimate::MIN_BLOCKS;
use crate::student;

/// A part of a whole, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShareEstimate {
    /// Σ parts / Σ wholes.
    pub value: f64,
    /// The 95 % interval; `None` with too few requests.
    pub interval: Option<(f64, f64)>,
}

/// A difference of two means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DifferenceEstimate {
    /// The candidate's mean minus the baseline's.
    pub value: f64,
    /// The 95 % interval; `None` with too few requests.
    pub interval: Option<(f64, f64)>,
    /// Two-sided, for no change; 1 without an interval.
    pub p_value: f64,
}

/// Running sums of requests' values: what [`difference_of`] needs, in constant memory.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Moments {
    count: f64,
    mean: f64,
    /// Σ (value − mean)².
    squares: f64,
}

/// The part that `parts` are of `wholes`, one whole a request. Requests without an entry in `parts` have a part of 0.
///
/// `parts` are `(request, part)`, each request at most once. An interval needs six requests of a whole above 0.
///
/// The interval is Student's t on the scale of ln(share / (1 − share)), so that it stays between 0 and 1, and a small
/// share's is longer above it than below. Its standard error is the jackknife's, which leaves out a request at a time.
/// How well that is known depends on how evenly requests contribute to it: if a few dominate, as with a function in one
/// request of twenty, Student's t has as many degrees of freedom as the kurtosis of the contributions tells (O'Neill
/// 2014, *Am. Stat.* 68:282), not one less than there are requests.
///
/// It covers the truth in 93 to 97 % of runs if most requests have some of the part. It covers less if the part is both
/// rare and large in a few requests: with 12 requests of which one in five has any, some 87 %, since nothing observed
/// shows those that are worse.
///
/// If no request has the part, it can only be said that few requests have it: at most 3 of n (Hanley & Lippman-Hand
/// 1983, *JAMA* 249:1743). So an interval from 0 reaches to that part of the requests, however many samples each has.
pub fn share(wholes: &[f64], parts: &[(usize, f64)]) -> ShareEstimate {
    let whole: f64 = wholes.iter().sum();
    let requests = wholes.iter().filter(|one| **one > 0.0).count();
    if whole <= 0.0 {
        return ShareEstimate { value: 0.0, interval: None };
    }
    let parts = || parts.iter().filter_map(|&(request, part)| Some((*wholes.get(request)?, part)));
    let value = (parts().map(|(_, part)| part).sum::<f64>() / whole).clamp(0.0, 1.0);
    if requests < MIN_BLOCKS {
        return ShareEstimate { value, interval: None };
    }
    if value <= 0.0 || value >= 1.0 {
        // Number of equal requests that tell as much: long ones weigh more (Kish 1965, *Survey Sampling*).
        let squares: f64 = wholes.iter().map(|one| (one / whole).powi(2)).sum();
        let beyond = NOT_COVERED.powf(squares);
        let interval = if value <= 0.0 { (0.0, 1.0 - beyond) } else { (beyond, 1.0) };
        return ShareEstimate { value, interval: Some(interval) };
    }
    // Without a request, the share is less by (part − share × whole) / (all wholes − whole).
    let mut without_part = Powers::default();
    wholes.iter().for_each(|one| without_part.add(value * one / (whole - one), 1.0));
    let mut with_part = Powers::default();
    let mut with = 0;
    for (one, part) in parts() {
        without_part.add(value * one / (whole - one), -1.0);
        with_part.add((part - value * one) / (whole - one), 1.0);
        with += 1;
    }
    let mut powers = with_part;
    if with < wholes.len() {
        powers.second += without_part.second.max(0.0);
        powers.fourth += without_part.fourth.max(0.0);
    }
    let n = requests as f64;
    let error = (powers.second * (n - 1.0) / n).sqrt();
    let kurtosis = n * powers.fourth / (powers.second * powers.second);
    let degrees = if powers.second > 0.0 { 2.0 * n / (kurtosis - (n - 3.0) / (n - 1.0)) } else { n };
    let reach = critical(degrees.clamp(1.0, n - 1.0)) * error / (value * (1.0 - value));
    if !reach.is_finite() {
        return ShareEstimate { value, interval: Some((0.0, 1.0)) };
    }
    let logit = (value / (1.0 - value)).ln();
    let part_of = |logit: f64| 1.0 / (1.0 + (-logit).exp());
    // Rounding in the logit would move an exactly known share.
    let interval = (part_of(logit - reach).min(value), part_of(logit + reach).max(value));
    ShareEstimate { value, interval: Some(interval) }
}

const NOT_COVERED: f64 = 0.05;

#[derive(Default)]
struct Powers {
    second: f64,
    fourth: f64,
}

/// The two-sided 5 % point of Student's t, from one degree of freedom on.
fn critical(degrees: f64) -> f64 {
    /// From here on the expansion is used.
    const ENOUGH: f64 = 5.0;
    if degrees >= ENOUGH {
        return student::expanded(degrees);
    }
    // The tail falls by a power of t: ln p is nearly linear in ln t, which is followed to where p is 5 %.
    let beyond = |ln_t: f64| (student::p_value(ln_t.exp(), degrees) / NOT_COVERED).ln();
    let (mut before, mut at) = (1.0, 1.0 + 1.6 / degrees);
    let mut beyond_before = beyond(before);
    for _ in 0..8 {
        let beyond_at = beyond(at);
        if beyond_at == beyond_before || beyond_at.abs() < 1e-10 {
            break;
        }
        let next = at - beyond_at * (at - before) / (beyond_at - beyond_before);
        (before, beyond_before, at) = (at, beyond_at, next);
    }
    at.exp()
}

/// The difference between the means of the candidate's and the baseline's requests.
///
/// Each is a number of requests, and those values that are not 0.
pub fn difference(baseline: (usize, &[f64]), candidate: (usize, &[f64])) -> DifferenceEstimate {
    let moments = |values: &[f64]| values.iter().copied().collect::<Moments>();
    difference_of((baseline.0, &moments(baseline.1)), (candidate.0, &moments(candidate.1)))
}

/// [`difference`] from numbers of requests and the moments of their values that are not 0.
///
/// Student's t for two samples with unequal variances (Welch 1947, *Biometrika* 34:28).
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
        // No spread within either: the p-value is that of the order of all requests.
        let p_value = if value == 0.0 { 1.0 } else { least_p(requests, candidate_requests) };
        return DifferenceEstimate { value, interval: Some((value, value)), p_value };
    }
    let degrees = variance * variance / (a * a / (baseline.count - 1.0) + b * b / (candidate.count - 1.0));
    let error = variance.sqrt();
    let reach = critical(degrees.max(1.0)) * error;
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
    // After these terms an `f64` is 0.
    (0..least.min(1100)).fold(2.0, |p, i| p * (least - i) as f64 / (all - i as f64))
}

impl Powers {
    fn add(&mut self, value: f64, times: f64) {
        let square = value * value;
        self.second += times * square;
        self.fourth += times * square * square;
    }
}

// === impl Moments ===

impl Moments {
    /// Adds a value. Zeros may be left out.
    pub fn add(&mut self, value: f64) {
        // Welford (1962, *Technometrics* 4:419): no loss of precision for large, similar values.
        self.count += 1.0;
        let away = value - self.mean;
        self.mean += away / self.count;
        self.squares += away * (value - self.mean);
    }

    /// Adds zeros to reach this number of requests.
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
