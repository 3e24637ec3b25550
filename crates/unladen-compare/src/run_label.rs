//! The principal type is [`RunLabel`].

use serde::Serialize;

/// Identifies a run in a trend.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RunLabel {
    /// Number in the store, or a file.
    pub id: Option<String>,
    /// End of the run: RFC 3339, UTC.
    pub time: Option<String>,
    /// Measuring machine.
    pub host: Option<String>,
    /// Commit of the application.
    pub commit: Option<String>,
    /// Whether files differed from the commit.
    pub dirty: Option<bool>,
}
