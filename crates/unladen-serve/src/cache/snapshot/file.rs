//! The principal type is [`SnapshotFile`]: a snapshot on disk that only this process's user, or root, could have
//! written.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;
use unladen_cache::{HEADER_LENGTH, SnapshotError, SnapshotHeader};

/// File mode: its content is for those who may see the site only.
const MODE: u32 = 0o600;
/// Write permission of group and others.
const OTHERS: u32 = 0o022;

#[derive(Debug)]
pub(crate) struct SnapshotFile {
    pub(crate) file: File,
    pub(crate) header: SnapshotHeader,
    pub(crate) length: u64,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("it is no regular file: remove it, or give another name as `snapshot.file`")]
    Kind,
    #[error("it belongs to user {0}, and what it says would be believed: remove it, or make it this user's (chown)")]
    Owner(u32),
    #[error("its mode is {0:04o}, so others could have written what it says: remove it")]
    Mode(u32),
    #[error("{0}")]
    Content(#[from] SnapshotError),
    #[error("the site was configured otherwise when it was written")]
    Configuration,
    #[error("another process writes it: each site needs a file of its own")]
    Locked,
}

impl SnapshotFile {
    /// Opens it, if it passes the checks; `None` if there is no file.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>, FileError> {
        let open = |write| open(OpenOptions::new().read(true).write(write), path);
        // A file that cannot be written can still be read.
        let file = match open(true).or_else(|_| open(false)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let length = check(&file)?;
        let mut header = [0; HEADER_LENGTH];
        file.read_exact_at(&mut header, 0).map_err(short)?;
        let header = SnapshotHeader::read(&header)?;
        Ok(Some(Self { file, header, length }))
    }

    /// Marks it as no longer final: later purges are missing in it, which the next process has to know after a crash or
    /// a loss of power. `false` if that cannot be written, and it must not be trusted now either.
    pub(crate) fn begin_again(&self) -> bool {
        let header = SnapshotHeader { is_last: false, ..self.header };
        self.file.write_all_at(&header.to_bytes(), 0).and_then(|()| self.file.sync_data()).is_ok()
    }
}

/// A new file beside the one it replaces once it is whole.
#[derive(Debug)]
pub(crate) struct NewFile {
    pub(crate) file: File,
    path: PathBuf,
    to: PathBuf,
    is_done: bool,
}

// === impl NewFile ===

impl NewFile {
    /// Begins one; restarts one left by a crash.
    pub(crate) fn begin(to: &Path) -> Result<Self, FileError> {
        let path = new_path(to);
        let file = open(OpenOptions::new().write(true).create(true).mode(MODE), &path)?;
        check(&file)?;
        // Locked before truncation: another process may be writing it.
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(FileError::Locked),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        file.set_permissions(std::fs::Permissions::from_mode(MODE))?;
        file.set_len(0)?;
        Ok(Self { file, path, to: to.to_owned(), is_done: false })
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.file.sync_all()?;
        std::fs::rename(&self.path, &self.to)?;
        self.is_done = true;
        let folder = self.to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(folder)?.sync_all()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.is_done {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

pub(crate) fn new_path(to: &Path) -> PathBuf {
    let mut path = to.as_os_str().to_owned();
    path.push(".new");
    path.into()
}

/// Opens without following links and without blocking.
fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    options.custom_flags((OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_NOCTTY).bits()).open(path)
}

/// Checks that nobody else could have written it; returns its length.
fn check(file: &File) -> Result<u64, FileError> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(FileError::Kind);
    }
    let owner = metadata.uid();
    if owner != 0 && owner != nix::unistd::geteuid().as_raw() {
        return Err(FileError::Owner(owner));
    }
    if metadata.mode() & OTHERS != 0 {
        return Err(FileError::Mode(metadata.mode() & 0o7777));
    }
    Ok(metadata.len())
}

pub(super) fn short(error: io::Error) -> FileError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => SnapshotError::Short.into(),
        _ => error.into(),
    }
}
