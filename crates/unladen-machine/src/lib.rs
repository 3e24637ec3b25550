//! The machine that a measurement runs on.
#![forbid(unsafe_code)]

mod environment;
mod root;
mod times;

pub use environment::{Environment, Software, Virtualisation, software_of};
