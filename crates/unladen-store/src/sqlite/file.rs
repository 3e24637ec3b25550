//! A store's file and folder: created for the owner alone, and not taken over from others.
//!
//! Results contain URLs and texts of SQL statements. So the folder has mode 0700, the file 0600; SQLite gives the files
//! beside it (`-wal`, `-shm`) the same.

use std::fs::{DirBuilder, Metadata, OpenOptions};
use std::io::{Error, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::{AT_FDCWD, AtFlags};
use nix::unistd::{AccessFlags, Uid, faccessat};

use crate::store::Mode;
use crate::store_error::StoreError;

/// Endings of SQLite's files beside a database.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// The file's path without links, once it exists and is usable in this mode.
pub(super) fn prepare(file: &Path, mode: Mode) -> Result<PathBuf, StoreError> {
    if file.as_os_str().is_empty() {
        return Err(StoreError::NoHome);
    }
    let Some(name) = file.file_name() else {
        return Err(StoreError::NotAFile { path: file.to_owned() });
    };
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if mode == Mode::ReadWrite {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(|source| no_access(folder, source))?;
    }
    let no_store = || StoreError::NoStore { store: file.display().to_string() };
    let folder = folder.canonicalize().map_err(|error| match error.kind() {
        ErrorKind::NotFound => no_store(),
        _ => no_access(folder, error),
    })?;
    let path = folder.join(name);
    let found = match path.symlink_metadata() {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound && mode == Mode::ReadWrite => create(&path)?,
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(no_store()),
        Err(error) => return Err(no_access(&path, error)),
    };
    check(&path, &found, mode)?;
    for ending in BESIDE {
        let beside = beside(&path, ending);
        if let Ok(found) = beside.symlink_metadata() {
            check(&beside, &found, mode)?;
        }
    }
    if mode == Mode::ReadWrite {
        // Each user of the store creates and removes files there.
        may(&folder, AccessFlags::W_OK | AccessFlags::X_OK)?;
        may(&path, AccessFlags::R_OK | AccessFlags::W_OK)?;
    } else {
        may(&path, AccessFlags::R_OK)?;
    }
    Ok(path)
}

pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// An empty file is an empty database.
fn create(path: &Path) -> Result<Metadata, StoreError> {
    let made = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path);
    match made {
        Ok(file) => file.metadata().map_err(|source| no_access(path, source)),
        // Another process was quicker.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            path.symlink_metadata().map_err(|source| no_access(path, source))
        }
        Err(error) if error.kind() == ErrorKind::StorageFull => {
            Err(StoreError::Full { store: path.display().to_string() })
        }
        Err(error) => Err(no_access(path, error)),
    }
}

/// In a folder that others can write to, they could replace a store by something else, and so read or overwrite our
/// data.
fn check(path: &Path, found: &Metadata, mode: Mode) -> Result<(), StoreError> {
    if found.is_symlink() {
        return Err(StoreError::Link { path: path.to_owned() });
    }
    if !found.is_file() {
        return Err(StoreError::NotAFile { path: path.to_owned() });
    }
    let (owner, user) = (found.uid(), Uid::effective().as_raw());
    if owner != user && mode == Mode::ReadWrite {
        return Err(StoreError::ForeignOwner { path: path.to_owned(), owner, user });
    }
    Ok(())
}

fn may(path: &Path, access: AccessFlags) -> Result<(), StoreError> {
    faccessat(AT_FDCWD, path, access, AtFlags::AT_EACCESS).map_err(|error| no_access(path, error.into()))
}

fn no_access(path: &Path, source: Error) -> StoreError {
    match source.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => StoreError::Full { store: path.display().to_string() },
        _ => StoreError::NoAccess { path: path.to_owned(), source },
    }
}
