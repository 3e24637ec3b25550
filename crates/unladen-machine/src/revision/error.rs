//! The principal type is [`RevisionError`].

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why the revision of a folder is not known.
#[derive(Debug, Error)]
pub enum RevisionError {
    /// Neither the folder nor one above it has a `.git`.
    #[error("{} is in no git work tree: name a folder that is", .folder.display())]
    NoWorkTree { folder: PathBuf },
    #[error("{} has no commit on its branch `{branch}` yet: commit, or name another folder", .folder.display())]
    NoCommit { folder: PathBuf, branch: String },
    #[error("cannot read {}: {source}", .path.display())]
    Read { path: PathBuf, source: io::Error },
    /// A file of git's has other contents.
    #[error("{} should hold {expected}, and begins with `{found}`: `git fsck` tells more", .path.display())]
    Malformed {
        path: PathBuf,
        expected: &'static str,
        /// The beginning of it, with control characters escaped.
        found: String,
    },
}

impl RevisionError {
    pub(crate) fn malformed(path: PathBuf, expected: &'static str, found: &[u8]) -> Self {
        let beginning = String::from_utf8_lossy(&found[..found.len().min(60)]).escape_debug().to_string();
        Self::Malformed { path, expected, found: beginning }
    }
}
