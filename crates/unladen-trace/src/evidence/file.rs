//! The principal type is [`FileSeen`]: calls on files, and bytes read and written.

use serde::{Deserialize, Serialize};

use super::counted::Counted;
use crate::event::FileCall;
use crate::series::Series;

/// Calls of one kind on a file with one outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileSeen {
    pub group: usize,
    pub call: FileCall,
    /// Absolute as far as known.
    pub path: String,
    pub outcome: FileOutcome,
    pub counted: Counted,
}

/// The outcome of a call on a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileOutcome {
    Found,
    /// ENOENT, ENOTDIR.
    Missing,
    /// EEXIST: it should not have existed.
    Exists,
    /// EACCES, EPERM.
    Refused,
    Failed,
}

/// A file that was read or written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TransferSeen {
    pub group: usize,
    /// Its path as far as known, else its name.
    pub path: String,
    /// Number of calls.
    pub reads: Series,
    pub read_bytes: Series,
    /// Number of calls.
    pub writes: Series,
    pub written_bytes: Series,
    /// Number of requests in which something was written.
    pub writing_requests: Series,
}
