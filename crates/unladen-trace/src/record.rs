//! The principal type is [`Recording`]: everything seen in one run, as stored in a file.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::evidence::Evidence;

/// Version of the file; changes when a field changes its meaning or is removed.
const SCHEMA: &str = "unladen.evidence/1";

/// Largest file read, in bytes: a page that fills all tables makes less than half of it.
const MAX_FILE: u64 = 512 << 20;

/// Everything seen in one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    schema: String,
    pub pages: Vec<PageRecord>,
}

/// What was seen of one page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageRecord {
    /// From processes that had answered before.
    pub warm: Evidence,
    /// From newly started processes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fresh: Option<Evidence>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostRecord>,
}

/// What was seen of one page on another host; the evidence names it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostRecord {
    pub warm: Evidence,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fresh: Option<Evidence>,
}

/// Why a recording cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    #[error("cannot {doing} {}: {source}", path.display())]
    Io { doing: &'static str, path: PathBuf, source: io::Error },
    #[error("{}:{}:{}: expected an evidence file, as `unladen weigh --record` writes it: {source}", path.display(), source.line(), source.column())]
    Malformed { path: PathBuf, source: serde_json::Error },
    #[error("{}: expected \"schema\": \"{SCHEMA}\", found {found:?}: use the version of unladen that recorded it, or record again", path.display())]
    Version { path: PathBuf, found: String },
    #[error("{}: larger than {} MiB, the limit of evidence files", path.display(), MAX_FILE >> 20)]
    TooLarge { path: PathBuf },
}

impl Recording {
    /// A recording of these pages.
    pub fn new(pages: Vec<PageRecord>) -> Self {
        Self { schema: SCHEMA.into(), pages }
    }

    /// Reads a file. Fails if it is unreadable, or no recording of this version.
    pub fn read(path: &Path) -> Result<Self, RecordingError> {
        let io = |source| RecordingError::Io { doing: "read", path: path.to_owned(), source };
        let mut text = Vec::new();
        let file = std::fs::File::open(path).map_err(io)?;
        file.take(MAX_FILE + 1).read_to_end(&mut text).map_err(io)?;
        if text.len() as u64 > MAX_FILE {
            return Err(RecordingError::TooLarge { path: path.to_owned() });
        }
        let record =
            Self::parse(&text).map_err(|source| RecordingError::Malformed { path: path.to_owned(), source })?;
        if record.schema != SCHEMA {
            return Err(RecordingError::Version { path: path.to_owned(), found: record.schema });
        }
        Ok(record)
    }

    /// Parses a file's content of any version. Fails if it is no recording.
    pub fn parse(text: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(text)
    }

    /// Writes the recording. Fails only if `out` does.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self)?;
        out.write_all(b"\n")
    }
}

#[cfg(test)]
mod tests;
