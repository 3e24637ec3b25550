//! The principal type is [`ProfileSeen`].

use serde::{Deserialize, Serialize};

use crate::interval::Interval;

/// Where inside the code the time of a request goes, as a profiler saw it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProfileSeen {
    pub group: usize,
    pub profiler: String,
    /// CPU time only, rather than elapsed time.
    pub of_cpu: bool,
    /// Time of a request without a profiler, ns: latency, or CPU with `of_cpu`.
    pub whole: Option<Interval>,
    /// Part of it, 0 to 1, in which autoloaders look up files of classes; what these files then do when loaded is not
    /// included.
    pub lookups: Option<Interval>,
    pub functions: Vec<FunctionSeen>,
}

/// One function's share of a request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FunctionSeen {
    /// In its language's notation: `Sympa::List::new`.
    pub name: String,
    /// File, or module of native code; empty if unknown.
    pub file: String,
    /// Its own part of the request, 0 to 1.
    pub own: Interval,
    /// With everything it calls.
    pub all: Interval,
    /// Calls a request; `None` if the profiler does not count.
    pub calls: Option<f64>,
    /// Largest first.
    pub callers: Vec<CallerSeen>,
}

/// A caller of a function.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CallerSeen {
    pub name: String,
    /// Part of the request that the function takes on its behalf.
    pub part: f64,
    pub calls: Option<f64>,
}
