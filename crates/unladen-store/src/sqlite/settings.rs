//! The principal type is [`Settings`]: differs between tests and users.

use std::time::Duration;

#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// Maximum wait for another process.
    pub(super) busy: Duration,
    /// SQLite's access to the disk; `None` for the system's default.
    pub(super) vfs: Option<&'static str>,
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
