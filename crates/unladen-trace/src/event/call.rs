//! The principal type is [`FileCall`]: system calls by effect.

/// System calls that name a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileCall {
    /// stat, lstat, newfstatat, statx.
    Stat,
    /// access, faccessat.
    Access,
    Open,
    /// open for writing, or creating.
    OpenWrite,
    /// open that must create the file (`O_CREAT | O_EXCL`), as for lock files and temporary files.
    Create,
    Readlink,
    /// link, symlink.
    Link,
    Unlink,
    Rename,
    /// mkdir, rmdir.
    Folder,
    Chdir,
    /// chmod, chown, truncate, utimens.
    Change,
}

impl FileCall {
    /// Whether it returns a descriptor.
    pub fn opens(self) -> bool {
        matches!(self, Self::Open | Self::OpenWrite | Self::Create)
    }
}

/// Calls that lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LockCall {
    Flock,
    /// fcntl(2): F_SETLK and its kind.
    Fcntl,
}

/// The direction of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// read, recv and their kind.
    In,
    /// write, send and their kind.
    Out,
}
