//! The principal types are [`Profiled`] and [`ProfileDiff`], the results of `unladen profile` and `unladen profile
//! diff`.

use std::time::Duration;

use unladen_document::{Answer, Gate};
use unladen_finding::Finding;
use unladen_profile::{Diff, FunctionRow, Profile};

use crate::ended::Ended;

/// Where the code of a page spends its time.
#[derive(Debug, Clone)]
pub struct Profiled {
    /// `None` if the profile comes from a file.
    pub setup: Option<ProfileSetup>,
    /// From `unladen_profile::functions`.
    pub functions: Vec<FunctionRow>,
    pub findings: Vec<Finding>,
    pub profile: Profile,
    pub notes: Vec<String>,
    pub written: Vec<(String, &'static str)>,
    pub gates: Vec<Gate>,
    pub top: usize,
}

/// How a page was profiled.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileSetup {
    pub url: String,
    /// Group that answered: `www-data php-fpm8.2`.
    pub group: String,
    pub answer: Option<Answer>,
    /// Profiler and clock in half a line: `Excimer, every 1 ms of time`.
    pub how: String,
    /// From the first request to the last.
    pub elapsed: Duration,
    pub ended: Ended,
    /// Time of a request without the profiler in ns, with its 95 % interval, which is infinite with too few requests.
    pub plain_ns: (f64, f64, f64),
    /// The same with the profiler.
    pub profiled_ns: (f64, f64, f64),
}

/// What a change moved between two profiles.
#[derive(Debug, Clone)]
pub struct ProfileDiff {
    /// How both were profiled, if here.
    pub setups: Option<[ProfileSetup; 2]>,
    pub diff: Diff,
    pub notes: Vec<String>,
    pub written: Vec<(String, &'static str)>,
    pub top: usize,
}

impl ProfileSetup {
    /// How much longer a request takes with the profiler, as a part of its time without, and the 95 % interval; `None`
    /// if there is nothing to compare with.
    ///
    /// The two were measured apart, so their margins add like those of independent figures.
    pub fn overhead(&self) -> Option<(f64, f64, f64)> {
        let relative = |(value, low, high): (f64, f64, f64)| (high - low) / 2.0 / value;
        let ratio = self.profiled_ns.0 / self.plain_ns.0;
        let margin = ratio * relative(self.plain_ns).hypot(relative(self.profiled_ns));
        let is_told = ratio.is_finite() && margin.is_finite() && ratio > 0.0;
        is_told.then_some((ratio - 1.0, ratio - 1.0 - margin, ratio - 1.0 + margin))
    }
}
