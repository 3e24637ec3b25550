//! The principal type is [`HeldFolder`]: the application's folder as it was when reading began.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;
use nix::unistd::geteuid;
use unladen_prove::{Place, outsider};

use crate::classmap::place::kept;

/// Its owner may put a link in its place while it is read, or in that of a folder on the way to a file: root's map would
/// then land in another application.
#[derive(Debug)]
pub(super) struct HeldFolder {
    path: PathBuf,
    folder: File,
    /// Where the folder was, without links, when it was opened.
    real: PathBuf,
    /// The folder of the file that the caller named, and its path.
    named: Option<(PathBuf, File)>,
}

/// Where a file is written; its path is valid as long as this value lives.
#[derive(Debug)]
pub(super) struct Way {
    pub(super) path: PathBuf,
    _place: Option<Place>,
}

impl HeldFolder {
    /// The folder, and that of the file that the caller named. Fails if one cannot be opened, or another user's link led
    /// root to it: that may lead elsewhere while it is read.
    pub(super) fn open(path: &Path, named: Option<&Path>) -> io::Result<Self> {
        let (folder, real) = opened(path)?;
        // One that is not there is made, or refused, when the file is written.
        let named = match named.and_then(Path::parent) {
            Some(parent) if parent.exists() => Some((parent.to_owned(), opened(parent)?.0)),
            _ => None,
        };
        Ok(Self { path: path.to_owned(), folder, real, named })
    }

    /// The way to this file, which the caller `named`, or which its place in the folder, or what is in it, tells: no
    /// link leads elsewhere from there. Fails for a file that is another application's.
    pub(super) fn way_to(&self, file: &Path, named: bool) -> io::Result<Way> {
        let as_it_is = |path: PathBuf| Ok(Way { path, _place: None });
        if let (Some(folder), Some(name)) = (file.parent(), file.file_name())
            && folder == self.path
        {
            return as_it_is(descriptor(&self.folder).join(name));
        }
        if let (Some((parent, folder)), Some(name)) = (&self.named, file.file_name())
            && file.parent() == Some(parent)
        {
            return as_it_is(descriptor(folder).join(name));
        }
        let held = self.folder.metadata()?;
        let identity = |found: &Metadata| (found.dev(), found.ino());
        if identity(&self.path.metadata()?) != identity(&held) {
            return Err(io::Error::other(format!("{} became another folder meanwhile", self.path.display())));
        }
        // It may have become another one, and this one again: what was read meanwhile tells nothing of this one.
        match named || kept(&self.real).is_some_and(|kept| kept == file) {
            true => as_it_is(file.to_owned()),
            false => self.way_into(file, &held),
        }
    }

    fn way_into(&self, file: &Path, held: &Metadata) -> io::Result<Way> {
        let place = Place::of(file, false)?;
        let owner = place.path.parent().unwrap_or(file).metadata()?.uid();
        let is_anothers = owner != held.uid() || file.parent().and_then(outsider) != outsider(&self.real);
        if is_anothers && !file.starts_with(&self.real) {
            return Err(io::Error::other(format!("it is outside of {}, and another user's", self.real.display())));
        }
        Ok(Way { path: place.path.clone(), _place: Some(place) })
    }
}

/// A folder, and where it is without links.
fn opened(path: &Path) -> io::Result<(File, PathBuf)> {
    let flags = OFlag::O_PATH | OFlag::O_DIRECTORY;
    let folder = OpenOptions::new().read(true).custom_flags(flags.bits()).open(path)?;
    let real = descriptor(&folder).read_link()?;
    if real != path && geteuid().is_root() && outsider(path) != outsider(&real) {
        let what = format!("a link of another user leads to {}: name that folder", real.display());
        return Err(io::Error::other(what));
    }
    Ok((folder, real))
}

fn descriptor(folder: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()))
}

#[cfg(test)]
mod tests;
