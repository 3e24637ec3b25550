//! The principal types are [`Profiled`], the result of `unladen profile`, and [`ProfileDiff`], that of `unladen profile diff`.

use std::time::Duration;

use unladen_finding::Finding;
use unladen_profile::{Diff, FunctionRow, Profile};

use crate::weigh::Ended;

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
    /// In half a line, by which profiler and clock: `Excimer, every 1 ms of time`.
    pub how: String,
    /// From the first request to the last.
    pub elapsed: Duration,
    /// How it ended.
    pub ended: Ended,
    /// Mean time of a request without the profiler, ns, with its 95 % interval.
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
