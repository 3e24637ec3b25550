//! The machine that a measurement runs on.
#![forbid(unsafe_code)]

mod times;
