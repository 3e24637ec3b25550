//! [`glob`]: the files that match a pattern, as the C library's function of that name finds them for php-fpm.
//!
//! The crate of that name matches names; its own walk through folders is unbounded.

use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

use glob::{MatchOptions, Pattern};

/// Bound on names per pattern: one with several stars may walk a whole disk.
const MOST_NAMES: usize = 10_000;

/// Only a literal dot matches a leading dot.
const LIKE_C: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: true };

/// The files in order of their names; `None` if there are more names to examine than any folder of settings has.
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

#[cfg(test)]
mod tests;
