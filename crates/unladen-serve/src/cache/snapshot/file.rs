//! The principal type is [`SnapshotFile`]: a snapshot on disk that only this process's user, or root, could have
//! written. It bears the [`fingerprint`] of the settings by which its pages were made.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;
use nix::unistd::{AccessFlags, access};
use serde_json::Value;
use unladen_cache::{HEADER_LENGTH, SnapshotError, SnapshotHeader};
use unladen_serve_config::SiteSettings;
use xxhash_rust::xxh3::xxh3_128;

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
    #[error("it is not a regular file: remove it, or set `snapshot.file` to another name")]
    Kind,
    #[error("it belongs to user {0}, and its content would be trusted: remove it, or make it this user's (chown)")]
    Owner(u32),
    #[error("its mode is {0:04o}, so others could have changed it: remove it")]
    Mode(u32),
    #[error("{0}")]
    Content(#[from] SnapshotError),
    #[error("the site's configuration was different when it was written")]
    Configuration,
    #[error("another process writes it: each site needs its own file")]
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

/// One sentence for each problem with a site's file. Writes nothing.
pub(crate) fn doubts(path: &Path) -> Vec<String> {
    let mut doubts = Vec::new();
    let shown = path.display();
    for path in [path.to_owned(), new_path(path)] {
        match SnapshotFile::open(&path) {
            // Wrong content is reported when it is read, and the file is written anew.
            Ok(_) | Err(FileError::Content(_)) => {}
            Err(error) => doubts.push(format!("the snapshot {} cannot be used: {error}", path.display())),
        }
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        let to = "create it with `mkdir` (or `StateDirectory=` of systemd)";
        doubts.push(format!("the snapshot {shown} cannot be written: its folder does not exist; {to}"));
    } else if let Err(error) = access(folder, AccessFlags::W_OK | AccessFlags::X_OK) {
        doubts.push(format!("the snapshot {shown} cannot be written into its folder: {}", error.desc()));
    }
    doubts
}

/// Keys of a site that change no page: where it listens, whom it lets in, its limits. Unlisted keys count, so that a
/// new one counts until somebody has thought about it.
const HARMLESS: [&str; 12] = [
    "redirect",
    "tls",
    "acme",
    "hsts",
    "per_client",
    "clients",
    "retry_after",
    "queue",
    "error_page",
    "snapshot",
    "preset",
    "is_default",
];

/// The same for its cache.
const HARMLESS_OF_CACHE: [&str; 8] =
    ["memory", "largest", "variants", "ignore_reload", "uncacheable", "purge", "purge_unix", "tier"];

/// Keys of the proxy that say which application it is, and what it is told.
const TELLING_OF_PROXY: [&str; 4] = ["host", "forwarded", "via", "upstream"];
/// Keys of `upstream` that say where it is.
const TELLING_OF_UPSTREAM: [&str; 3] = ["name", "origins", "protocol"];

/// Fingerprint of all settings by which pages are made, admitted and found: by other rules, stored pages mean something
/// else. `None` if the settings cannot be serialised; then nothing is kept.
pub(crate) fn fingerprint(settings: &SiteSettings) -> Option<u128> {
    let mut all = serde_json::to_value(settings).ok()?;
    let site = all.as_object_mut()?;
    site.retain(|key, _| !HARMLESS.contains(&key.as_str()));
    if let Some(Value::Object(cache)) = site.get_mut("cache") {
        cache.retain(|key, _| !HARMLESS_OF_CACHE.contains(&key.as_str()));
    }
    if let Some(Value::Object(proxy)) = site.get_mut("proxy") {
        proxy.retain(|key, _| TELLING_OF_PROXY.contains(&key.as_str()));
        if let Some(Value::Object(upstream)) = proxy.get_mut("upstream") {
            upstream.retain(|key, _| TELLING_OF_UPSTREAM.contains(&key.as_str()));
        }
    }
    // The keys are sorted.
    Some(xxh3_128(&serde_json::to_vec(&all).ok()?))
}
