//! The principal type is [`Place`]: a file by the descriptor of its folder, so that no link leads elsewhere.
//!
//! A folder on the way may be another user's, who can put a link in its place at any time: root would then write, or
//! remove, a file of root's.

use std::fmt;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, open, openat};
use nix::libc;
use nix::sys::stat::{Mode, fstatat, mkdirat};
use nix::unistd::{Uid, User};

/// Like a folder that `create_dir_all` makes, less the umask.
const MODE: Mode = Mode::from_bits_truncate(0o777);

/// In such a folder, users may remove and rename only what is theirs.
const STICKY: u32 = 0o1000;

/// A file by the descriptor of its folder.
#[derive(Debug)]
pub struct Place {
    _folder: OwnedFd,
    /// The file, through the descriptor: it is valid as long as this value lives.
    pub path: PathBuf,
}

impl Place {
    /// Opens the folder of an absolute path, part by part, and makes missing ones if it is to.
    ///
    /// # Errors
    /// `NotFound` and `NotADirectory` as usual; another one where a part is a symbolic link.
    pub fn of(path: &Path, make: bool) -> io::Result<Self> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        };
        let flags = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let mut folder = open("/", flags, Mode::empty())?;
        for part in parent.components() {
            let part = match part {
                Component::RootDir | Component::CurDir => continue,
                Component::Normal(part) => part,
                Component::ParentDir | Component::Prefix(_) => {
                    return Err(io::Error::from(io::ErrorKind::InvalidInput));
                }
            };
            let opened = match openat(&folder, part, flags, Mode::empty()) {
                Err(Errno::ENOENT) if make => {
                    mkdirat(&folder, part, MODE)?;
                    openat(&folder, part, flags, Mode::empty())
                }
                opened => opened,
            };
            folder = opened.map_err(|errno| {
                let found = fstatat(&folder, part, AtFlags::AT_SYMLINK_NOFOLLOW);
                match found.is_ok_and(|found| found.st_mode & libc::S_IFMT == libc::S_IFLNK) {
                    true => io::Error::other(format!(
                        "{} has become a symbolic link on the way there: it is not followed",
                        part.to_string_lossy()
                    )),
                    false => errno.into(),
                }
            })?;
        }
        let path = PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd())).join(name);
        Ok(Self { _folder: folder, path })
    }
}

/// The path with the links of its folders followed, as far as these exist.
pub(crate) fn settled(path: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    let mut missing = Vec::new();
    let mut there = path.as_path();
    while let (Some(parent), Some(name)) = (there.parent(), there.file_name()) {
        missing.push(name);
        there = parent;
        match parent.canonicalize() {
            Ok(parent) => return Ok(missing.iter().rev().fold(parent, |path, name| path.join(name))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(path)
}

/// Who besides root decides what is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outsider {
    User(Uid),
    /// Whoever may write into a folder, make a missing one, or chose the path.
    Anybody,
}

impl fmt::Display for Outsider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Anybody => f.write_str("a user who may write there"),
            Self::User(uid) => match User::from_uid(*uid).ok().flatten() {
                Some(user) => f.write_str(&user.name),
                None => write!(f, "user {uid}"),
            },
        }
    }
}

/// Who besides root decides what is in this folder, so that root must not follow its paths: the owner of a folder on the
/// way, or whoever may write into one or make one that is missing. `None` if nobody can.
pub fn outsider(folder: &Path) -> Option<Outsider> {
    // Other processes' files, and the caller's working folder.
    if !folder.is_absolute() || folder.starts_with("/proc") {
        return Some(Outsider::Anybody);
    }
    let parts: Vec<&Path> = folder.ancestors().collect();
    let mut is_open = false;
    for part in parts.into_iter().rev() {
        let Ok(found) = part.symlink_metadata() else { return is_open.then_some(Outsider::Anybody) };
        if found.uid() != 0 {
            return Some(Outsider::User(Uid::from_raw(found.uid())));
        }
        is_open = found.is_dir() && found.mode() & 0o022 != 0;
        if is_open && found.mode() & STICKY == 0 {
            return Some(Outsider::Anybody);
        }
    }
    // Where root's own links lead.
    let real = folder.canonicalize().ok().filter(|real| real != folder);
    real.and_then(|real| outsider(&real)).or_else(|| is_open.then_some(Outsider::Anybody))
}

#[cfg(test)]
mod tests;
