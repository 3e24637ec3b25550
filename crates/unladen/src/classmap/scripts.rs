//! The principal type is [`Scripts`].

use std::path::PathBuf;

/// What of an application is run to ask its loaders.
#[derive(Debug, Clone)]
pub(crate) struct Scripts {
    /// Scripts, as seen from the application's folder, some with a query.
    pub(crate) scripts: Vec<String>,
    /// As whom.
    pub(crate) user: Option<String>,
    pub(crate) php: PathBuf,
}
