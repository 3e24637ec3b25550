//! For `fuzz/` only: parsers of untrusted endpoint sources: a file ([`listed`]), and the answers of a control plane
//! ([`told`]).

pub use crate::discover::fuzzing::{listed, told};
