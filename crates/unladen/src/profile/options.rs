//! The principal types are [`Page`], what is profiled, and [`Options`], how.

use std::time::Duration;

use unladen_load::DriverConfig;

pub(crate) struct Page {
    /// Its URL, or the name of the arm in which it is requested.
    pub(crate) title: String,
    /// One request, and how it is sent.
    pub(crate) driver: DriverConfig,
}

#[derive(Debug, Clone)]
pub(crate) struct Options {
    /// `None`: the one for what answers.
    pub(crate) which: Option<Which>,
    pub(crate) period: Duration,
    /// Whether only CPU time counts, not waiting.
    pub(crate) of_cpu: bool,
    /// Whether each request is the first of a fresh process.
    pub(crate) fresh: bool,
    pub(crate) budget: Budget,
    /// Seeds the order of requests.
    pub(crate) seed: u64,
    pub(crate) quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Budget {
    /// Requests of each page.
    Requests(u64),
    /// Total time.
    Time(Duration),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    /// PHP's.
    Excimer,
    /// Excimer, in a PHP that runs our file before each script.
    Prepended,
    /// Perl's.
    NytProf,
    /// The kernel's clock.
    Perf,
}
