//! Normalises paths of PHP code. The principal function is [`plain`].

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

#[cfg(test)]
mod tests;
