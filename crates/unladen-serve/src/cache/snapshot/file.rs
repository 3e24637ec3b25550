//! The principal type is [`SnapshotFile`]: a snapshot on disk, which nobody but this process's user, or root, could
//! have written.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;
use unladen_cache::{HEADER_LENGTH, SnapshotError, SnapshotHeader};

/// Its mode: what is kept is for everybody who may see the site, and for nobody else.
const MODE: u32 = 0o600;
/// Whoever else may write.
const OTHERS: u32 = 0o022;

/// A snapshot on disk.
#[derive(Debug)]
pub(crate) struct SnapshotFile {
    pub(crate) file: File,
    pub(crate) header: SnapshotHeader,
    pub(crate) length: u64,
}

/// Why a snapshot is not used, or not written.
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
    /// Opens it, if it is of these rules; none: there is none.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>, FileError> {
        let open = |write| open(OpenOptions::new().read(true).write(write), path);
        // Where it cannot be written it can be read all the same.
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

    /// From now on it is no longer the last word: what is purged from now on is missing in it, and if this process
    /// crashes, the next one has to know, also after a loss of power. False: that cannot be written, so it must not be
    /// believed now either.
    pub(crate) fn begin_again(&self) -> bool {
        let header = SnapshotHeader { is_last: false, ..self.header };
        self.file.write_all_at(&header.to_bytes(), 0).and_then(|()| self.file.sync_data()).is_ok()
    }
}

/// A new file beside the one whose place it takes once it is whole.
#[derive(Debug)]
pub(crate) struct NewFile {
    pub(crate) file: File,
    path: PathBuf,
    to: PathBuf,
    is_done: bool,
}

// === impl NewFile ===

impl NewFile {
    /// Begins one; one that a crash has left is begun anew.
    pub(crate) fn begin(to: &Path) -> Result<Self, FileError> {
        let path = new_path(to);
        let file = open(OpenOptions::new().write(true).create(true).mode(MODE), &path)?;
        check(&file)?;
        // Before it is emptied: it may be another's that is being written.
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(FileError::Locked),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        file.set_permissions(std::fs::Permissions::from_mode(MODE))?;
        file.set_len(0)?;
        Ok(Self { file, path, to: to.to_owned(), is_done: false })
    }

    /// It is whole.
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

/// Where it is made.
pub(crate) fn new_path(to: &Path) -> PathBuf {
    let mut path = to.as_os_str().to_owned();
    path.push(".new");
    path.into()
}

/// No link is followed, and nothing waited for.
fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    options.custom_flags((OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_NOCTTY).bits()).open(path)
}

/// Whether nobody else could have written it; its length.
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
