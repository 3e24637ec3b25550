//! What tests share.

pub(crate) mod testing;
