//! The principal type is [`Source`]: where the configuration comes from.

use std::path::PathBuf;

use unladen_serve_config::Config;

use super::site_options::{COMMAND_LINE, SiteOptions};
use crate::exit::Failure;

/// Where the configuration comes from.
#[derive(Debug)]
pub(crate) enum Source {
    File(PathBuf),
    Options(SiteOptions),
}

impl Source {
    /// What it comes to.
    ///
    /// # Errors
    /// If it cannot be read, or says what cannot be; of options, the option is named.
    pub(super) fn config(&self) -> Result<Config, Failure> {
        match self {
            Self::File(file) => Ok(Config::read(file)?),
            Self::Options(options) => options.config(),
        }
    }

    /// The path, or what stands in its place.
    pub(super) fn name(&self) -> String {
        match self {
            Self::File(file) => file.display().to_string(),
            Self::Options(_) => COMMAND_LINE.to_owned(),
        }
    }
}
