//! The principal type is [`Original`]: a file's original state, absence and symbolic links included.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown, symlink};
use std::path::{Path, PathBuf};

use nix::libc;
use nix::sys::stat::futimens;
use nix::sys::time::TimeSpec;
use nix::unistd::Uid;
use serde::{Deserialize, Serialize};

use crate::error::Fault;
use crate::place::{Outsider, Place, outsider, settled};
use crate::saver::Saver;
use crate::shell::quoted;

/// Maximum size of a switched file, bytes: it is read whole, and written at every switch.
const LARGEST: u64 = 64 << 20;

/// Original state of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Original {
    /// Path; never a symbolic link unless the link itself is switched.
    pub path: PathBuf,
    was: Was,
    /// Other contents that it may be made to hold, kept in the journal; `None` if unknown.
    #[serde(default)]
    written: Option<Vec<String>>,
    /// It is not replaced atomically: after a power cut it may hold only the beginning of its content.
    #[serde(default)]
    in_pieces: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Was {
    /// Absent, and so were these parent folders, innermost first.
    Absent {
        folders: Vec<PathBuf>,
    },
    Link {
        target: PathBuf,
    },
    File {
        kept: String,
        meta: Meta,
    },
}

/// Metadata of a file. Access lists and extended attributes are not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Meta {
    mode: u32,
    uid: u32,
    gid: u32,
    /// Seconds and nanoseconds since 1970.
    mtime: (i64, i64),
}

/// Wanted content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    Bytes(Vec<u8>),
    Absent,
}

impl Original {
    /// Saves the current state at `path`. A symbolic link is followed unless `link_itself`. Fails when it is neither a
    /// file nor absent, could not be replaced without loss, or cannot be read; when another run switches it.
    pub fn save(path: &Path, link_itself: bool, saver: &mut Saver<'_>) -> Result<Self, Fault> {
        let path = &settled(path).map_err(Fault::file("look at", path))?;
        saver.claim(path)?;
        let original = |was| Self { path: path.to_owned(), was, written: None, in_pieces: false };
        let refuse = |is: &str, instead| Err(Fault::Unsafe { path: path.to_owned(), is: is.to_owned(), instead });
        let found = match fs::symlink_metadata(path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let folders = path.ancestors().skip(1).take_while(|folder| !folder.as_os_str().is_empty());
                let folders = folders.take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
                return Ok(original(Was::Absent { folders }));
            }
            Err(source) => return Err(Fault::file("examine", path)(source)),
        };
        if found.is_symlink() {
            if link_itself {
                let target = fs::read_link(path).map_err(Fault::file("read", path))?;
                return Ok(original(Was::Link { target }));
            }
            // The file behind it is replaced, and the link stays.
            let behind = fs::canonicalize(path).map_err(Fault::file("follow the symbolic link", path))?;
            let owner = fs::metadata(&behind).map_err(Fault::file("examine", &behind))?.uid();
            if ![0, Uid::effective().as_raw(), owner].contains(&found.uid()) {
                return refuse("a link of a user who does not own its target", "name the target file");
            }
            return Self::save(&behind, false, saver);
        }
        if !found.is_file() {
            return refuse("not a regular file", "name a file, or switch it with a command");
        }
        if found.nlink() > 1 {
            return refuse(
                "one of several hard links to a file",
                "replacing it would separate them; switch it with a command",
            );
        }
        if found.len() > LARGEST {
            return refuse("larger than 64 MiB", "switch it with a command, for example `mv`");
        }
        let bytes = read_seen(path, &found).map_err(Fault::file("read", path))?;
        Ok(original(Was::File { kept: saver.keep(&bytes)?, meta: Meta::of(&found) }))
    }

    /// Records all contents that it may be made to hold, so that foreign changes can be recognised later.
    pub(crate) fn holding<'c>(
        mut self,
        contents: impl Iterator<Item = &'c Content>,
        saver: &mut Saver<'_>,
    ) -> Result<Self, Fault> {
        let bytes = contents.filter_map(|content| match content {
            Content::Bytes(bytes) => Some(bytes),
            Content::Absent => None,
        });
        self.written = Some(bytes.map(|bytes| saver.keep(bytes)).collect::<Result<_, _>>()?);
        Ok(self)
    }

    pub(crate) fn in_pieces(self) -> Self {
        Self { in_pieces: true, ..self }
    }

    /// Contents other than the recorded ones are possible, so foreign changes cannot be recognised.
    pub(crate) fn may_hold_anything(&mut self) {
        self.written = None;
    }

    /// Fails if it holds neither its original nor one of our contents: others have changed it, and it is theirs.
    pub(crate) fn refuse_foreign(&self, journal: &Path) -> Result<(), Fault> {
        if self.is_foreign(journal) { Err(Fault::Foreign { path: self.path.clone() }) } else { Ok(()) }
    }

    fn is_foreign(&self, journal: &Path) -> bool {
        let Some(written) = &self.written else { return false };
        // Whoever put a link in the place of a folder has changed it too.
        let place = match Place::of(&self.path, false) {
            Ok(place) => place,
            Err(error) => return error.kind() == io::ErrorKind::Other,
        };
        // For a link, the link itself is switched, not its target.
        if let Ok(leads) = fs::read_link(&place.path) {
            return !matches!(&self.was, Was::Link { target } if *target == leads);
        }
        let Ok(now) = read(&place.path) else { return false };
        let was = match &self.was {
            Was::File { kept, .. } => Some(kept),
            Was::Absent { .. } | Was::Link { .. } => None,
        };
        // An unreadable original is no reason to leave the file: putting it back will report it.
        let holds = |kept: &Vec<u8>| *kept == now || (self.in_pieces && kept.starts_with(&now));
        !written.iter().chain(was).any(|kept| read(&journal.join(kept)).map_or(true, |kept| holds(&kept)))
    }

    pub(crate) fn was_link(&self) -> bool {
        matches!(self.was, Was::Link { .. })
    }

    /// Replaces the content atomically, and keeps owner and mode. When that fails, the file is as before.
    pub fn write(&self, content: &Content) -> Result<(), Fault> {
        match content {
            Content::Absent => self.remove().map(drop),
            Content::Bytes(bytes) => {
                let meta = match &self.was {
                    Was::File { meta, .. } => Some(*meta),
                    Was::Absent { .. } | Was::Link { .. } => None,
                };
                let place = Place::of(&self.path, true);
                place
                    .and_then(|place| replace(&place.path, bytes, meta, false))
                    .map_err(Fault::file("write", &self.path))
            }
        }
    }

    /// Restores the original state; returns whether that changed anything.
    pub fn restore(&self, journal: &Path) -> Result<bool, Fault> {
        let place = match Place::of(&self.path, matches!(self.was, Was::File { .. })) {
            Err(error) if is_gone(&error) && matches!(self.was, Was::Absent { .. }) => return Ok(false),
            place => place.map_err(Fault::file("put back", &self.path))?,
        };
        let path = &place.path;
        // A run killed during a write leaves it behind.
        remove(&beside(path)).map_err(Fault::file("remove", beside(&self.path)))?;
        match &self.was {
            Was::Absent { folders } => {
                let changed = remove(path).map_err(Fault::file("remove", &self.path))?;
                // Folders that others have filled since stay.
                let empty = |folder: &PathBuf| fs::remove_dir(Place::of(folder, false)?.path);
                let _ = folders.iter().try_for_each(empty);
                Ok(changed)
            }
            Was::Link { target } => {
                if fs::read_link(path).is_ok_and(|now| now == *target) {
                    return Ok(false);
                }
                let new = beside(path);
                let made = symlink(target, &new).and_then(|()| fs::rename(&new, path));
                made.map(|()| true).map_err(Fault::file("create the symbolic link", &self.path))
            }
            Was::File { kept, meta } => {
                let kept = journal.join(kept);
                let bytes = read(&kept).map_err(Fault::file("read", kept))?;
                let now = fs::symlink_metadata(path).ok().filter(|now| now.is_file());
                if now.is_some_and(|now| Meta::of(&now) == *meta) && read(path).is_ok_and(|now| now == bytes) {
                    return Ok(false);
                }
                replace(path, &bytes, Some(*meta), true).map_err(Fault::file("put back", &self.path))?;
                Ok(true)
            }
        }
    }

    /// Whether there was anything to remove.
    fn remove(&self) -> Result<bool, Fault> {
        match Place::of(&self.path, false) {
            Err(error) if is_gone(&error) => Ok(false),
            place => place.and_then(|place| remove(&place.path)).map_err(Fault::file("remove", &self.path)),
        }
    }

    /// The command for a shell. In a folder of another user it runs as that user, who could lead root elsewhere; `None`
    /// where anybody could.
    pub(crate) fn by_hand(&self, journal: &Path) -> Option<String> {
        let outsider = self.path.parent().and_then(outsider).filter(|_| Uid::effective().is_root());
        let by = match outsider {
            None => String::new(),
            Some(Outsider::User(uid)) => format!("setpriv --reuid {uid} --regid nogroup --clear-groups -- "),
            Some(Outsider::Anybody) => return None,
        };
        let path = quoted(&self.path);
        Some(match &self.was {
            Was::Absent { .. } => format!("{by}rm -f {path}"),
            Was::Link { target } => format!("{by}ln -sfn -- {} {path}", quoted(target)),
            Was::File { kept, meta } => {
                let (kept, mode) = (quoted(&journal.join(kept)), meta.mode & 0o7777);
                match outsider {
                    // Only root reads what was kept.
                    Some(_) => format!("{by}tee {path} <{kept} >/dev/null && {by}chmod {mode:o} {path}"),
                    None => {
                        let Meta { uid, gid, .. } = meta;
                        format!("cp {kept} {path} && chown {uid}:{gid} {path} && chmod {mode:o} {path}")
                    }
                }
            }
        })
    }
}

impl Meta {
    fn of(found: &Metadata) -> Self {
        Self {
            mode: found.mode() & 0o7777,
            uid: found.uid(),
            gid: found.gid(),
            mtime: (found.mtime(), found.mtime_nsec()),
        }
    }
}

/// Reads the file that was inspected. The owner of its folder may have replaced it since by a link to another user's
/// secret, which would then be restored as a file of theirs; or by a pipe, which would block.
fn read_seen(path: &Path, seen: &Metadata) -> io::Result<Vec<u8>> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let found = file.metadata()?;
    let is_same = (found.dev(), found.ino(), found.uid()) == (seen.dev(), seen.ino(), seen.uid());
    // A pipe may have the number of the file that was removed for it.
    if !is_same || !found.is_file() || found.nlink() != 1 {
        return Err(io::Error::other("it was replaced by another file meanwhile"));
    }
    whole(file)
}

/// Content of a file that is none but this one; `None` if it cannot be read.
pub(crate) fn read_now(path: &Path) -> Option<Vec<u8>> {
    let seen = fs::symlink_metadata(path).ok().filter(Metadata::is_file)?;
    read_seen(path, &seen).ok()
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    whole(OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?)
}

/// Reads at most [`LARGEST`] bytes: a file may have grown since it was inspected.
fn whole(file: File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST { Err(io::Error::other("larger than 64 MiB")) } else { Ok(bytes) }
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn remove(path: &Path) -> io::Result<bool> {
    match fs::remove_file(path) {
        Ok(()) => sync_folder(path).map(|()| true),
        Err(error) if is_gone(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Path of the new file: in the same folder, as renaming works only within a file system, and with a name that readers
/// of `*.ini` or `*.conf` ignore.
fn beside(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".unladen-new");
    path.with_file_name(name)
}

/// Replaces or creates a file atomically, in a folder that exists. `dated`: with the modification time too.
fn replace(path: &Path, bytes: &[u8], meta: Option<Meta>, dated: bool) -> io::Result<()> {
    let new = beside(path);
    remove(&new)?;
    let written = fill(&new, bytes, meta, dated).and_then(|()| match fs::rename(&new, path) {
        // A file that is mounted by itself, as containers do it, can be written but not replaced.
        Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {
            fs::copy(&new, path).and_then(|_| fs::remove_file(&new))
        }
        renamed => renamed,
    });
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written.and_then(|()| sync_folder(path))
}

fn fill(new: &Path, bytes: &[u8], meta: Option<Meta>, dated: bool) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(new)?;
    file.write_all(bytes)?;
    let mode = meta.map_or(0o644, |meta| meta.mode);
    if let Some(meta) = meta {
        let now = Meta::of(&file.metadata()?);
        if (now.uid, now.gid) != (meta.uid, meta.gid) {
            fchown(&file, Some(meta.uid), Some(meta.gid))?;
        }
    }
    // After the owner, as changing that clears set-user-id.
    file.set_permissions(fs::Permissions::from_mode(mode))?;
    if let Some(meta) = meta.filter(|_| dated) {
        let time = TimeSpec::new(meta.mtime.0, meta.mtime.1);
        futimens(&file, &time, &time)?;
    }
    file.sync_all()
}

fn sync_folder(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
