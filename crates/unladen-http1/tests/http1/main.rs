//! The crate from outside: what is refused, and what holds of whatever is taken.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails so")]

mod bodies;
mod properties;
mod responses;
mod smuggling;
mod support;
mod targets;
