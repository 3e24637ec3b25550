//! The principal type is [`Scripts`].

use std::path::PathBuf;

#[derive(Debug, Clone)]
pub(crate) struct Scripts {
    /// Relative to the application's folder, some with a query.
    pub(crate) scripts: Vec<String>,
    pub(crate) user: Option<String>,
    pub(crate) php: PathBuf,
}
