//! Asks a database or a file whether a stored page is still current.
//!
//! The principal type is [`Validator`]: shared by all threads; each asks on its own connections, on a `LocalRuntime`. A
//! question is asked once for all who ask it at the same time, and an answer is given only to those who asked before it
//! was sent.
#![forbid(unsafe_code)]

mod answers;
mod ask;
mod ask_error;
mod asker;
mod backoff;
mod counts;
mod file;
mod label;
mod mysql;
mod pattern;
mod place;
mod postgres;
mod pushed;
mod question;
mod settings;
mod settings_error;
mod shared;
mod single_flight;
mod sqlite;
mod validator;

pub use ask_error::AskError;
pub use counts::State;
pub use label::{SETTLES_WITHIN, is_settling};
pub use pattern::{Parameters, PathPattern, PatternError};
pub use question::{Question, Version};
pub use settings::{ListenSettings, SharedSettings, ValidatorSettings, ValidatorSource};
pub use settings_error::SettingsError;
pub use validator::Validator;
