//! The principal type is [`SnapshotSettings`]: what is written to disk of what is kept in memory.

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

/// Settings of the cache's copy on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SnapshotSettings {
    pub file: PathBuf,
    /// How often it is written, if anything has changed.
    pub every: Duration,
    pub trust: SnapshotTrust,
}

/// How far a process trusts its predecessor's pages if no validator vouches for them. Purges that came while neither
/// ran are unknown to both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SnapshotTrust {
    /// Fresh pages are served, except those with tags, which somebody means to purge. After a crash, purges since the
    /// last write are unknown, too: then as `Revalidate`.
    Fresh,
    /// The application is asked about each before it is served.
    Revalidate,
}
