//! The principal type is [`Pace`]: how fast a connection takes what it is sent.

use std::sync::atomic::AtomicU64;

/// How fast a connection takes what it is sent.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// When it was looked at, in milliseconds of the process's clock, plus one; 0: never.
    pub(super) at: AtomicU64,
    /// What it had taken by then.
    pub(super) moved: AtomicU64,
}
