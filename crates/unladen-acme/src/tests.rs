//! What tests share.

pub(crate) mod fake;
