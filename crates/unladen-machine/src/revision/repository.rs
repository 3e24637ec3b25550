//! The principal type is [`Repository`]: where a work tree's repository has its files.
//!
//! In a clone, `.git` is the folder for all of them. In a linked work tree and in a submodule, `.git` is a file that
//! names the folder; a linked work tree's has the work tree's own files, and names the folder of the common ones
//! (gitrepository-layout(5)).

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::plain_file;
use crate::revision::error::RevisionError;

/// Longer than any path.
const LONGEST: u64 = 8 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Repository {
    pub(crate) work_tree: PathBuf,
    /// The work tree's own files: its `HEAD` and its index.
    pub(crate) own: PathBuf,
    /// Common files of all work trees: references, configuration.
    pub(crate) common: PathBuf,
}

impl Repository {
    pub(crate) fn around(folder: &Path) -> Result<Self, RevisionError> {
        let folder = folder.canonicalize().map_err(|source| RevisionError::Read { path: folder.to_owned(), source })?;
        let is_found = |above: &&Path| above.join(".git").symlink_metadata().is_ok();
        let Some(work_tree) = folder.ancestors().find(is_found) else {
            return Err(RevisionError::NoWorkTree { folder });
        };
        let dot_git = work_tree.join(".git");
        let own = if dot_git.is_dir() { dot_git } else { named(work_tree, &dot_git, b"gitdir: ")? };
        let names_common = own.join("commondir");
        let common = if names_common.exists() { named(&own, &names_common, b"")? } else { own.clone() };
        // Resolved, since a link does not show the folder's owner.
        Ok(Self { work_tree: work_tree.to_owned(), own: real(own)?, common: real(common)? })
    }
}

fn real(folder: PathBuf) -> Result<PathBuf, RevisionError> {
    folder.canonicalize().map_err(|source| RevisionError::Read { path: folder, source })
}

/// The folder that a file names after a prefix, relative to `from`.
fn named(from: &Path, file: &Path, prefix: &[u8]) -> Result<PathBuf, RevisionError> {
    let content =
        plain_file::read(file, LONGEST).map_err(|source| RevisionError::Read { path: file.to_owned(), source })?;
    match path_in(&content, prefix) {
        Some(path) => Ok(from.join(path)),
        None => Err(RevisionError::malformed(file.to_owned(), "the path of a folder of git's", &content)),
    }
}

fn path_in<'a>(content: &'a [u8], prefix: &[u8]) -> Option<&'a Path> {
    let path = content.strip_prefix(prefix)?.strip_suffix(b"\n").unwrap_or(&content[prefix.len()..]);
    let is_path = !path.is_empty() && !path.iter().any(|byte| matches!(byte, b'\n' | 0));
    is_path.then(|| Path::new(OsStr::from_bytes(path)))
}

#[cfg(test)]
mod tests;
