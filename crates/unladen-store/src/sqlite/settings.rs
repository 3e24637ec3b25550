//! The principal type is [`Settings`]: what tests open a file with otherwise than users do.

use std::time::Duration;

/// What tests open a file with otherwise than users do.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// How long to wait for another process.
    pub(super) busy: Duration,
    /// SQLite's way to the disk; none: the usual one of this system.
    pub(super) vfs: Option<&'static str>,
    /// The tables' versions.
    pub(super) migrations: &'static [&'static str],
}

// === impl Settings ===

impl Settings {
    /// A run takes milliseconds to write; the largest evidence takes a second.
    pub(super) const BUSY: Duration = Duration::from_secs(5);
}

impl Default for Settings {
    fn default() -> Self {
        Self { busy: Self::BUSY, vfs: None, migrations: crate::schema::MIGRATIONS }
    }
}
