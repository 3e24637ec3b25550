//! Reads experiments, in two stages: [`unladen_toml::Document`] has the text's tables with the place of each word,
//! [`Experiment`](crate::Experiment) their meaning. Each part of the second has a file here, and uses [`Reading`]; each
//! kind of knob reads its own table in `kinds/`.

mod error;
mod experiment;
mod given;
mod home;
mod keys;
mod knob;
mod load;
mod problem;
mod reading;
mod ready;
mod service;
mod url;
mod variables;

pub use self::error::ExperimentError;
pub(crate) use self::given::{Given, Side};
pub use self::reading::ReadFile;
pub(crate) use self::reading::Reading;
pub(crate) use self::url::url;

#[cfg(test)]
mod tests;
