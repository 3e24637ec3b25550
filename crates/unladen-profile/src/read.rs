//! The principal types are [`ProfileReader`], of one format, and the list [`READERS`].

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::input::Input;
use crate::profile::Profile;
use crate::readers;
use crate::write::writer_for;

/// Reads profiles of one format.
pub trait ProfileReader: Sync {
    /// Its name, as in `--format NAME`.
    fn name(&self) -> &'static str;

    /// What writes such files, in half a line.
    fn about(&self) -> &'static str;

    /// Whether a file that begins like this is of the format. As much of the beginning is given as [`HEAD`], or the
    /// whole file.
    fn recognises(&self, head: &[u8]) -> bool;

    /// Reads it. Several profiles in one file become one, where they count the same.
    ///
    /// # Errors
    /// When the file is not of the format, is cut off, or is beyond what may be believed; with the place.
    fn read(&self, input: &mut Input<'_>) -> Result<Profile, ReadError>;
}

/// As much of a file's beginning is looked at to tell its format.
pub(crate) const HEAD: usize = 64 << 10;

/// Stacks deeper than this are no stacks: a file that has one is refused.
pub(crate) const MAX_DEPTH: usize = 100_000;

/// All formats that are read; the first that recognises a file reads it, so what recognises the least comes last.
pub static READERS: &[&dyn ProfileReader] = &[
    &readers::unladen::Unladen,
    &readers::nytprof::NytProf,
    &readers::pprof::Pprof,
    &readers::speedscope::Speedscope,
    &readers::firefox::Firefox,
    &readers::excimer::Excimer,
    &readers::perf_script::PerfScript,
    &readers::collapsed::Collapsed,
];

/// A file that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It cannot be opened.
    #[error("cannot read {}: {source}", file.display())]
    Open {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is none of the formats.
    #[error("{}: no profile that is known: expected {}; {hint}", file.display(), names())]
    Unknown {
        /// The file.
        file: PathBuf,
        /// What it seems to be instead, or what to try.
        hint: &'static str,
    },
    /// It is of a format, and wrong.
    #[error("{}: {fault}", file.display())]
    Bad {
        /// The file.
        file: PathBuf,
        /// Where, and what.
        fault: Fault,
    },
    /// The same, before the file's name is known: what readers return.
    #[error("{0}")]
    Fault(Fault),
}

/// What is wrong in a file, and where.
#[derive(Debug, thiserror::Error)]
#[error("{format}, {place} {at}: {what}", place = if *is_line { "line" } else { "byte" })]
pub struct Fault {
    /// The format.
    pub format: &'static str,
    /// The offset in the file as it is on disk, in bytes from 0; of texts, the line from 1.
    pub at: u64,
    /// Whether it is a line.
    pub is_line: bool,
    /// What was expected, and what is there.
    pub what: String,
}

// === impl ReadError ===

impl ReadError {
    /// A fault at a byte.
    pub(crate) fn at_byte(format: &'static str, at: u64, what: impl Into<String>) -> Self {
        Self::Fault(Fault { format, at, is_line: false, what: what.into() })
    }

    /// A fault in a line.
    pub(crate) fn at_line(format: &'static str, at: u64, what: impl Into<String>) -> Self {
        Self::Fault(Fault { format, at, is_line: true, what: what.into() })
    }

    fn of_file(self, file: &Path) -> Self {
        match self {
            Self::Fault(fault) => Self::Bad { file: file.to_owned(), fault },
            other => other,
        }
    }
}

/// The reader of that name.
pub fn reader_named(name: &str) -> Option<&'static dyn ProfileReader> {
    READERS.iter().copied().find(|reader| reader.name() == name)
}

/// Reads a file; `-` is standard input. Without a reader, its beginning tells the format.
///
/// # Errors
/// When it cannot be read, or is none of the formats.
pub fn read(file: &Path, reader: Option<&'static dyn ProfileReader>) -> Result<Profile, ReadError> {
    let failed = |source| ReadError::Open { file: file.to_owned(), source };
    let opened: Box<dyn io::Read> =
        if file == Path::new("-") { Box::new(io::stdin()) } else { Box::new(File::open(file).map_err(failed)?) };
    read_from(opened, file, reader)
}

/// Reads what comes in pieces of any size, as from a pipe.
fn read_from(
    mut opened: impl io::Read,
    file: &Path,
    reader: Option<&'static dyn ProfileReader>,
) -> Result<Profile, ReadError> {
    let failed = |source| ReadError::Open { file: file.to_owned(), source };
    let mut head = Vec::new();
    opened.by_ref().take(HEAD as u64).read_to_end(&mut head).map_err(failed)?;
    let reader = match reader {
        Some(reader) => reader,
        None => (READERS.iter().copied().find(|reader| reader.recognises(&head)))
            .or_else(|| by_name(file).filter(|_| !is_blank(&head)))
            .ok_or_else(|| ReadError::Unknown { file: file.to_owned(), hint: hint(&head) })?,
    };
    let mut whole = io::Cursor::new(head).chain(BufReader::with_capacity(HEAD, opened));
    let mut profile = reader.read(&mut Input::new(&mut whole)).map_err(|error| error.of_file(file))?;
    if profile.about.title.is_empty() {
        profile.about.title = match file.file_name() {
            Some(name) if file != Path::new("-") => name.to_string_lossy().into_owned(),
            _ => "standard input".to_owned(),
        };
    }
    Ok(profile)
}

/// The reader that the end of a file's name asks for: it tells what is wrong in one that nobody recognises.
fn by_name(file: &Path) -> Option<&'static dyn ProfileReader> {
    // Any text may be called .txt.
    let writer = writer_for(file).filter(|_| file.extension().is_some_and(|extension| extension != "txt"))?;
    reader_named(writer.name())
}

fn is_blank(head: &[u8]) -> bool {
    head.trim_ascii().is_empty()
}

/// What a file that nobody recognises seems to be.
fn hint(head: &[u8]) -> &'static str {
    let begin = head.trim_ascii_start();
    if is_blank(head) {
        "it is empty"
    } else if head.starts_with(b"PERFILE2") {
        "this is as perf records it: `perf script -i FILE` writes the text that is read"
    } else if begin.starts_with(b"<") {
        "this is a page or a picture: what was written beside it may be read"
    } else {
        "--format NAME tells what is wrong with it as one of them"
    }
}

fn names() -> String {
    READERS.iter().map(|reader| reader.name()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
