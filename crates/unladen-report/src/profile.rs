//! The principal types are [`Profiled`], the result of `unladen profile`, and [`ProfileDiff`], that of `unladen profile
//! diff`.

use std::time::Duration;

use unladen_document::{Answer, Gate};
use unladen_finding::Finding;
use unladen_profile::{Diff, FunctionRow, Profile};

use crate::ended::Ended;

/// Where inside the code the time of a page goes.
#[derive(Debug, Clone)]
pub struct Profiled {
    /// How it was profiled; none of what comes from a file.
    pub setup: Option<ProfileSetup>,
    /// The functions, as `unladen_profile::functions` gives them.
    pub functions: Vec<FunctionRow>,
    /// What the rules have recognised.
    pub findings: Vec<Finding>,
    /// The stacks.
    pub profile: Profile,
    /// What limits the result, each a sentence.
    pub notes: Vec<String>,
    /// Files that were written, with what reads each.
    pub written: Vec<(String, &'static str)>,
    /// Rules of `--fail-on`.
    pub gates: Vec<Gate>,
    /// How many functions tables show.
    pub top: usize,
}

/// How a page was profiled.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileSetup {
    /// What was asked for.
    pub url: String,
    /// Who answered: `www-data php-fpm8.2`.
    pub group: String,
    /// What came when it was asked for; none in documents of earlier versions.
    pub answer: Option<Answer>,
    /// In half a line, by which profiler and clock: `Excimer, every 1 ms of time`.
    pub how: String,
    /// From the first request to the last.
    pub elapsed: Duration,
    pub ended: Ended,
    /// The time of a request without the profiler, ns, with its 95 % interval; that reaches to infinity where there
    /// were too few.
    pub plain_ns: (f64, f64, f64),
    /// The same under the profiler.
    pub profiled_ns: (f64, f64, f64),
}

/// What a change moved.
#[derive(Debug, Clone)]
pub struct ProfileDiff {
    /// How the two were profiled, if here.
    pub setups: Option<[ProfileSetup; 2]>,
    /// The comparison.
    pub diff: Diff,
    /// What limits the result, each a sentence.
    pub notes: Vec<String>,
    /// Files that were written, with what reads each.
    pub written: Vec<(String, &'static str)>,
    /// How many functions tables show.
    pub top: usize,
}

impl ProfileSetup {
    /// How much longer a request takes under the profiler, as a part of what it takes without, and the 95 % interval;
    /// none where there is nothing to compare with.
    ///
    /// The two were measured apart, so their margins add as those of independent figures do.
    pub fn overhead(&self) -> Option<(f64, f64, f64)> {
        let relative = |(value, low, high): (f64, f64, f64)| (high - low) / 2.0 / value;
        let ratio = self.profiled_ns.0 / self.plain_ns.0;
        let margin = ratio * relative(self.plain_ns).hypot(relative(self.profiled_ns));
        let is_told = ratio.is_finite() && margin.is_finite() && ratio > 0.0;
        is_told.then_some((ratio - 1.0, ratio - 1.0 - margin, ratio - 1.0 + margin))
    }
}
