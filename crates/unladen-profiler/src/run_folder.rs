//! The principal type is [`RunFolder`]: the folder that a run shares with the processes it profiles.
//!
//! ```text
//! /run/unladen-profile/         root's, 0755; in the temporary folder where we are not root, or where much may be written
//!   lock                        shared by all runs; who has it alone may take the folder away
//!   NAME-HASH                   files that runs share: their texts never change
//!   run-RANDOM/                 0711: who knows a name in it can open that
//!     lock                      held as long as the run lives
//!     out/                      the profiled process's, 0700
//! ```
//!
//! Nothing of it outlives the run; but what a run leaves behind that was killed is taken away by the next one.
#![allow(clippy::disallowed_types, reason = "a file's time is wall time")]

use std::fs::{self, File, FileTimes, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use nix::fcntl::{Flock, FlockArg};
use nix::libc;
use nix::unistd::{Gid, Uid, chown};

use crate::error::ProfilerError;

const BASE: &str = "unladen-profile";
const LOCK: &str = "lock";
const RUN: &str = "run-";
const OUT: &str = "out";
/// Letters of a run's name.
const NAME: usize = 16;
/// A run's folder is there before it is locked.
const LOCKED_WITHIN: Duration = Duration::from_secs(10);
/// Others take the common folder away while we are about to use it; not so often.
const TRIES: usize = 100;

/// A folder of this run. It goes when this is dropped.
#[derive(Debug)]
pub(crate) struct RunFolder {
    base: PathBuf,
    own: PathBuf,
    shared: Vec<PathBuf>,
    /// None only while it is dropped.
    common: Option<Flock<File>>,
    _lock: Flock<File>,
}

// === impl RunFolder ===

impl RunFolder {
    /// Makes it, after what dead runs have left was taken away.
    ///
    /// # Errors
    /// When nothing can be written there.
    pub(crate) fn create() -> Result<Self, ProfilerError> {
        let parent = if Uid::effective().is_root() { PathBuf::from("/run") } else { std::env::temp_dir() };
        if parent.is_dir() && Uid::effective().is_root() {
            return Self::create_in(&parent.join(BASE));
        }
        Self::create_for_much()
    }

    /// The same in the folder for temporary files: /run is of memory, and there is little of it.
    ///
    /// # Errors
    /// When nothing can be written there.
    pub(crate) fn create_for_much() -> Result<Self, ProfilerError> {
        Self::create_in(&std::env::temp_dir().join(format!("{BASE}-{}", Uid::effective())))
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
        // Whoever is profiled passes through it, and lists nothing.
        folder(&own, 0o711).map_err(failed(&own))?;
        let lock = new_file(&own.join(LOCK), 0o600).map_err(failed(&own))?;
        let lock = Flock::lock(lock, FlockArg::LockExclusiveNonblock)
            .map_err(|(_, errno)| failed(&own)(io::Error::from(errno)))?;
        Ok(Self { base: base.to_owned(), own, shared: Vec::new(), common: Some(common), _lock: lock })
    }

    /// A file that all runs share, readable by all: whoever caches what it compiles does so once, as neither the path
    /// nor the time ever changes.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn share(&mut self, stem: &str, suffix: &str, text: &str) -> Result<PathBuf, ProfilerError> {
        let path = self.base.join(format!("{stem}-{:016x}.{suffix}", fnv(text.as_bytes())));
        let failed = |source| ProfilerError::Io { doing: "cannot write", path: path.clone(), source };
        if !fs::read(&path).is_ok_and(|there| there == text.as_bytes()) {
            let made = self.own.join("new");
            let mut file = new_file(&made, 0o644).map_err(failed)?;
            io::Write::write_all(&mut file, text.as_bytes()).map_err(failed)?;
            // The process's umask does not count.
            file.set_permissions(fs::Permissions::from_mode(0o644)).map_err(failed)?;
            let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
            file.set_times(FileTimes::new().set_modified(long_ago)).map_err(failed)?;
            fs::rename(&made, &path).map_err(failed)?;
        }
        self.shared.push(path.clone());
        Ok(path)
    }

    /// Where that user, who is profiled, writes to.
    ///
    /// # Errors
    /// When it cannot be made his.
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

    /// A new file of exactly this mode, which is ours.
    ///
    /// # Errors
    /// When it cannot be made; also when it is there.
    pub(crate) fn file(&self, name: &str, mode: u32) -> Result<File, ProfilerError> {
        let path = self.own.join(name);
        let made = OpenOptions::new().read(true).write(true).create_new(true).mode(mode).open(&path);
        let made = made.and_then(|file| {
            // The process's umask does not count.
            file.set_permissions(fs::Permissions::from_mode(mode))?;
            Ok(file)
        });
        made.map_err(|source| ProfilerError::Io { doing: "cannot make", path, source })
    }

    /// The run's name, by which those find the folder who know where it is: 16 letters and digits.
    pub(crate) fn name(&self) -> &str {
        let name = self.own.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.strip_prefix(RUN).unwrap_or(name)
    }

    /// The folder itself, which is nobody's but ours.
    pub(crate) fn path(&self) -> &Path {
        &self.own
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        // What cannot be taken away now the next run takes away.
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

/// Opens a file that the profiled process has written: no link that it has put there instead, and nothing that is not a
/// file.
///
/// # Errors
/// When it is not there, or is none.
pub(crate) fn open_theirs(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is no file")) }
}

/// The lock that all runs share, in a folder that is still there when we have it.
fn common_lock(base: &Path) -> io::Result<Flock<File>> {
    for _ in 0..TRIES {
        folder(base, 0o755)?;
        let found = fs::symlink_metadata(base)?;
        if !found.is_dir() || found.uid() != Uid::effective().as_raw() || found.mode() & 0o022 != 0 {
            return Err(io::Error::other("somebody else has made it"));
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
    Err(io::Error::other("it goes again and again"))
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

/// Makes a folder of exactly this mode; one that is there stays as it is.
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
