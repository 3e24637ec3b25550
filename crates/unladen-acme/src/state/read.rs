//! Reads files that others may have written: bounded, and without following links.

use std::fs::OpenOptions;
use std::io;
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nix::fcntl::OFlag;
use serde::de::DeserializeOwned;

/// A part of the state: `None` if it is missing; the error says why it is invalid.
pub(crate) type Found<T> = Result<Option<T>, String>;

pub(super) fn parsed<T>(path: &Path, longest: u64, parse: impl FnOnce(&[u8]) -> Result<T, String>) -> Found<T> {
    let bytes = match bytes(path, longest) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    parse(&bytes).map(Some)
}

pub(super) fn json<T: DeserializeOwned>(path: &Path, longest: u64) -> Found<T> {
    parsed(path, longest, |bytes| serde_json::from_slice(bytes).map_err(|error| error.to_string()))
}

fn bytes(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    // A pipe would block for ever.
    let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits()).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let mut bytes = Vec::new();
    file.take(longest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > longest {
        return Err(io::Error::other(format!("it is longer than {longest} bytes")));
    }
    Ok(bytes)
}

/// Names in a folder with this suffix; empty if it cannot be read.
pub(super) fn names(folder: &Path, end: &str, most: usize) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let names = entries.take(most).filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(end)).collect();
    names.sort_unstable();
    names
}
