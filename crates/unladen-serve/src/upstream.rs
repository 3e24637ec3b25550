//! Asking an upstream: an exchange, and its attempts.

pub(crate) mod admission;
pub(crate) mod answer;
pub(crate) mod attempt;
pub(crate) mod deliver;
pub(crate) mod exchange;
pub(crate) mod fastcgi;
pub(crate) mod named_file;
pub(crate) mod outlive;
pub(crate) mod params;
pub(crate) mod receive;
pub(crate) mod retry;
pub(crate) mod transit;
pub(crate) mod tunnel;
