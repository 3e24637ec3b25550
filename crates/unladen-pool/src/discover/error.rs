//! Why no endpoints came of a discovery source: [`DiscoverError`].

use std::io;
use std::path::PathBuf;

use super::found::MOST;
use super::xds::XdsError;
use crate::resolve::ResolveError;

#[derive(Debug, thiserror::Error)]
pub(crate) enum DiscoverError {
    #[error(transparent)]
    Dns(#[from] ResolveError),
    #[error("the control plane: {0}")]
    Xds(#[source] XdsError),
    #[error("{what} are {count}; at most {MOST} can be used")]
    TooMany { what: String, count: usize },
    #[error("{}: {source}; it should be a file of endpoints (JSON)", file.display())]
    Read { file: PathBuf, source: io::Error },
    #[error("{}:{line}:{column}: {why}", file.display())]
    Wrong { file: PathBuf, line: usize, column: usize, why: String },
}
