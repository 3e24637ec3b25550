//! The principal type is [`ExperimentError`]: why a file is no experiment, and where.

use std::io;
use std::path::PathBuf;

use unladen_toml::BadPlace;

/// Why a file is no experiment.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentError {
    #[error("cannot read the experiment {file}: {source}", file = file.display())]
    Read { file: PathBuf, source: io::Error },
    #[error("the experiment {file} is not UTF-8 text", file = file.display())]
    NoText { file: PathBuf },
    #[error(transparent)]
    Bad(Box<BadPlace>),
}
