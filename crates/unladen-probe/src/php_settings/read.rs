//! [`lines`]: the lines of a settings file, with bounds on everything.

use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

const MOST_FILES: usize = 200;
/// A settings file has some KiB.
const MOST_BYTES: u64 = 1 << 20;

#[derive(Debug)]
pub(super) struct Room(usize);

impl Default for Room {
    fn default() -> Self {
        Self(MOST_FILES)
    }
}

/// The text of a regular file, with invalid UTF-8 replaced. Fails if it is unreadable, not regular, too long, or if too
/// many were read before.
pub(super) fn text(file: &Path, room: &mut Room) -> io::Result<String> {
    let refused = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why.to_owned());
    room.0 = room.0.checked_sub(1).ok_or_else(|| refused("more than 200 files of settings"))?;
    // Opening a pipe would block until someone writes to it.
    let file = OpenOptions::new().read(true).custom_flags(nix::libc::O_NONBLOCK).open(file)?;
    if !file.metadata()?.is_file() {
        return Err(refused("it is no regular file"));
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(refused("it is longer than 1 MiB"));
    }
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// Splits a setting at its first `=`; a comment is cut off.
pub(super) fn pair(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    if line.starts_with([';', '#']) {
        return None;
    }
    let (key, value) = line.split_once('=')?;
    let value = value.trim();
    let value = match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next().unwrap_or_default(),
        None => value.split(';').next().unwrap_or_default().trim_end(),
    };
    Some((key.trim(), value))
}

#[cfg(test)]
mod tests;
