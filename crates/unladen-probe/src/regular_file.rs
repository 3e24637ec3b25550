//! [`reopened`]: files in folders that somebody else fills.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;

use nix::fcntl::OFlag;

/// Opens a file found by `O_PATH` for reading; refuses others than regular ones. A device is not even opened: that
/// alone may have effects (open(2)), with our rights.
pub(crate) fn reopened(found: OwnedFd) -> io::Result<File> {
    let found = File::from(found);
    if !found.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    // The same inode, whatever has its name by now (proc_pid_fd(5)).
    let path = format!("/proc/self/fd/{}", found.as_raw_fd());
    OpenOptions::new().read(true).custom_flags((OFlag::O_NONBLOCK | OFlag::O_NOCTTY).bits()).open(path)
}
