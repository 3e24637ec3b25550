//! The principal type is [`SnapshotState`]: snapshots of a site's memory, written and loaded.

use std::time::Duration;

/// Snapshots of a site's memory: written ones, and the one loaded from its predecessor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnapshotState {
    pub loaded: u64,
    pub rejected: Vec<(&'static str, u64)>,
    /// Why the snapshot as a whole was not loaded; `None` if it was, or there was none.
    pub refused: Option<String>,
    pub last: Option<WrittenSnapshot>,
    pub failures: u64,
    /// Why the last write failed; `None` if one succeeded since.
    pub failure: Option<String>,
}

/// A snapshot that was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WrittenSnapshot {
    /// Completion, in milliseconds since 1970.
    pub at: i64,
    pub responses: u64,
    pub bytes: u64,
    /// Duration, with the pauses that keep the disk free for others.
    pub took: Duration,
}
