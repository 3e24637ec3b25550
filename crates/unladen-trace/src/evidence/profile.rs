//! The principal type is [`ProfileSeen`]: where inside the code the time of a request goes.

use serde::{Deserialize, Serialize};

use crate::interval::Interval;

/// Where inside the code the time of a request goes, as a profiler saw it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProfileSeen {
    /// The group whose code it is.
    pub group: usize,
    /// The profiler: `excimer`.
    pub profiler: String,
    /// Whether it counts CPU time alone, and not time as it passes.
    pub of_cpu: bool,
    /// What a request takes under no profiler, ns: latency, or CPU with `of_cpu`.
    pub whole: Option<Interval>,
    /// The part of it, 0 to 1, in which files of classes are looked up, by what autoloaders do themselves: what the
    /// files then do when they are loaded is not in it.
    pub lookups: Option<Interval>,
    /// The functions, of which there may be thousands.
    pub functions: Vec<FunctionSeen>,
}

/// A function.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FunctionSeen {
    /// As its language writes it: `Sympa::List::new`.
    pub name: String,
    /// Its file, or the module of native code; empty if it is not known.
    pub file: String,
    /// The part of the request, 0 to 1, that it takes by itself.
    pub own: Interval,
    /// The part with all that it calls.
    pub all: Interval,
    /// Calls a request; none where the profiler does not count.
    pub calls: Option<f64>,
    /// Who calls it, the one with most first.
    pub callers: Vec<CallerSeen>,
}

/// Who calls a function.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CallerSeen {
    pub name: String,
    /// The part of the request that the function takes on its behalf.
    pub part: f64,
    /// Calls a request, where the profiler counts.
    pub calls: Option<f64>,
}
