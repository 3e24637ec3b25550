//! The principal type is [`Resolved`]: what stands for a path.

use std::path::PathBuf;

use crate::open_file::OpenFile;
use crate::refusal::Refusal;

/// What stands for a path.
#[derive(Debug)]
pub enum Resolved {
    /// A regular file, open to be read.
    File(OpenFile),
    /// A program for FastCGI.
    Script(Script),
    /// A folder whose path has no slash at its end: the path with one, percent-encoded, which begins with exactly one
    /// slash. The query is to be kept behind it.
    Redirect(Vec<u8>),
    /// Nothing: 404.
    NotFound,
    /// This status, at once.
    Status(u16),
    /// There is something that may not or cannot be sent.
    Refused(Refusal),
}

/// A program for FastCGI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// Where it is: `SCRIPT_FILENAME`. Beneath `root`.
    pub filename: PathBuf,
    /// The root's real path, without links: `DOCUMENT_ROOT`. Where a link leads to another folder, as at a deployment,
    /// the programs of the old one are not mixed with those of the new one.
    pub root: PathBuf,
    /// Its path beneath the root: `SCRIPT_NAME`. It begins with a slash.
    pub name: Vec<u8>,
    /// What follows it in the path: `PATH_INFO`. Empty, or it begins with a slash.
    pub path_info: Vec<u8>,
}
