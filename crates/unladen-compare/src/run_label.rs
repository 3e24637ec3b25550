//! The principal type is [`RunLabel`].

use serde::Serialize;

/// Identifies a run in a trend.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RunLabel {
    pub id: Option<String>,
    pub time: Option<String>,
    pub host: Option<String>,
    pub commit: Option<String>,
    pub dirty: Option<bool>,
}
