//! The formats that are read, one file each.

pub(crate) mod collapsed;
pub(crate) mod excimer;
pub(crate) mod firefox;
pub(crate) mod nytprof;
pub(crate) mod perf_script;
pub(crate) mod pprof;
pub(crate) mod speedscope;
pub(crate) mod unladen;
