//! The principal types are [`RecordWriter`] and [`RecordReader`]: every request of a load in a compact file.
//!
//! A file is the line `unladen.record/1`, then sections: a letter, the length in bytes (LEB128), and the bytes. `H`,
//! once, is JSON that says what was sent; `R` holds records ([`RequestRecord`]), with planned times that start from 0
//! in each section; `E`, at the end, is JSON with further counts. A killed load leaves a file without `E`, whose last
//! section may be cut off: it is read up to the last whole record.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::record::{RequestRecord, put};

const MAGIC: &[u8] = b"unladen.record/1\n";

/// Records in a section: some 64 KiB.
const SECTION: usize = 4096;

/// Maximum length of a section on reading: sections of records are much shorter, and the names of a long list of URLs
/// fit.
const LONGEST: u64 = 64 << 20;

/// What was sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordHead {
    pub target: String,
    pub requests: Vec<String>,
    /// Steps of the schedule: requests a second at the start and at the end, and ns; empty for a closed loop.
    pub steps: Vec<(f64, f64, u64)>,
    /// `constant` or `poisson`.
    pub arrivals: String,
    pub concurrency: usize,
    pub keep_alive: bool,
    pub keep_cookies: bool,
    pub http: String,
    pub seed: u64,
}

/// Counts beside the records.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordEnd {
    pub ended: String,
    pub unsent: u64,
    pub abandoned: u64,
    pub missing: u64,
    pub lost: Vec<String>,
    pub bytes_sent: u64,
    pub bytes_received: u64,
    pub connections: u64,
    /// Client CPU in ns.
    pub cpu_ns: u64,
    /// CPU spent waiting for planned times, ns.
    pub paced_ns: u64,
    /// CPU of the sending thread, ns; with several hosts, that of the busiest.
    pub worked_ns: u64,
    pub first_errors: std::collections::BTreeMap<String, String>,
}

/// Why a record file cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    #[error("cannot {doing} the records {file}: {source}", file = file.display())]
    Io { doing: &'static str, file: PathBuf, source: io::Error },
    #[error("{file} contains no records: expected a file that `unladen load --record` wrote, beginning with \
        `unladen.record/1`", file = file.display())]
    NoRecords { file: PathBuf },
    #[error("{file} is damaged at byte {offset}: {what}; the data before it cannot be trusted either", file = file.display())]
    Damaged { file: PathBuf, offset: u64, what: &'static str },
}

/// Writes records to a file.
#[derive(Debug)]
pub struct RecordWriter {
    file: PathBuf,
    out: BufWriter<File>,
    section: Vec<u8>,
    records: usize,
    before: u64,
}

/// Reads records one after the other.
#[derive(Debug)]
pub struct RecordReader<R = BufReader<File>> {
    file: PathBuf,
    input: R,
    head: RecordHead,
    end: Option<RecordEnd>,
    section: Vec<u8>,
    read: usize,
    before: u64,
    offset: u64,
    is_cut: bool,
}

impl RecordWriter {
    /// Begins an open, empty file; its path is for messages. Fails when it cannot be written.
    pub fn new(file: &Path, out: File, head: &RecordHead) -> Result<Self, RecordError> {
        let failed = |source| RecordError::Io { doing: "write", file: file.to_owned(), source };
        let mut writer =
            Self { file: file.to_owned(), out: BufWriter::new(out), section: Vec::new(), records: 0, before: 0 };
        writer.out.write_all(MAGIC).map_err(failed)?;
        let head = serde_json::to_vec(head).map_err(|error| failed(error.into()))?;
        section(&mut writer.out, b'H', &head).map_err(failed)?;
        Ok(writer)
    }

    /// Adds a record. Fails when the file cannot be written.
    pub fn write(&mut self, record: &RequestRecord) -> Result<(), RecordError> {
        record.write(self.before, &mut self.section);
        self.before = record.planned_ns;
        self.records += 1;
        if self.records == SECTION { self.end_section() } else { Ok(()) }
    }

    /// Flushes to the system, so that the records outlive this process. Fails when the file cannot be written.
    pub fn store(&mut self) -> Result<(), RecordError> {
        self.end_section()?;
        self.out.flush().map_err(|source| self.failed(source))
    }

    /// Writes the end section and syncs the file. Fails when the file cannot be written.
    pub fn end(mut self, end: &RecordEnd) -> Result<(), RecordError> {
        self.end_section()?;
        let end = serde_json::to_vec(end).map_err(|error| self.failed(error.into()))?;
        section(&mut self.out, b'E', &end).map_err(|source| self.failed(source))?;
        self.out.flush().map_err(|source| self.failed(source))
    }

    fn end_section(&mut self) -> Result<(), RecordError> {
        if self.section.is_empty() {
            return Ok(());
        }
        let written = section(&mut self.out, b'R', &self.section);
        written.map_err(|source| self.failed(source))?;
        self.section.clear();
        (self.records, self.before) = (0, 0);
        Ok(())
    }

    fn failed(&self, source: io::Error) -> RecordError {
        RecordError::Io { doing: "write", file: self.file.clone(), source }
    }
}

fn section(out: &mut impl Write, letter: u8, bytes: &[u8]) -> io::Result<()> {
    let mut head = vec![letter];
    put(bytes.len() as u64, &mut head);
    out.write_all(&head)?;
    out.write_all(bytes)
}

// === impl RecordReader ===

impl RecordReader {
    /// Opens a file and reads its head. Fails when it cannot be read, or is no record file.
    pub fn open(file: &Path) -> Result<Self, RecordError> {
        let opened =
            File::open(file).map_err(|source| RecordError::Io { doing: "read", file: file.to_owned(), source });
        Self::new(BufReader::new(opened?), file)
    }
}

impl<R: Read> RecordReader<R> {
    /// Reads from any input; `file` is named in errors. Fails as [`open`](RecordReader::open) does.
    pub fn new(input: R, file: &Path) -> Result<Self, RecordError> {
        let mut reader = Self {
            file: file.to_owned(),
            input,
            head: RecordHead::default(),
            end: None,
            section: Vec::new(),
            read: 0,
            before: 0,
            offset: 0,
            is_cut: false,
        };
        let mut magic = [0; MAGIC.len()];
        if !reader.fill(&mut magic)? || magic != MAGIC || reader.next_section()? != Some(b'H') {
            return Err(RecordError::NoRecords { file: reader.file });
        }
        reader.head = serde_json::from_slice(&reader.section).map_err(|_| reader.damaged("its head is not JSON"))?;
        reader.section.clear();
        Ok(reader)
    }

    /// What was sent.
    pub fn head(&self) -> &RecordHead {
        &self.head
    }

    /// Counts beside the records, once all have been read; `None` if the load was killed.
    pub fn end(&self) -> Option<&RecordEnd> {
        self.end.as_ref()
    }

    /// Reads the next section into `section` and returns its letter; `None` at the end, and at a cut outside records.
    fn next_section(&mut self) -> Result<Option<u8>, RecordError> {
        let begin = self.offset;
        let mut byte = [0];
        if !self.fill(&mut byte)? {
            return Ok(None);
        }
        let [letter] = byte;
        let (mut length, mut shift) = (0_u64, 0);
        loop {
            if !self.fill(&mut byte)? {
                return Ok(None);
            }
            length |= u64::from(byte[0] & 0x7f) << shift;
            shift += 7;
            if byte[0] < 0x80 {
                break;
            }
            if shift > 28 {
                return Err(self.damaged_at(begin, "a section's length is out of bounds"));
            }
        }
        if length > LONGEST {
            return Err(self.damaged_at(begin, "a section is longer than 64 MiB"));
        }
        self.section.clear();
        self.read = 0;
        self.before = 0;
        // Read as far as data comes: a claimed length must not allocate memory.
        let mut limited = (&mut self.input).take(length);
        let read = limited.read_to_end(&mut self.section);
        let read = read.map_err(|source| RecordError::Io { doing: "read", file: self.file.clone(), source })?;
        self.offset += read as u64;
        self.is_cut = read as u64 != length;
        Ok((!self.is_cut || letter == b'R').then_some(letter))
    }

    fn advance(&mut self) -> Result<Option<RequestRecord>, RecordError> {
        loop {
            if let Some(mut rest) = self.section.get(self.read..).filter(|rest| !rest.is_empty()) {
                let left = rest.len();
                let record = match RequestRecord::read(self.before, &mut rest) {
                    Some(record) => record,
                    None if self.is_cut => {
                        self.section.clear();
                        return Ok(None);
                    }
                    None => return Err(self.damaged("there is no record")),
                };
                self.read += left - rest.len();
                self.before = record.planned_ns;
                return Ok(Some(record));
            }
            match self.next_section()? {
                Some(b'R') => {}
                Some(b'E') => {
                    let end = serde_json::from_slice(&self.section);
                    self.end = Some(end.map_err(|_| self.damaged("its end is not JSON"))?);
                    self.section.clear();
                    return Ok(None);
                }
                Some(_) => return Err(self.damaged("an unknown kind of section")),
                None => {
                    self.section.clear();
                    return Ok(None);
                }
            }
        }
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<bool, RecordError> {
        match self.input.read_exact(bytes) {
            Ok(()) => {
                self.offset += bytes.len() as u64;
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            Err(source) => Err(RecordError::Io { doing: "read", file: self.file.clone(), source }),
        }
    }

    fn damaged(&self, what: &'static str) -> RecordError {
        self.damaged_at(self.offset - self.section.len() as u64, what)
    }

    fn damaged_at(&self, offset: u64, what: &'static str) -> RecordError {
        RecordError::Damaged { file: self.file.clone(), offset, what }
    }
}

impl<R: Read> Iterator for RecordReader<R> {
    type Item = Result<RequestRecord, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.end.is_some() {
            return None;
        }
        self.advance().transpose()
    }
}

#[cfg(test)]
mod tests;
