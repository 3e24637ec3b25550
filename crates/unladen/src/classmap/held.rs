//! The principal type is [`HeldFolder`]: the application's folder as it was when reading began.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;

/// Its owner may put a link in its place while it is read: root's map would then land in another application.
#[derive(Debug)]
pub(super) struct HeldFolder {
    path: PathBuf,
    folder: File,
}

impl HeldFolder {
    /// Fails if it cannot be opened.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlag::O_PATH | OFlag::O_DIRECTORY;
        let folder = OpenOptions::new().read(true).custom_flags(flags.bits()).open(path)?;
        Ok(Self { path: path.to_owned(), folder })
    }

    /// A path to this file that no link leads elsewhere, valid as long as this value lives: one in the folder itself by
    /// its descriptor. For others, fails if another folder is in this one's place, as their paths may come of that.
    pub(super) fn way_to(&self, file: &Path) -> io::Result<PathBuf> {
        if let (Some(folder), Some(name)) = (file.parent(), file.file_name())
            && folder == self.path
        {
            return Ok(PathBuf::from(format!("/proc/self/fd/{}", self.folder.as_raw_fd())).join(name));
        }
        let identity = |found: Metadata| (found.dev(), found.ino());
        match identity(self.path.metadata()?) == identity(self.folder.metadata()?) {
            true => Ok(file.to_owned()),
            false => Err(io::Error::other(format!("{} became another folder meanwhile", self.path.display()))),
        }
    }
}

#[cfg(test)]
mod tests;
