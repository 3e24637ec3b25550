//! The principal type is [`SnapshotSettings`]: what is written to disk of what is kept in memory.

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

/// What is written to disk of what is kept in memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SnapshotSettings {
    pub file: PathBuf,
    /// How often it is written, if anything has changed.
    pub every: Duration,
    /// What the next process thinks of it.
    pub trust: SnapshotTrust,
}

/// What a process thinks of pages that its predecessor kept, if no validator vouches for them. Purges that came while
/// neither ran are unknown to both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SnapshotTrust {
    /// As long as they are fresh, they answer; but for those with tags, which somebody means to purge. After a crash,
    /// which purges were taken after it was written is unknown, too: then it is as below.
    Fresh,
    /// The application is asked about each before it answers.
    Revalidate,
}
