//! Settings files, read with bounds on everything: [`text`] reads one, [`glob`] finds those that match a pattern,
//! [`ini_lines`] are those of PHP.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

use glob::{MatchOptions, Pattern};

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
        return Err(refused("it is not a regular file"));
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

/// Bound on names per pattern: one with several stars may walk a whole disk.
const MOST_NAMES: usize = 10_000;

/// Only a literal dot matches a leading dot.
const LIKE_C: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: true };

/// The files that php-fpm would find by the C library's function of this name, in order of their names; `None` if there
/// are more names to examine than any folder of settings has. The crate of this name only matches names here: its own
/// walk through folders is unbounded.
pub(super) fn glob(pattern: &Path) -> Option<Vec<PathBuf>> {
    let mut found = vec![PathBuf::from("/")];
    let mut looked = 0;
    for part in pattern.components() {
        let part = match part {
            Component::Normal(part) => part,
            Component::ParentDir => OsStr::new(".."),
            _ => continue,
        };
        // An invalid pattern, such as an unclosed bracket, is a name.
        let pattern =
            part.to_str().filter(|text| text.contains(['*', '?', '['])).and_then(|text| Pattern::new(text).ok());
        let Some(pattern) = pattern else {
            found.iter_mut().for_each(|path| path.push(part));
            continue;
        };
        let mut next = Vec::new();
        for folder in &found {
            let Ok(entries) = fs::read_dir(folder) else { continue };
            for entry in entries.flatten() {
                looked += 1;
                if looked > MOST_NAMES {
                    return None;
                }
                if entry.file_name().to_str().is_some_and(|name| pattern.matches_with(name, LIKE_C)) {
                    next.push(entry.path());
                }
            }
        }
        found = next;
    }
    found.retain(|path| path.exists());
    found.sort();
    Some(found)
}

/// A line of a settings file that sets something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct IniLine {
    pub(super) name: String,
    pub(super) file: PathBuf,
    /// From 1.
    pub(super) line: u32,
    pub(super) text: String,
}

/// The effective (last) line for each setting in these files. Unreadable files are skipped: PHP has not read them
/// either, if asked by the same user.
pub(super) fn ini_lines<'a>(files: impl Iterator<Item = &'a Path>, is_wanted: fn(&str) -> bool) -> Vec<IniLine> {
    let mut room = Room::default();
    let mut lines: Vec<IniLine> = Vec::new();
    for file in files {
        let Ok(text) = text(file, &mut room) else { continue };
        // Settings below [HOST=…] and [PATH=…] apply to some requests only.
        let mut is_for_all = true;
        for (number, line) in (1..).zip(text.lines()) {
            if let Some(section) = line.trim_start().strip_prefix('[') {
                let begins = |with: &str| section.get(..with.len()).is_some_and(|text| text.eq_ignore_ascii_case(with));
                is_for_all = !begins("host=") && !begins("path=");
            }
            let Some((name, _)) = pair(line).filter(|(name, _)| is_for_all && is_wanted(name)) else { continue };
            lines.retain(|before| before.name != name);
            lines.push(IniLine { name: name.to_owned(), file: file.to_owned(), line: number, text: line.to_owned() });
        }
    }
    lines
}

#[cfg(test)]
mod tests;
