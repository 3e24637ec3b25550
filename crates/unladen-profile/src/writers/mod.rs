//! Written formats, one file each.

pub(crate) mod collapsed;
pub(crate) mod firefox;
pub(crate) mod flame;
mod json;
pub(crate) mod pprof;
pub(crate) mod speedscope;
mod strings;
pub(crate) mod unladen;

#[cfg(test)]
mod tests;
