//! The principal type is [`Pace`]: how fast a connection takes what it is sent.

use std::sync::atomic::AtomicU64;

#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Time of the last look, in milliseconds of the process's clock plus one; 0: never.
    pub(super) at: AtomicU64,
    /// Bytes taken by then.
    pub(super) moved: AtomicU64,
}
