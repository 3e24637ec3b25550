//! What answers a path. The principal types are [`Resolved`], [`OpenFile`]: a regular file, open to be read; and
//! [`Refusal`]: why an existing file is not sent.

use std::os::fd::OwnedFd;
use std::path::PathBuf;

use rustix::fs::{FileType, Stat};
use rustix::io::Errno;
use unladen_cache::Time;

use crate::htaccess::Denial;

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

/// What answers a path.
#[derive(Debug)]
pub enum Resolved {
    File(OpenFile),
    Script(Script),
    /// A folder whose path lacks the final slash: the path with it, percent-encoded, with exactly one leading slash.
    /// The query has to be appended.
    Redirect(Vec<u8>),
    NotFound,
    Status(u16),
    /// It exists, but may not or cannot be sent.
    Refused(Refusal),
}

/// A program for FastCGI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// `SCRIPT_FILENAME`, beneath `root`.
    pub filename: PathBuf,
    /// `DOCUMENT_ROOT`: the root's real path, without links. When a link is moved, as at a deployment, programs of the
    /// old folder are not mixed with the new one's.
    pub root: PathBuf,
    /// `SCRIPT_NAME`: its path beneath the root, with leading slash.
    pub name: Vec<u8>,
    /// `PATH_INFO`: the rest of the path; empty, or with leading slash.
    pub path_info: Vec<u8>,
}

/// Why an existing file is not sent. It names the path for the log; clients see only the status.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The system does not let this process read it.
    #[error("{}: this process may not read it; allow its user to read the file and to enter its folders", .0.display())]
    Denied(PathBuf),
    #[error("{}: a link leads to {}, which is outside the root; name its folder in `files.links`, or make a route \
        with its own `root` for it", .0.display(), .1.display())]
    Outside(PathBuf, PathBuf),
    /// A link leads to a name that is not sent by itself either.
    #[error("{}: a link leads to {}, which is not sent under its own name either: it is hidden, private, or the \
        source of a script; or it is not a script, but the link has a script's name", .0.display(), .1.display())]
    Unsent(PathBuf, PathBuf),
    /// Its name is that of a file that is never a page.
    #[error("{}: the file has the name of {}; move it out of the root, or allow it in `files.allow` if it is public", .0.display(), .1)]
    Private(PathBuf, &'static str),
    #[error("{}: {}", .0.display(), .2.of(.1))]
    Htaccess(PathBuf, PathBuf, Denial),
    /// It is no regular file: a pipe, a socket, a device.
    #[error("{}: it is not a regular file", .0.display())]
    Special(PathBuf),
    /// The system is out of file descriptors or memory.
    #[error("{path}: {1}", path = .0.display())]
    Exhausted(PathBuf, Errno),
    #[error("{path}: {1}", path = .0.display())]
    Failed(PathBuf, Errno),
}

impl Refusal {
    /// The status that clients get.
    pub fn status(&self) -> u16 {
        match self {
            Self::Denied(_) | Self::Htaccess(..) => 403,
            Self::Outside(..) | Self::Unsent(..) | Self::Private(..) | Self::Special(_) => 404,
            Self::Exhausted(..) => 503,
            Self::Failed(..) => 500,
        }
    }
}
