//! Paths as Composer puts them together.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// `path`, from `folder` if it is not absolute, without `.` and `..`. These are taken away without a look at the disk,
/// as Composer does: what is before them has no links, or was made plain by Composer.
pub(super) fn plain(folder: &Path, path: &[u8]) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in folder.join(OsStr::from_bytes(path)).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

/// The folders that a `pattern`, in which `*` and `?` may stand for parts of names, means below `folder`; in the order
/// of their names.
pub(super) fn glob(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    // A link in front stays what it is; the end is what counts.
    let pattern = plain(folder, pattern.as_bytes());
    let mut found = vec![PathBuf::new()];
    for component in pattern.components() {
        let name = component.as_os_str().as_bytes();
        if !name.iter().any(|byte| matches!(byte, b'*' | b'?')) {
            found.iter_mut().for_each(|folder| folder.push(component));
            continue;
        }
        found = found.iter().flat_map(|folder| below(folder, name)).collect();
    }
    found.retain(|folder| folder.is_dir());
    found
}

fn below(folder: &Path, pattern: &[u8]) -> Vec<PathBuf> {
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.file_name()))
        .filter(|name| !name.as_bytes().starts_with(b".") && fits(pattern, name.as_bytes()))
        .map(|name| folder.join(name))
        .collect();
    found.sort();
    found
}

/// Whether a name fits a pattern. On a mismatch only the last `*` is tried again, so that it takes no longer than the
/// product of both.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut of, mut star) = (0, 0, None);
    while of < name.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, of));
                at += 1;
            }
            Some(byte) if *byte == b'?' || Some(byte) == name.get(of) => {
                at += 1;
                of += 1;
            }
            _ => match star {
                Some((place, taken)) => {
                    star = Some((place, taken + 1));
                    at = place + 1;
                    of = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern.get(at..).unwrap_or_default().iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests;
