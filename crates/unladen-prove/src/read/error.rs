//! The principal type is [`ExperimentError`]: why a file is no experiment, and where.

use std::io;
use std::path::PathBuf;

use unladen_toml::BadPlace;

/// Why a file is no experiment.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// It cannot be read.
    #[error("cannot read the experiment {file}: {source}", file = file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is not UTF-8.
    #[error("the experiment {file} is not UTF-8 text", file = file.display())]
    NoText {
        /// The file.
        file: PathBuf,
    },
    /// It says something that cannot be.
    #[error(transparent)]
    Bad(Box<BadPlace>),
}
