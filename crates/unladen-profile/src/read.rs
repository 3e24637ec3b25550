//! The principal function is [`read`]: reads a file with the first of [`READERS`] that recognises it.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use crate::frame::FrameKind;
use crate::input::Input;
use crate::profile::Profile;
use crate::readers::{self, HEAD, ProfileReader, ReadError};
use crate::text::{ends_in_number, is_number};
use crate::write::writer_for;

/// All readable formats; the first that recognises a file reads it, so the least specific comes last.
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

/// The reader of that name.
pub fn reader_named(name: &str) -> Option<&'static dyn ProfileReader> {
    READERS.iter().copied().find(|reader| reader.name() == name)
}

/// Reads a file; `-` is standard input. Without a reader, its beginning decides the format. Fails if it is unreadable,
/// or of no known format.
pub fn read(file: &Path, reader: Option<&'static dyn ProfileReader>) -> Result<Profile, ReadError> {
    let failed = |source| ReadError::Open { file: file.to_owned(), source };
    let opened: Box<dyn io::Read> =
        if file == Path::new("-") { Box::new(io::stdin()) } else { Box::new(File::open(file).map_err(failed)?) };
    read_from(opened, file, reader)
}

/// First bytes that tell whether a file is packed.
const MARK: u64 = 4;

pub(crate) fn read_from(
    mut opened: impl io::Read,
    file: &Path,
    reader: Option<&'static dyn ProfileReader>,
) -> Result<Profile, ReadError> {
    let failed = |source| ReadError::Open { file: file.to_owned(), source };
    let mut mark = Vec::new();
    opened.by_ref().take(MARK).read_to_end(&mut mark).map_err(failed)?;
    let mut on_disk = io::Cursor::new(mark).chain(BufReader::with_capacity(HEAD, opened));
    let mut unpacked = Input::new(&mut on_disk);
    let mut head = Vec::new();
    unpacked.by_ref().take(HEAD as u64).read_to_end(&mut head).map_err(failed)?;
    let is_packed = unpacked.is_packed;
    let reader = match reader {
        Some(reader) => reader,
        None => (READERS.iter().copied().find(|reader| reader.recognises(&head)))
            .or_else(|| by_name(file).filter(|_| !is_blank(&head)))
            .ok_or_else(|| ReadError::Unknown { file: file.to_owned(), known: names(), hint: hint(&head) })?,
    };
    let mut whole = io::Cursor::new(head).chain(unpacked);
    let mut profile = reader.read(&mut Input::new(&mut whole)).map_err(|error| error.of_file(file, is_packed))?;
    if profile.about.title.is_empty() {
        profile.about.title = match file.file_name() {
            Some(name) if file != Path::new("-") => name.to_string_lossy().into_owned(),
            _ => "standard input".to_owned(),
        };
    }
    profile.notes.extend(doubt(&profile));
    profile.notes.extend(profile.about.note());
    profile.notes.iter_mut().for_each(|note| *note = format!("{}: {note}", file.display()));
    Ok(profile)
}

/// The reader for a file name's suffix, which reports the fault of a file that no reader recognises.
fn by_name(file: &Path) -> Option<&'static dyn ProfileReader> {
    let unpacked = (file.extension()).filter(|extension| *extension == "gz" || *extension == "zst");
    let file = unpacked.and_then(|_| file.file_stem()).filter(|_| writer_for(file).is_none()).map_or(file, Path::new);
    // Any text may be called .txt.
    let writer = writer_for(file).filter(|_| file.extension().is_some_and(|extension| extension != "txt"))?;
    reader_named(writer.name())
}

fn is_blank(head: &[u8]) -> bool {
    head.trim_ascii().is_empty()
}

fn hint(head: &[u8]) -> &'static str {
    let begin = head.trim_ascii_start();
    if is_blank(head) {
        "it is empty"
    } else if head.starts_with(b"PERFILE2") {
        "this is perf's binary recording: convert it to text with `perf script -i FILE`"
    } else if head.starts_with(b"MOJ") {
        "this is Austin's binary recording: convert it to text with `mojo2austin FILE OUT`"
    } else if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
        "this is UTF-16, as PowerShell's > writes it: convert it with `iconv -f UTF-16 -t UTF-8 FILE`"
    } else if begin.starts_with(b"<") {
        "this is a page or a picture: use the data file that was written with it"
    } else {
        "--format NAME shows what is wrong with it in that format"
    }
}

fn names() -> String {
    READERS.iter().map(|reader| reader.name()).collect::<Vec<_>>().join(", ")
}

/// Too few names to judge.
const FEW: usize = 3;

/// Reports stacks without frames, and absurd names: addresses, numbers, or names ending in numbers as a column of the file would.
pub(crate) fn doubt(profile: &Profile) -> Option<String> {
    let names: Vec<&str> = (profile.frames.iter())
        .filter(|(_, frame)| frame.kind != FrameKind::Group)
        .map(|(_, frame)| frame.name)
        .collect();
    if profile.stacks.is_empty() && profile.total() > 0 {
        return Some("no stack has a frame: the file says how much there is, and not of what".to_owned());
    }
    if !names.is_empty() && names.iter().all(|name| is_number(name.as_bytes())) {
        return Some("all functions are numbers: the file may be a table and no profile".to_owned());
    }
    let found = |looks: fn(&str) -> bool| {
        let count = names.iter().filter(|name| looks(name)).count();
        let example = names.iter().find(|name| looks(name))?;
        (count >= FEW && 2 * count >= names.len())
            .then(|| format!("{count} of {} functions", names.len()) + &format!(" have names like `{example}`"))
    };
    if let Some(found) = found(is_address) {
        return Some(format!(
            "{found}, which begin with an address: the profiler knew no symbols, or wrote another format"
        ));
    }
    let found = found(|name| ends_in_number(name.as_bytes()))?;
    Some(format!("{found}, which end in a number: the file may have more columns than this format"))
}

/// `0x401136`, `7f1c2a0b4c3d`, `401b97 main`.
fn is_address(name: &str) -> bool {
    let word = name.split_whitespace().next().unwrap_or_default();
    let digits = word.strip_prefix("0x").unwrap_or(word);
    // Words such as `deadbeef` are names.
    digits.len() >= 6
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        && digits.bytes().any(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests;
