//! The cheap question: whether a stored page is still current, asked of a database or a file.
//!
//! The principal type is [`Validator`]: shared by all threads; each asks on connections of its own, on a `LocalRuntime`. The same
//! question is asked once for all who ask it at the same time, and an answer is given only to those who asked before it was sent.
#![forbid(unsafe_code)]
#![allow(clippy::todo, unused_variables, missing_docs)]

mod pattern;
mod settings;
mod validator;

pub use pattern::{Parameters, PathPattern, PatternError};
pub use settings::{Source, ValidatorSettings};
pub use validator::{AskError, Question, Validator, Version};
