//! The principal type is [`RunLabel`].

use serde::Serialize;

/// How a run is called in a trend.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RunLabel {
    /// Its number in the store, or a file.
    pub id: Option<String>,
    /// When it ended: RFC 3339, UTC.
    pub time: Option<String>,
    /// The measuring machine.
    pub host: Option<String>,
    /// The commit of the application.
    pub commit: Option<String>,
    /// Whether its files differed from the commit.
    pub dirty: Option<bool>,
}
