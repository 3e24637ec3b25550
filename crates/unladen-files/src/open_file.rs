//! The principal type is [`OpenFile`]: a regular file, open to be read.

use std::os::fd::OwnedFd;

use rustix::fs::{FileType, Stat};
use unladen_cache::Time;

/// A regular file, open to be read. It stays the same file when another is put in its place.
#[derive(Debug)]
pub struct OpenFile {
    pub file: OwnedFd,
    /// What is known of it.
    pub meta: Meta,
    /// Its path beneath the root, without the slash it begins with.
    pub path: Vec<u8>,
}

/// What is known of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    /// Bytes.
    pub length: u64,
    /// Seconds and nanoseconds since 1970 began, when its contents changed last.
    pub modified: (i64, u32),
    /// The same of whatever changed, also its name or rights: nobody can set it back.
    changed: (i64, u32),
    device: u64,
    inode: u64,
}

// === impl Meta ===

impl Meta {
    /// None: it is no regular file.
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

    /// When its contents changed last, for `Last-Modified`: of whole seconds, and never later than now (RFC 9110,
    /// section 8.8.2.1).
    pub fn last_modified(&self, now: Time) -> Time {
        Time(self.modified.0.saturating_mul(1000).clamp(0, now.0.max(0)))
    }

    /// Whether it changed so shortly before `now` that another change may not show in its times: the clock of file
    /// systems ticks, at the coarsest every two seconds.
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
