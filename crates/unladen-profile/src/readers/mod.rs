//! The formats that are read, one file each.

pub(crate) mod collapsed;
pub(crate) mod excimer;
pub(crate) mod firefox;
mod gzip;
mod json;
pub(crate) mod nytprof;
pub(crate) mod perf_script;
pub(crate) mod pprof;
pub(crate) mod speedscope;
mod tally;
pub(crate) mod unladen;
