//! The principal type is [`FileSeen`]: calls upon files, and what was read and written.

use serde::{Deserialize, Serialize};

use super::counted::Counted;
use crate::event::FileCall;
use crate::series::Series;

/// A file, a call, an outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileSeen {
    /// Index of the group.
    pub group: usize,
    pub call: FileCall,
    /// The path; absolute as far as that could be told.
    pub path: String,
    /// What came of it.
    pub outcome: FileOutcome,
    /// How often.
    pub counted: Counted,
}

/// What came of a call upon a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileOutcome {
    Found,
    /// ENOENT, ENOTDIR: it is not.
    Missing,
    /// EEXIST: it should not have been.
    Exists,
    /// EACCES, EPERM.
    Refused,
    /// Any other error.
    Failed,
}

/// A file that was read or written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TransferSeen {
    /// Index of the group.
    pub group: usize,
    /// Its path as far as known, else its name.
    pub path: String,
    /// Reading calls.
    pub reads: Series,
    pub read_bytes: Series,
    /// Writing calls.
    pub writes: Series,
    pub written_bytes: Series,
    /// In how many requests something was written.
    pub writing_requests: Series,
}
