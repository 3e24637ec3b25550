//! The principal type is [`OpenFile`]: a regular file, open to be read.

use std::os::fd::OwnedFd;

use rustix::fs::{FileType, Stat};
use unladen_cache::Time;

/// A regular file, open for reading. It stays the same file when another replaces it.
#[derive(Debug)]
pub struct OpenFile {
    pub file: OwnedFd,
    pub meta: Meta,
    /// Its path beneath the root, without leading slash.
    pub path: Vec<u8>,
}

/// Length and times of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    pub length: u64,
    /// Modification time: seconds and nanoseconds since 1970.
    pub modified: (i64, u32),
    /// Time of any change, also of name or permissions: nobody can set it back.
    changed: (i64, u32),
    device: u64,
    inode: u64,
}

// === impl Meta ===

impl Meta {
    /// `None` if it is no regular file.
    pub(crate) fn of(stat: &Stat) -> Option<Self> {
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return None;
        }
        let nanoseconds = |value| u32::try_from(value).unwrap_or(0);
        Some(Self {
            length: u64::try_from(stat.st_size).unwrap_or(0),
            modified: (stat.st_mtime, nanoseconds(stat.st_mtime_nsec)),
            changed: (stat.st_ctime, nanoseconds(stat.st_ctime_nsec)),
            device: stat.st_dev,
            inode: stat.st_ino,
        })
    }

    /// Modification time for `Last-Modified`: whole seconds, never later than now (RFC 9110, section 8.8.2.1).
    pub fn last_modified(&self, now: Time) -> Time {
        Time(self.modified.0.saturating_mul(1000).clamp(0, now.0.max(0)))
    }

    /// Whether it changed so shortly before `now` that another change may not show in its times: file systems' clocks
    /// tick every two seconds at the coarsest.
    pub fn is_settling(&self, now: Time) -> bool {
        let last = self.modified.max(self.changed);
        now.0.saturating_sub(last.0.saturating_mul(1000)) < SETTLED
    }
}

/// Milliseconds.
const SETTLED: i64 = 2000;

#[cfg(test)]
impl Meta {
    pub(crate) fn testing(length: u64, modified: (i64, u32)) -> Self {
        Self { length, modified, changed: modified, device: 1, inode: 1 }
    }
}
