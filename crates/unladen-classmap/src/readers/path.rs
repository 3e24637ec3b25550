//! Normalises paths of PHP code: [`plain`]; and of Composer: [`lexical`], [`glob`].

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use bstr::BString;

/// Without `//`, `/./` and a trailing `/`. Symbolic links stay, and so does `..` behind a link.
pub(crate) fn plain(path: &[u8]) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in Path::new(OsStr::from_bytes(path)).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if may_go_up(&plain) => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

pub(super) fn below(folder: &Path, file: &[u8]) -> PathBuf {
    if file.starts_with(b"/") {
        return plain(file);
    }
    plain(&[folder.as_os_str().as_bytes(), b"/", file].concat())
}

pub(super) fn bytes(path: PathBuf) -> BString {
    path.into_os_string().into_encoded_bytes().into()
}

/// Whether the parent is the folder written before the last `/`.
fn may_go_up(path: &Path) -> bool {
    matches!(path.components().next_back(), Some(Component::Normal(_)))
        && path.symlink_metadata().is_ok_and(|metadata| !metadata.is_symlink())
}

/// `path`, relative to `folder` unless absolute, without `.` and `..`. Like Composer, removes these without a look at
/// the disk: what precedes them has no links, or was resolved by Composer.
pub(crate) fn lexical(folder: &Path, path: &[u8]) -> PathBuf {
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

/// The folders below `folder` that match `pattern`, with `*` and `?` as wildcards, by name.
pub(super) fn glob(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    // A leading link stays as it is; the end is what counts.
    let pattern = lexical(folder, pattern.as_bytes());
    let mut found = vec![PathBuf::new()];
    for component in pattern.components() {
        let name = component.as_os_str().as_bytes();
        if !name.iter().any(|byte| matches!(byte, b'*' | b'?')) {
            found.iter_mut().for_each(|folder| folder.push(component));
            continue;
        }
        found = found.iter().flat_map(|folder| matching(folder, name)).collect();
    }
    found.retain(|folder| folder.is_dir());
    found
}

fn matching(folder: &Path, pattern: &[u8]) -> Vec<PathBuf> {
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.file_name()))
        .filter(|name| !name.as_bytes().starts_with(b".") && fits(pattern, name.as_bytes()))
        .map(|name| folder.join(name))
        .collect();
    found.sort();
    found
}

/// Whether a name matches. Only the last `*` is retried, so the time is bounded by the product of both lengths.
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
