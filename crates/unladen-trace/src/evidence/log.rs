//! The principal type is [`LogSeen`]: lines of a log.

use serde::{Deserialize, Serialize};

use super::counted::Counted;
use crate::series::Series;

/// Lines of a log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LogSeen {
    /// Index of the group.
    pub group: usize,
    /// Where they go.
    pub sink: LogSink,
    /// A file's path, or the socket's.
    pub path: String,
    /// How many lines, and the time of writing them.
    pub counted: Counted,
    pub bytes: Series,
    /// Some of them, cut.
    pub examples: Vec<String>,
}

/// Where log lines go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogSink {
    /// The system's log.
    #[default]
    Syslog,
    /// Standard error.
    Stderr,
    File,
}
