//! Worker threads: they accept connections, and answer each where it was accepted.

pub(crate) mod open;
pub(crate) mod worker;
