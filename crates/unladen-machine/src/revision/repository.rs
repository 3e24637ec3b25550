//! The principal type is [`Repository`]: where a work tree's repository has its files. [`Head`] is what they say is
//! checked out.
//!
//! In a clone, `.git` is the folder for all of them. In a linked work tree and in a submodule, `.git` is a file that
//! names the folder; a linked work tree's has the work tree's own files, and names the folder of the common ones
//! (gitrepository-layout(5)).

use std::ffi::OsStr;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::root::{open_plain, read_plain};

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
    let content = read_plain(file, LONGEST).map_err(|source| RevisionError::Read { path: file.to_owned(), source })?;
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

/// Why the revision of a folder is not known.
#[derive(Debug, Error)]
pub enum RevisionError {
    /// Neither the folder nor one above it has a `.git`.
    #[error("{} is not in a git work tree: name a folder that is", .folder.display())]
    NoWorkTree { folder: PathBuf },
    #[error("{} has no commit on its branch `{branch}` yet: commit, or name another folder", .folder.display())]
    NoCommit { folder: PathBuf, branch: String },
    #[error("cannot read {}: {source}", .path.display())]
    Read { path: PathBuf, source: io::Error },
    /// A file of git's has other contents.
    #[error("{} should contain {expected}, but begins with `{found}`: `git fsck` shows more", .path.display())]
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

/// The id if the text is one: 40 digits of SHA-1, or 64 of SHA-256.
pub(crate) fn object_id(text: &str) -> Option<String> {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    (matches!(text.len(), 40 | 64) && text.bytes().all(is_digit)).then(|| text.to_owned())
}

/// A reference is an id, or the name of another reference.
const LONGEST_REFERENCE: u64 = 4 * 1024;
/// A million references take some 70 MB.
const LONGEST_PACKED: u64 = 256 * 1024 * 1024;
/// Nested references, as git follows them.
const DEEPEST: usize = 5;

/// What is checked out, as git's files say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    /// `None` on a branch without a commit, and if references are not in files.
    pub(crate) commit: Option<String>,
    pub(crate) branch: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Reference {
    Commit(String),
    Name(String),
}

impl Head {
    pub(crate) fn read(repository: &Repository) -> Result<Self, RevisionError> {
        let path = repository.own.join("HEAD");
        let mut name = match reference(&path)? {
            Some(Reference::Commit(commit)) => return Ok(Self { commit: Some(commit), branch: None }),
            Some(Reference::Name(name)) => name,
            None => return Err(RevisionError::Read { path, source: std::io::ErrorKind::NotFound.into() }),
        };
        let branch = name.strip_prefix("refs/heads/").map(str::to_owned);
        for _ in 0..DEEPEST {
            match look_up(repository, &name)? {
                Some(Reference::Commit(commit)) => return Ok(Self { commit: Some(commit), branch }),
                Some(Reference::Name(next)) => name = next,
                None => break,
            }
        }
        Ok(Self { commit: None, branch })
    }
}

/// Looks for the work tree's own references, then common, then packed ones, as git does.
fn look_up(repository: &Repository, name: &str) -> Result<Option<Reference>, RevisionError> {
    for folder in [&repository.own, &repository.common] {
        if let Some(found) = reference(&folder.join(name))? {
            return Ok(Some(found));
        }
    }
    packed(&repository.common.join("packed-refs"), name)
}

/// Reads a reference's file; `None` if it does not exist.
fn reference(path: &Path) -> Result<Option<Reference>, RevisionError> {
    // The folder of a branch `a/b` is no branch `a`.
    if !path.exists() || path.is_dir() {
        return Ok(None);
    }
    let content =
        read_plain(path, LONGEST_REFERENCE).map_err(|source| RevisionError::Read { path: path.to_owned(), source })?;
    let read = std::str::from_utf8(&content).ok().and_then(parse);
    read.map(Some).ok_or_else(|| {
        RevisionError::malformed(
            path.to_owned(),
            "the id of a commit, or `ref: ` and the name of a reference",
            &content,
        )
    })
}

fn parse(content: &str) -> Option<Reference> {
    let content = content.trim_end_matches(['\n', '\r', ' ']);
    match content.strip_prefix("ref:") {
        Some(name) => {
            let name = name.trim_start();
            is_name(name).then(|| Reference::Name(name.to_owned()))
        }
        None => object_id(content).map(Reference::Commit),
    }
}

/// Whether git allows this name of a reference; it becomes a part of a path.
fn is_name(name: &str) -> bool {
    let is_bad = |character: char| character.is_control() || " ~^:?*[\\".contains(character);
    name.starts_with("refs/")
        && !name.contains("..")
        && !name.contains(is_bad)
        && name.split('/').all(|part| !part.is_empty() && !part.ends_with(".lock"))
}

/// Lines of packed references are an id, a blank, and the name.
fn packed(path: &Path, name: &str) -> Result<Option<Reference>, RevisionError> {
    if !path.exists() {
        return Ok(None);
    }
    let broken = |source| RevisionError::Read { path: path.to_owned(), source };
    let file = open_plain(path).map_err(broken)?;
    let mut lines = BufReader::new(file.take(LONGEST_PACKED));
    let mut line = Vec::new();
    loop {
        line.clear();
        // Bounded, as a line without an end must not fill the memory.
        let read = (&mut lines).take(LONGEST_REFERENCE).read_until(b'\n', &mut line).map_err(broken)?;
        if read == 0 {
            return Ok(None);
        }
        let Ok(text) = std::str::from_utf8(&line) else { continue };
        if let Some((id, packed)) = text.trim_end().split_once(' ')
            && packed == name
            && let Some(id) = object_id(id)
        {
            return Ok(Some(Reference::Commit(id)));
        }
    }
}

#[cfg(test)]
mod tests;
