//! The principal type is [`LogSeen`]: lines of a log.

use serde::{Deserialize, Serialize};

use super::counted::Counted;
use crate::series::Series;

/// Lines of one log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LogSeen {
    pub group: usize,
    pub sink: LogSink,
    pub path: String,
    /// Lines, with the time of writing them.
    pub counted: Counted,
    pub bytes: Series,
    pub examples: Vec<String>,
}

/// The destination of log lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogSink {
    #[default]
    Syslog,
    Stderr,
    File,
}
