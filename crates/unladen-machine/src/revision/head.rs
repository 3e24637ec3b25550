//! The principal type is [`Head`]: what is checked out, as git's files say.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use crate::plain_file;
use crate::revision::error::RevisionError;
use crate::revision::object_id::object_id;
use crate::revision::repository::Repository;

/// A reference is an id, or the name of another reference.
const LONGEST_REFERENCE: u64 = 4 * 1024;
/// A million references take some 70 MB.
const LONGEST_PACKED: u64 = 256 * 1024 * 1024;
/// Nested references, as git follows them.
const DEEPEST: usize = 5;

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
    let content = plain_file::read(path, LONGEST_REFERENCE)
        .map_err(|source| RevisionError::Read { path: path.to_owned(), source })?;
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
    let file = plain_file::open(path).map_err(broken)?;
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
