//! Asks a database or a file whether a stored page is still current.
//!
//! The principal type is [`Validator`]: shared by all threads; each asks on its own connections, on a `LocalRuntime`. A
//! question is asked once for all who ask it at the same time, and an answer is given only to those who asked before it
//! was sent.
#![forbid(unsafe_code)]

mod answers;
mod asker;
mod backoff;
mod counts;
mod file;
mod label;
mod mysql;
mod pattern;
mod postgres;
mod pushed;
mod question;
mod settings;
mod shared;
mod single_flight;
mod sqlite;
mod validator;

pub use counts::State;
pub use label::{SETTLES_WITHIN, is_settling};
pub use pattern::{Parameters, PathPattern, PatternError};
pub use question::{AskError, Question, Version};
pub use settings::{ListenSettings, SettingsError, SharedSettings, ValidatorSettings, ValidatorSource};
pub use validator::Validator;
