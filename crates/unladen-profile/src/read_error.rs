//! The principal type is [`ReadError`].

use std::io;
use std::path::{Path, PathBuf};

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("cannot read {}: {source}", file.display())]
    Open { file: PathBuf, source: io::Error },
    #[error("{}: no profile that is known: expected {known}; {hint}", file.display())]
    Unknown { file: PathBuf, known: String, hint: &'static str },
    #[error("{}: {fault}", file.display())]
    Bad { file: PathBuf, fault: Fault },
    /// Returned by readers, before the file's name is known.
    #[error("{0}")]
    Fault(Fault),
}

/// What is wrong in a file, and where.
#[derive(Debug, thiserror::Error)]
#[error("{format}, {place} {at}: {what}", place = if *is_line { "line" } else { "byte" })]
pub struct Fault {
    pub format: &'static str,
    /// Offset in bytes from 0 after unpacking; in texts, the line from 1.
    pub at: u64,
    pub is_line: bool,
    pub what: String,
}

impl ReadError {
    pub(crate) fn at_byte(format: &'static str, at: u64, what: impl Into<String>) -> Self {
        Self::Fault(Fault { format, at, is_line: false, what: what.into() })
    }

    pub(crate) fn at_line(format: &'static str, at: u64, what: impl Into<String>) -> Self {
        Self::Fault(Fault { format, at, is_line: true, what: what.into() })
    }

    /// Adds the file's name. The position of an unpacked byte within the packed file is unknown.
    pub(crate) fn of_file(self, file: &Path, is_packed: bool) -> Self {
        match self {
            Self::Fault(mut fault) => {
                if is_packed && !fault.is_line {
                    fault.what += " (the byte is that of the unpacked file)";
                }
                Self::Bad { file: file.to_owned(), fault }
            }
            other => other,
        }
    }
}
