//! The principal type is [`RunFolder`]: the folder that a run shares with the processes it profiles.
//!
//! ```text
//! /run/unladen-profile/         root's, 0755; in /var/cache where much may be written, and a user's in the temporary folder
//!   lock                        shared by all runs; who has it alone may take the folder away
//!   NAME-HASH                   files that runs share: their texts never change
//!   run-RANDOM/                 0711: who knows a name in it can open that
//!     lock                      held as long as the run lives
//!     out/                      the profiled process's, 0700
//! ```
//!
//! Nothing of it outlives the run; the next run removes what a killed one has left.
#![allow(clippy::disallowed_types, reason = "a file's time is wall time")]

use std::fs::{self, File, FileTimes, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use nix::fcntl::{Flock, FlockArg};
use nix::libc;
use nix::unistd::{AccessFlags, Gid, Uid, access, chown};

use crate::profiler::ProfilerError;

const BASE: &str = "unladen-profile";
const LOCK: &str = "lock";
const RUN: &str = "run-";
const OUT: &str = "out";
const NAME: usize = 16;
/// A run's folder exists before it is locked.
const LOCKED_WITHIN: Duration = Duration::from_secs(10);
/// Others may remove the common folder while we are about to use it, but not this often.
const TRIES: usize = 100;

/// The folder of this run, removed when dropped.
#[derive(Debug)]
pub(crate) struct RunFolder {
    base: PathBuf,
    own: PathBuf,
    shared: Vec<PathBuf>,
    /// `None` only while dropping.
    common: Option<Flock<File>>,
    _lock: Flock<File>,
}

// === impl RunFolder ===

impl RunFolder {
    /// Creates it after removing the leftovers of dead runs. Fails if nothing can be written there.
    pub(crate) fn create() -> Result<Self, ProfilerError> {
        Self::create_in(&base(Path::new("/run")))
    }

    /// The same where there is room: /run is in memory.
    pub(crate) fn create_for_much() -> Result<Self, ProfilerError> {
        Self::create_in(&base(Path::new("/var/cache")))
    }

    fn create_in(base: &Path) -> Result<Self, ProfilerError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| ProfilerError::Io { doing: "cannot make", path, source }
        };
        let common = common_lock(base).map_err(failed(base))?;
        remove_dead_runs(base);
        let random: String = std::iter::repeat_with(fastrand::alphanumeric).take(NAME).collect();
        let own = base.join(format!("{RUN}{random}"));
        // Profiled processes pass through it, but cannot list it.
        folder(&own, 0o711).map_err(failed(&own))?;
        let lock = new_file(&own.join(LOCK), 0o600).map_err(failed(&own))?;
        let lock = Flock::lock(lock, FlockArg::LockExclusiveNonblock)
            .map_err(|(_, errno)| failed(&own)(io::Error::from(errno)))?;
        Ok(Self { base: base.to_owned(), own, shared: Vec::new(), common: Some(common), _lock: lock })
    }

    /// A file shared by all runs and readable by all: its path and time never change, so that compilers' caches work.
    /// Fails if it cannot be written.
    pub(crate) fn share(&mut self, stem: &str, suffix: &str, text: &str) -> Result<PathBuf, ProfilerError> {
        let path = self.base.join(format!("{stem}-{:016x}.{suffix}", fnv(text.as_bytes())));
        let failed = |source| ProfilerError::Io { doing: "cannot write", path: path.clone(), source };
        if !fs::read(&path).is_ok_and(|there| there == text.as_bytes()) {
            let made = self.own.join("new");
            let mut file = new_file(&made, 0o644).map_err(failed)?;
            io::Write::write_all(&mut file, text.as_bytes()).map_err(failed)?;
            // Overrides the umask.
            file.set_permissions(fs::Permissions::from_mode(0o644)).map_err(failed)?;
            let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
            file.set_times(FileTimes::new().set_modified(long_ago)).map_err(failed)?;
            fs::rename(&made, &path).map_err(failed)?;
        }
        self.shared.push(path.clone());
        Ok(path)
    }

    /// The folder to which the profiled user writes. Fails if ownership cannot be changed.
    pub(crate) fn out(&self, uid: u32, gid: u32) -> Result<PathBuf, ProfilerError> {
        let path = self.own.join(OUT);
        let made = folder(&path, 0o700).and_then(|()| {
            if Uid::effective().is_root() {
                chown(&path, Some(Uid::from_raw(uid)), Some(Gid::from_raw(gid)))?;
            }
            Ok(())
        });
        made.map_err(|source| ProfilerError::Io { doing: "cannot make", path: path.clone(), source })?;
        Ok(path)
    }

    /// A new file of exactly this mode, owned by us. Fails if it cannot be made or exists.
    pub(crate) fn file(&self, name: &str, mode: u32) -> Result<File, ProfilerError> {
        let path = self.own.join(name);
        let made = OpenOptions::new().read(true).write(true).create_new(true).mode(mode).open(&path);
        let made = made.and_then(|file| {
            // Overrides the umask.
            file.set_permissions(fs::Permissions::from_mode(mode))?;
            Ok(file)
        });
        made.map_err(|source| ProfilerError::Io { doing: "cannot make", path, source })
    }

    /// The run's name, by which others find the folder: 16 letters and digits.
    pub(crate) fn name(&self) -> &str {
        let name = self.own.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.strip_prefix(RUN).unwrap_or(name)
    }

    /// The folder itself, which is ours alone.
    pub(crate) fn path(&self) -> &Path {
        &self.own
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        // What cannot be removed now the next run removes.
        let _ = fs::remove_dir_all(&self.own);
        let Some(common) = self.common.take() else { return };
        let Ok(file) = common.unlock() else { return };
        let Ok(_alone) = Flock::lock(file, FlockArg::LockExclusiveNonblock) else { return };
        for entry in fs::read_dir(&self.base).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if name != LOCK && !name.to_string_lossy().starts_with(RUN) {
                let _ = fs::remove_file(entry.path());
            }
        }
        let _ = fs::remove_file(self.base.join(LOCK));
        let _ = fs::remove_dir(&self.base);
    }
}

/// Opens a file written by the profiled process. Fails if it is missing, a link, or not regular.
pub(crate) fn open_theirs(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is not a file")) }
}

/// Root's is in a folder in which nobody else can make it first, unless that is read-only, as a container's may be; a
/// user's is in the temporary folder.
fn base(of_root: &Path) -> PathBuf {
    match Uid::effective().is_root() && access(of_root, AccessFlags::W_OK).is_ok() {
        true => of_root.join(BASE),
        false => std::env::temp_dir().join(format!("{BASE}-{}", Uid::effective())),
    }
}

/// The lock shared by all runs, in a folder that still exists once we have it.
fn common_lock(base: &Path) -> io::Result<Flock<File>> {
    for _ in 0..TRIES {
        folder(base, 0o755)?;
        let found = fs::symlink_metadata(base)?;
        if !found.is_dir() || found.uid() != Uid::effective().as_raw() || found.mode() & 0o022 != 0 {
            return Err(io::Error::other("another user created it"));
        }
        let opened = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(libc::O_NOFOLLOW)
            .open(base.join(LOCK));
        let file = match opened {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        let inode = file.metadata()?.ino();
        let lock = Flock::lock(file, FlockArg::LockShared).map_err(|(_, errno)| errno)?;
        if fs::metadata(base.join(LOCK)).is_ok_and(|there| there.ino() == inode) {
            return Ok(lock);
        }
    }
    Err(io::Error::other("it disappears again and again"))
}

fn remove_dead_runs(base: &Path) {
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        let is_run =
            entry.file_name().to_string_lossy().starts_with(RUN) && entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_run && is_dead(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_dead(run: &Path) -> bool {
    match OpenOptions::new().write(true).custom_flags(libc::O_NOFOLLOW).open(run.join(LOCK)) {
        Ok(file) => Flock::lock(file, FlockArg::LockExclusiveNonblock).is_ok(),
        Err(_) => {
            let made = run.metadata().and_then(|folder| folder.modified());
            made.is_ok_and(|made| made.elapsed().is_ok_and(|age| age > LOCKED_WITHIN))
        }
    }
}

/// Makes a folder of exactly this mode; an existing one is unchanged.
fn folder(path: &Path, mode: u32) -> io::Result<()> {
    match fs::DirBuilder::new().mode(mode).create(path) {
        Ok(()) => fs::set_permissions(path, fs::Permissions::from_mode(mode)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

fn new_file(path: &Path, mode: u32) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(mode).open(path)
}

/// The hash FNV-1a, which is the same in every build.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests;
