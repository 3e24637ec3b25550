//! The principal type is [`Lines`]: the runs of a file, read one at a time, however many there are.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use serde::Deserialize;
use serde_json::value::RawValue;
use unladen_store::{DOCUMENT_BYTES, EVIDENCE_BYTES, NewRun};

use crate::cmd::runs::export::SCHEMA;
use crate::exit::Failure;
use crate::output;
use crate::runs::{new_run, now, written_at};

const LINE_BYTES: u64 = (DOCUMENT_BYTES + EVIDENCE_BYTES) as u64 + (1 << 20);

/// The runs of a file, the earliest first: an export has the newest first, and numbers are to grow with time.
///
/// Each was checked once, so that none is wrong, and its document is read again on demand. A pipe is copied to a
/// temporary file.
#[derive(Debug)]
pub(super) struct Lines {
    shown: String,
    from: BufReader<File>,
    places: Vec<Place>,
}

#[derive(Debug)]
struct Place {
    /// Without document and evidence.
    run: NewRun,
    document: Range<u64>,
    evidence: Option<Range<u64>>,
}

/// A line of an export, whose parts are places in it.
#[derive(Deserialize)]
struct Line<'a> {
    schema: String,
    #[serde(borrow)]
    document: &'a RawValue,
    #[serde(borrow, default)]
    evidence: Option<&'a RawValue>,
}

/// Copy of an input that cannot be read twice.
struct Copy(Option<File>);

impl Lines {
    /// Reads a file once. Fails if it cannot be read or a line is no run; nothing of it is to be kept then.
    pub(super) fn of(file: &Path) -> Result<Self, Failure> {
        if output::is_stdout(file) {
            return Self::copied(&mut io::stdin().lock(), "standard input".to_owned(), now());
        }
        let shown = file.display().to_string();
        let wrong = |error: io::Error| Failure::Usage(format!("{shown} cannot be read: {error}"));
        let opened = File::open(file).map_err(wrong)?;
        // A document of an earlier version has no time; its file's is taken.
        let time = written_at(&opened);
        if !opened.metadata().map_err(wrong)?.is_file() {
            return Self::copied(&mut BufReader::new(opened), shown, time);
        }
        let mut from = BufReader::new(opened);
        let places = places(&mut from, &shown, &mut Copy(None), time)?;
        Ok(Self { shown, from, places })
    }

    pub(super) fn copied(from: &mut dyn BufRead, shown: String, otherwise: i64) -> Result<Self, Failure> {
        let failed =
            |error: io::Error| Failure::Usage(format!("{shown} cannot be copied to a temporary file: {error}"));
        let mut copy = Copy(Some(tempfile::tempfile().map_err(failed)?));
        let places = places(from, &shown, &mut copy, otherwise)?;
        let from = match copy.0 {
            Some(file) => BufReader::new(file),
            None => return Err(failed(io::ErrorKind::NotFound.into())),
        };
        Ok(Self { shown, from, places })
    }

    pub(super) fn shown(&self) -> &str {
        &self.shown
    }

    /// End (exclusive) of a batch of at most `most` runs that starts at `from` and takes at most `bytes`, unless its
    /// only run is larger; `None` past the last run.
    pub(super) fn batch(&self, from: usize, most: usize, bytes: u64) -> Option<usize> {
        let mut left = bytes;
        let rest = self.places.get(from..)?;
        let fit = rest.iter().take(most).take_while(|place| {
            let fits = place.bytes() <= left;
            left = left.saturating_sub(place.bytes());
            fits
        });
        (!rest.is_empty()).then_some(from + fit.count().max(1))
    }

    pub(super) fn times(&self, range: Range<usize>) -> Vec<i64> {
        let mut times: Vec<i64> =
            self.places.get(range).unwrap_or_default().iter().map(|place| place.run.time_ns).collect();
        times.dedup();
        times
    }

    /// Whether no other run of the file has this one's time, command and target.
    pub(super) fn is_alone(&self, index: usize) -> bool {
        let kind = |index: usize| self.places.get(index).map(Place::kind);
        let before = index.checked_sub(1).and_then(kind);
        kind(index) != before && kind(index) != kind(index + 1)
    }

    /// Fails if the file has changed since.
    pub(super) fn run(&mut self, index: usize) -> Result<NewRun, Failure> {
        let changed = || Failure::Usage(format!("{} changed while it was read", self.shown));
        let Place { run, document, evidence } = self.places.get(index).ok_or_else(changed)?;
        let mut read = |range: &Range<u64>| {
            let mut text = Vec::new();
            let from = &mut self.from;
            let read =
                from.seek(SeekFrom::Start(range.start)).and_then(|_| from.take(length(range)).read_to_end(&mut text));
            read.ok().filter(|read| *read as u64 == length(range)).map(|_| text)
        };
        let document = read(document).and_then(|text| String::from_utf8(text).ok()).ok_or_else(changed)?;
        let evidence = evidence.as_ref().map(|range| read(range).ok_or_else(changed)).transpose()?;
        Ok(NewRun { document, evidence, ..run.clone() })
    }
}

impl Place {
    /// Equal for runs that may be twins.
    fn kind(&self) -> (i64, &str, &str) {
        (self.run.time_ns, &self.run.verb, &self.run.target)
    }

    fn bytes(&self) -> u64 {
        length(&self.document) + self.evidence.as_ref().map_or(0, length)
    }
}

impl Copy {
    fn add(&mut self, text: &[u8]) -> io::Result<()> {
        self.0.as_mut().map_or(Ok(()), |file| file.write_all(text))
    }
}

/// Reads all of it and locates each run: the earliest first, those of one time, command and target side by side.
fn places(from: &mut dyn BufRead, shown: &str, copy: &mut Copy, otherwise: i64) -> Result<Vec<Place>, Failure> {
    let mut places = Vec::new();
    let mut offset = 0;
    for line in 1.. {
        let failed = |error: &dyn Display| wrong(shown, line, error);
        let mut text = Vec::new();
        (&mut *from).take(LINE_BYTES + 1).read_until(b'\n', &mut text).map_err(|error| failed(&error))?;
        if text.len() as u64 > LINE_BYTES {
            return Err(failed(&"the line is longer than any run"));
        }
        if text.is_empty() {
            break;
        }
        let is_document = line == 1 && !is_line(&text);
        if is_document {
            (&mut *from).take(LINE_BYTES).read_to_end(&mut text).map_err(|error| failed(&error))?;
        }
        if is_document || !text.trim_ascii().is_empty() {
            let place =
                if is_document { of_document(&text, offset, otherwise) } else { of_line(&text, offset, otherwise) };
            places.push(place.map_err(|error| failed(&error))?);
        }
        copy.add(&text).map_err(|error| failed(&format!("no temporary file: {error}")))?;
        offset += text.len() as u64;
        if is_document {
            break;
        }
    }
    places.sort_by(|a, b| a.kind().cmp(&b.kind()));
    Ok(places)
}

fn is_line(text: &[u8]) -> bool {
    serde_json::from_slice::<Line<'_>>(text).is_ok_and(|line| line.schema == SCHEMA)
}

fn of_line(text: &[u8], offset: u64, otherwise: i64) -> Result<Place, String> {
    let Line { schema, document, evidence } = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    if schema != SCHEMA {
        return Err(format!("`{schema}` is not the schema of a run: expected {SCHEMA}"));
    }
    let place = |part: &RawValue| {
        let start = offset + (part.get().as_ptr() as usize - text.as_ptr() as usize) as u64;
        start..start + part.get().len() as u64
    };
    let (at, evidence) = (place(document), evidence.map(place));
    Ok(Place { document: at, evidence, ..of_document(document.get().as_bytes(), offset, otherwise)? })
}

fn of_document(text: &[u8], offset: u64, otherwise: i64) -> Result<Place, String> {
    let run = new_run(text, None, otherwise).map_err(|error| error.to_string())?;
    if run.target.is_empty() {
        return Err("the document has no `target`: it is no whole result".to_owned());
    }
    let document = offset..offset + text.len() as u64;
    Ok(Place { run: NewRun { document: String::new(), ..run }, document, evidence: None })
}

fn length(range: &Range<u64>) -> u64 {
    range.end - range.start
}

fn wrong(shown: &str, line: usize, error: &dyn Display) -> Failure {
    Failure::Usage(format!("{shown}:{line}: {error}"))
}
