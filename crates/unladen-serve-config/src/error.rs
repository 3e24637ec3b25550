//! The principal type is [`ConfigError`]: why a file is no configuration, with every place that is wrong.

use std::hash::{Hash, Hasher};
use std::io;
use std::path::PathBuf;

use unladen_toml::Mistakes;

/// Why a file is no configuration.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    #[error("cannot read the configuration {file}: {source}", file = file.display())]
    Read { file: PathBuf, source: io::Error },
    #[error("the configuration {file} is not UTF-8 text", file = file.display())]
    NoText { file: PathBuf },
    /// All mistakes, at least one.
    #[error("{0}")]
    Bad(Mistakes),
}

// === impl ConfigError ===

impl ConfigError {
    /// A number that differs for different mistakes.
    pub fn stamp(&self) -> u64 {
        let mut hasher = std::hash::DefaultHasher::new();
        self.to_string().hash(&mut hasher);
        hasher.finish()
    }
}

impl From<ConfigError> for io::Error {
    fn from(error: ConfigError) -> Self {
        io::Error::other(error)
    }
}
