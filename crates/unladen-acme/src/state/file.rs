//! Atomic replacement of files. The principal type is [`StateError`].

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::Serialize;

/// The state cannot be stored.
#[derive(Debug, thiserror::Error)]
#[error("cannot {doing} {}: {source}{}", path.display(), hint(source))]
pub struct StateError {
    pub path: PathBuf,
    pub doing: &'static str,
    pub source: io::Error,
}

impl StateError {
    pub(super) fn of(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self { path: path.to_owned(), doing, source }
    }
}

fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "; give `acme` a folder as `state` that this user may write to (StateDirectory= of systemd makes one)"
        }
        _ => "",
    }
}

/// Creates a folder and its parents, for this user alone.
pub(super) fn make(path: &Path) -> Result<(), StateError> {
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(StateError::of("make the folder", path))
}

/// Replaces a file, for this user alone: after a loss of power it is the old one or the new one.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), StateError> {
    let new = path.with_extension(format!("new.{}", std::process::id()));
    let written = write(&new, bytes).map_err(StateError::of("write", &new));
    let replaced = written.and_then(|()| std::fs::rename(&new, path).map_err(StateError::of("replace", path)));
    if replaced.is_err() {
        let _ = std::fs::remove_file(&new);
    }
    replaced?;
    // The folder holds the name.
    let folder = path.parent().unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(StateError::of("sync", folder))
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Left by a dead process with this number. A link that somebody put here is not followed.
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

pub(super) fn replace_json(path: &Path, value: &impl Serialize) -> Result<(), StateError> {
    let text = serde_json::to_vec_pretty(value).map_err(io::Error::from).map_err(StateError::of("write", path))?;
    replace(path, &text)
}

/// A folder name that is unique for each URL: unsuitable characters are written as numbers.
pub(super) fn name_of(directory: &str) -> String {
    let rest = directory.strip_prefix("https://").unwrap_or(directory);
    let mut name = String::new();
    for byte in rest.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' => name.push(char::from(byte)),
            b'.' if !name.is_empty() => name.push('.'),
            _ => name.push_str(&format!("_{byte:02x}")),
        }
    }
    name
}
