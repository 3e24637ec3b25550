//! The principal type is [`Lock`]: the right of one process, among all that share a folder.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg, OFlag};

use super::file::StateError;

/// Held until it is dropped, or the process ends. Linux has it hold over NFS too.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: Flock<File>,
}

impl Lock {
    /// None: another has it.
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
