//! What tests share.

pub(crate) mod simulation;
