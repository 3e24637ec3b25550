//! Readable formats, one file each, and what they share. The principal type is [`ProfileReader`], of one format.

pub(crate) mod collapsed;
pub(crate) mod excimer;
pub(crate) mod firefox;
mod json;
pub(crate) mod nytprof;
pub(crate) mod perf_script;
pub(crate) mod pprof;
pub(crate) mod speedscope;
pub(crate) mod unladen;

use std::io;
use std::path::{Path, PathBuf};

use crate::input::Input;
use crate::profile::{Profile, Unit};

/// Reads profiles of one format.
pub trait ProfileReader: Sync {
    /// As in `--format NAME`.
    fn name(&self) -> &'static str;

    /// Half a line on what writes such files.
    fn about(&self) -> &'static str;

    /// Whether a file that begins like this is of the format. `head` has [`HEAD`] bytes, or the whole file.
    fn recognises(&self, head: &[u8]) -> bool;

    /// Reads the file. Several profiles in one file become one, if they count the same. Fails, with the place, if the
    /// file is not of the format, truncated, or implausible.
    fn read(&self, input: &mut Input<'_>) -> Result<Profile, ReadError>;
}

/// Bytes of a file's beginning used to recognise its format.
pub(crate) const HEAD: usize = 64 << 10;

/// Deeper stacks are implausible: a file that has one is refused.
pub(crate) const MAX_DEPTH: usize = 100_000;

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("cannot read {}: {source}", file.display())]
    Open { file: PathBuf, source: io::Error },
    #[error("{}: not a known profile: expected {known}; {hint}", file.display())]
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
                    fault.what += " (the byte is in the unpacked file)";
                }
                Self::Bad { file: file.to_owned(), fault }
            }
            other => other,
        }
    }
}

/// Number of parts that count something else than what is read, by unit.
#[derive(Default)]
pub(crate) struct LeftOut(Vec<(Unit, usize)>);

impl LeftOut {
    pub(crate) fn add(&mut self, unit: Unit) {
        match self.0.iter_mut().find(|(known, _)| *known == unit) {
            Some((_, count)) => *count += 1,
            None => self.0.push((unit, 1)),
        }
    }

    pub(crate) fn note(&self, parts: &str, read: Unit) -> Option<String> {
        let others: Vec<String> =
            self.0.iter().map(|(unit, count)| format!("{count} of {}", unit.into_str())).collect();
        let (read, others) = (read.into_str(), others.join(", "));
        (!others.is_empty()).then(|| format!("its {parts} of {read} are read; others are left out: {others}"))
    }
}

/// Weights are summed in many places later, so an overflow is refused while reading.
#[derive(Debug, Default)]
pub(crate) struct Sum(u64);

impl Sum {
    pub(crate) fn total(&self) -> u64 {
        self.0
    }

    /// The weight, if the sum still fits; otherwise a message.
    pub(crate) fn add(&mut self, weight: u64) -> Result<u64, String> {
        self.0 = (self.0.checked_add(weight)).ok_or("the weights add up to more than 64 bits can hold")?;
        Ok(weight)
    }
}

/// Unpacks gzip; other bytes stay as they are.
#[cfg(test)]
pub(crate) fn unpacked(packed: &[u8]) -> Vec<u8> {
    let (mut packed, mut bytes) = (packed, Vec::new());
    std::io::Read::read_to_end(&mut crate::input::Input::new(&mut packed), &mut bytes).unwrap();
    bytes
}
