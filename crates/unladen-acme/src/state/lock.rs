//! The principal type is [`Lock`]: one process's exclusive right in a shared folder.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg, OFlag};

use super::file::StateError;

/// Held until it is dropped, or the process ends. On Linux it also works over NFS.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: Flock<File>,
}

impl Lock {
    /// `None` if another process has it.
    pub(super) fn take(path: &Path) -> Result<Option<Self>, StateError> {
        let flags = (OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC).bits();
        let file =
            OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).custom_flags(flags).open(path);
        let file = file.map_err(StateError::of("open", path))?;
        match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(file) => Ok(Some(Self { _file: file })),
            Err((_, Errno::EWOULDBLOCK)) => Ok(None),
            Err((_, errno)) => Err(StateError::of("lock", path)(io::Error::from(errno))),
        }
    }
}
