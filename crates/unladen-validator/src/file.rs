//! The principal type is [`File`]: checks a file's modification time.

use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use tokio::task::spawn_blocking;

use crate::counts::text;
use crate::question::{Answer, Ask};
use crate::settings::place;
use crate::{AskError, PathPattern, Question, SettingsError};

/// Checks a file's modification time, size and inode number: the answer is those three. Links are followed.
#[derive(Debug)]
pub(crate) struct File {
    parts: Box<[Part]>,
}

#[derive(Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Name(usize),
}

// === impl File ===

impl File {
    pub(crate) fn new(path: &str, pattern: &PathPattern) -> Result<Self, SettingsError> {
        let mut parts = Vec::new();
        let mut rest = path;
        if path.is_empty() || path.contains('\0') {
            return Err(SettingsError::File("it is empty, or contains a NUL".to_owned()));
        }
        while let Some(open) = rest.find(['{', '}']) {
            let (before, after) = rest.split_at(open);
            let inner = after.strip_prefix('{').and_then(|after| after.split_once('}'));
            let Some((name, after)) = inner.filter(|(name, _)| !name.contains('{')) else {
                return Err(SettingsError::File(format!("a brace in `{path}` is unmatched: write `{{name}}`")));
            };
            if !before.is_empty() {
                parts.push(Part::Text(before.to_owned()));
            }
            parts.push(Part::Name(place(name, pattern)?));
            rest = after;
        }
        if !rest.is_empty() {
            parts.push(Part::Text(rest.to_owned()));
        }
        Ok(Self { parts: parts.into() })
    }

    /// `None` if a parameter would leave its place.
    fn path(&self, question: &Question) -> Option<PathBuf> {
        let mut path = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => path.push_str(text),
                Part::Name(place) => {
                    let parameter = question.parameters.get(*place)?;
                    // Those of `{name*}` have several.
                    let stays = |segment: &str| {
                        !segment.is_empty() && segment != "." && segment != ".." && !segment.contains('\0')
                    };
                    if !parameter.split('/').all(stays) {
                        return None;
                    }
                    path.push_str(parameter);
                }
            }
        }
        Some(PathBuf::from(path))
    }
}

impl Ask for File {
    async fn ask(&self, _: usize, question: &Question) -> Answer {
        let Some(path) = self.path(question) else { return Ok(None) };
        // A disk or a network file system may block.
        let looked = spawn_blocking(move || std::fs::metadata(path)).await;
        match looked {
            Ok(Ok(file)) => {
                let version = format!("{}.{:09}-{}-{}", file.mtime(), file.mtime_nsec(), file.size(), file.ino());
                Ok(Some(version.into_bytes().into()))
            }
            Ok(Err(error)) => match error.kind() {
                ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename => Ok(None),
                _ => Err(AskError::Query(text(error.to_string()))),
            },
            Err(_) => Err(AskError::Unreachable(text("the file could not be checked"))),
        }
    }
}

#[cfg(test)]
mod tests;
