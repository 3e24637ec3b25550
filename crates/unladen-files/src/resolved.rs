//! The principal type is [`Resolved`]: what answers a path.

use std::path::PathBuf;

use crate::open_file::OpenFile;
use crate::refusal::Refusal;

/// What answers a path.
#[derive(Debug)]
pub enum Resolved {
    File(OpenFile),
    Script(Script),
    /// A folder whose path lacks the final slash: the path with it, percent-encoded, with exactly one leading slash.
    /// The query has to be appended.
    Redirect(Vec<u8>),
    NotFound,
    Status(u16),
    /// It exists, but may not or cannot be sent.
    Refused(Refusal),
}

/// A program for FastCGI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// `SCRIPT_FILENAME`, beneath `root`.
    pub filename: PathBuf,
    /// `DOCUMENT_ROOT`: the root's real path, without links. When a link is moved, as at a deployment, programs of the
    /// old folder are not mixed with the new one's.
    pub root: PathBuf,
    /// `SCRIPT_NAME`: its path beneath the root, with leading slash.
    pub name: Vec<u8>,
    /// `PATH_INFO`: the rest of the path; empty, or with leading slash.
    pub path_info: Vec<u8>,
}
