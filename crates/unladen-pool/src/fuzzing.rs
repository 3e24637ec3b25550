//! For `fuzz/` alone: what tells the endpoints of an upstream, as bytes that anybody may have written: a file
//! ([`listed`]), and the answers of a control plane ([`told`]).

pub use crate::discover::fuzzing::{listed, told};
