//! The principal type is [`Scripts`].

use std::path::PathBuf;

/// The scripts of an application that are run to ask its loaders.
#[derive(Debug, Clone)]
pub(crate) struct Scripts {
    /// Relative to the application's folder, some with a query.
    pub(crate) scripts: Vec<String>,
    /// The user they run as.
    pub(crate) user: Option<String>,
    pub(crate) php: PathBuf,
}
