//! What tests share.

pub(in crate::wire) mod replay;
