//! The principal type is [`SnapshotState`]: what a site has written of its memory, and taken of its predecessor's.

use std::time::Duration;

/// What a site has written of its memory, and taken of its predecessor's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnapshotState {
    /// Responses that were taken over, …
    pub loaded: u64,
    /// … those that were not, by why, …
    pub rejected: Vec<(&'static str, u64)>,
    /// … and why the whole was not; none: it was, or there was none.
    pub refused: Option<String>,
    /// The last one that was written.
    pub last: Option<WrittenSnapshot>,
    /// Those that could not be written, …
    pub failures: u64,
    /// … and why the last of them could not; none: it could be written since.
    pub failure: Option<String>,
}

/// A snapshot that was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WrittenSnapshot {
    /// When it was done: milliseconds since 1970.
    pub at: i64,
    pub responses: u64,
    pub bytes: u64,
    /// How long it took, with the pauses that keep the disk free for others.
    pub took: Duration,
}
