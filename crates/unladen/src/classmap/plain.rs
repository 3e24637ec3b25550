//! Normalises paths that people write: [`plain`], [`absolute`].

use std::path::{Path, PathBuf};

/// The path without a trailing `/`, and without `..` where it can be removed.
pub(super) fn plain(path: &Path) -> PathBuf {
    let path: PathBuf = path.components().collect();
    if path.components().any(|part| part == std::path::Component::ParentDir) {
        return path.canonicalize().unwrap_or(path);
    }
    path
}

/// The map names its own folder as `__DIR__`, in which PHP has no `..`.
pub(super) fn absolute(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => plain(folder).join(name),
        _ => path,
    }
}
