//! The principal type is [`Source`]: where the configuration comes from.

use std::path::PathBuf;

use unladen_serve_config::Config;

use super::site_options::{COMMAND_LINE, SiteOptions};
use crate::exit::Failure;

#[derive(Debug)]
pub(crate) enum Source {
    File(PathBuf),
    Options(SiteOptions),
}

impl Source {
    /// Fails if it cannot be read or is invalid; for options, the error names the option.
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
