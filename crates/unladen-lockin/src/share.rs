//! The principal functions are [`share`] and [`difference`]: parts of a whole that is made of requests, with intervals.

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

/// The part that `parts` are of `wholes`, one whole a request. Of requests that are not among the `parts`, the part is 0.
///
/// `parts` are `(request, part)`, each request at most once.
pub fn share(wholes: &[f64], parts: &[(usize, f64)]) -> ShareEstimate {
    let _ = (wholes, parts);
    todo!()
}

/// How the mean of the candidate's requests differs from that of the baseline's.
///
/// The values are sparse: of so many requests, those that are not 0.
pub fn difference(baseline: (usize, &[f64]), candidate: (usize, &[f64])) -> DifferenceEstimate {
    let _ = (baseline, candidate);
    todo!()
}
