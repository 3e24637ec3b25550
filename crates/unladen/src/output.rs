//! Writes results to standard output, or to a file that is complete or absent.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use nix::unistd::geteuid;
use unladen_compare::Comparison;
use unladen_document::Document;
use unladen_probe::PROBES;
use unladen_profile::writer_for;
use unladen_publish::{PUBLICATIONS, Publication, RunPicture};
use unladen_quantity::inert_json;
use unladen_report::{Report, Style, ascii, format_named, write_kept};

use crate::{locale, terminal, whole_file};

#[derive(Clone)]
pub(crate) struct Destination {
    file: PathBuf,
    publication: Option<&'static dyn Publication>,
}

/// GitHub's file for the summary of a job's step: what other commands have written there stays.
const STEP_SUMMARY: &str = "GITHUB_STEP_SUMMARY";

#[derive(Debug, thiserror::Error)]
#[error("cannot write the result to {}: {source}", whither.display())]
pub(crate) struct OutputError {
    whither: PathBuf,
    source: io::Error,
}

/// A file that cannot be written, or not in the format that its name asks for.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DestinationError {
    #[error("{0}")]
    Format(String),
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// Columns of a file.
const WIDTH: u16 = 100;

/// Flame graphs, which a document does not contain.
fn pictures(report: Report<'_>) -> Vec<RunPicture> {
    let title = match report {
        Report::Profile(_) => "Flame graph: where the time of a request goes",
        Report::ProfileDiff(_) => "Differential flame graph: red has grown, blue has shrunk",
        _ => return Vec::new(),
    };
    let mut svg = Vec::new();
    let drawn = format_named("svg").map(|format| format.write(report, Style::plain(WIDTH), &mut svg));
    match (drawn, String::from_utf8(svg)) {
        (Some(Ok(())), Ok(svg)) => vec![RunPicture { title: title.to_owned(), svg }],
        _ => Vec::new(),
    }
}

impl Destination {
    /// The name says the format.
    pub(crate) fn of_name(file: &Path) -> Self {
        Self { file: file.to_owned(), publication: publication_of(file) }
    }

    /// A file in another tool's format.
    pub(crate) fn published(file: &Path, publication: &'static dyn Publication) -> Self {
        Self { file: file.to_owned(), publication: Some(publication) }
    }

    /// Checks, before measuring, that the file can be written in a known format. Profiles have formats of their own.
    pub(crate) fn check(&self, of_profile: bool) -> Result<(), DestinationError> {
        if is_stdout(&self.file) {
            return Ok(());
        }
        if self.publication.is_none() {
            check_format(&self.file, of_profile).map_err(DestinationError::Format)?;
        }
        Ok(check(&self.file)?)
    }

    /// Like [`Self::check`], for a kept document, which is published or written as it is.
    pub(crate) fn check_of_document(&self) -> Result<(), DestinationError> {
        let is_known = matches!(format_of(&self.file), Some("json" | "text")) && self.file.extension().is_some();
        if self.publication.is_none() && !is_known && !is_stdout(&self.file) {
            let why =
                format!("{}: expected a name that ends in .txt, .json{}", self.file.display(), publication_endings());
            return Err(DestinationError::Format(why));
        }
        if is_stdout(&self.file) { Ok(()) } else { Ok(check(&self.file)?) }
    }

    /// Like [`Self::check`], for a comparison, which has no tables of a command.
    pub(crate) fn check_of_comparison(&self) -> Result<(), DestinationError> {
        if is_stdout(&self.file) {
            return Ok(());
        }
        if self.publication.is_none() && format_of(&self.file) != Some("json") {
            let why = format!("{}: expected a name that ends in .json{}", self.file.display(), publication_endings());
            return Err(DestinationError::Format(why));
        }
        Ok(check(&self.file)?)
    }

    pub(crate) fn write_comparison(&self, comparison: &Comparison) -> Result<(), OutputError> {
        match self.publication {
            Some(publication) => publish_by(&self.file, |out| publication.comparison(comparison, out)),
            None => publish_by(&self.file, |out| writeln!(out, "{}", json_of(comparison))),
        }
    }

    pub(crate) fn write_document(&self, text: &[u8], pictures: &[RunPicture]) -> Result<(), OutputError> {
        let read = || {
            Document::read(text)
                .map_err(|error| OutputError { whither: self.file.clone(), source: io::Error::other(error) })
        };
        match self.publication {
            Some(publication) => publish(&read()?, pictures, publication, &self.file),
            None if !is_stdout(&self.file) && format_of(&self.file) == Some("text") => {
                tables(read()?, &self.file, of_files(terminal::style()))
            }
            None => publish_by(&self.file, |out| out.write_all(text)),
        }
    }
}

pub(crate) fn json_of(comparison: &Comparison) -> String {
    serde_json::to_string_pretty(comparison).unwrap_or_default()
}

impl OutputError {
    pub(crate) fn new(whither: &Path, source: io::Error) -> Self {
        Self { whither: whither.to_owned(), source }
    }

    /// Under the name that the user knows.
    pub(crate) fn at(self, whither: &Path) -> Self {
        Self { whither: whither.to_owned(), ..self }
    }

    pub(crate) fn why(&self) -> &io::Error {
        &self.source
    }
}

/// Writes a text and a line end to standard output. A reader that has gone away is no error.
pub(crate) fn line(text: &str) -> Result<(), OutputError> {
    // JSON is UTF-8 by its own definition.
    let text = match text.starts_with(['{', '[']) {
        true => inert_json(text).into(),
        false if locale::is_ascii() => ascii(text),
        false => text.into(),
    };
    match writeln!(io::stdout().lock(), "{text}") {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|source| OutputError { whither: "standard output".into(), source }),
    }
}

/// Writes bytes to standard output, as they are. Fails like [`line`].
pub(crate) fn bytes(bytes: &[u8]) -> Result<(), OutputError> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|source| OutputError { whither: "standard output".into(), source }),
    }
}

/// Writes the result to standard output, and to files in the formats of their names. Fails with the first error. A full
/// disk does not lose the measurement: standard output has the result all the same, and where that cannot be written,
/// or nobody reads it and a file cannot be, standard error has the tables.
pub(crate) fn everywhere(
    result: Report<'_>,
    json: bool,
    files: &[Destination],
    style: Style,
) -> Result<(), OutputError> {
    let (mut written, mut is_kept) = (Ok(()), false);
    if let Some(format) = format_named(if json { "json" } else { "text" }) {
        match to_stdout(|out| format.write(result, style, out)) {
            Ok(Reader::There) => is_kept = true,
            Ok(Reader::Gone) => {}
            Err(error) => written = Err(error),
        }
    }
    let is_published = files.iter().any(|file| file.publication.is_some());
    let document = is_published.then(|| (result.document(), pictures(result)));
    for Destination { file, publication } in files {
        if let (Some(publication), Some((document, pictures))) = (publication, &document) {
            written = written.and(publish(document, pictures, *publication, file));
            continue;
        }
        // Standard output has the result already.
        if is_stdout(file) {
            continue;
        }
        // A profile has further formats, for other tools.
        let profile = if let Report::Profile(profiled) = result { profiled.profile.as_ref() } else { None };
        if let (Some(profile), Some(writer)) = (profile, writer_for(file)) {
            written = written.and(whole_file(file, |out| writer.write(profile, out)));
            continue;
        }
        if let Some(format) = format_of(file).and_then(format_named) {
            let done = whole_file(file, |out| format.write(result, of_files(style), out));
            // A picture does not preserve the result.
            is_kept |= done.is_ok() && format.name() != "svg";
            written = written.and(done);
        }
    }
    if written.is_err() && !is_kept {
        to_stderr(result, style);
    }
    written
}

/// Writes a document in another tool's format, to a file or standard output.
pub(crate) fn publish(
    document: &Document,
    pictures: &[RunPicture],
    publication: &dyn Publication,
    file: &Path,
) -> Result<(), OutputError> {
    publish_by(file, |out| publication.illustrated(document, pictures, out))
}

/// Writes the tables of a kept document, as the command printed them.
pub(crate) fn tables(mut document: Document, file: &Path, style: Style) -> Result<(), OutputError> {
    let Some(text) = format_named("text") else { return Ok(()) };
    document.fill_titles(title_of);
    publish_by(file, |out| write_kept(&document, text, style, out))
}

/// What tables call a counter.
fn title_of(name: &str) -> Option<&'static str> {
    let mut counters = PROBES.iter().flat_map(|probe| probe.counters);
    counters.find(|counter| counter.name == name).map(|counter| counter.title)
}

pub(crate) fn publish_by(file: &Path, write: impl Fn(&mut dyn Write) -> io::Result<()>) -> Result<(), OutputError> {
    if is_stdout(file) {
        return to_stdout(write).map(drop);
    }
    if std::env::var_os(STEP_SUMMARY).is_some_and(|summary| Path::new(&summary) == file) {
        let appended = std::fs::OpenOptions::new().append(true).create(true).open(file);
        return appended
            .and_then(|mut out| write(&mut out))
            .map_err(|source| OutputError { whither: file.to_owned(), source });
    }
    whole_file(file, write)
}

pub(crate) fn publication_of(file: &Path) -> Option<&'static dyn Publication> {
    let name = file.file_name()?.to_string_lossy().to_ascii_lowercase();
    let has_ending = |publication: &&dyn Publication| {
        publication.endings().iter().any(|ending| name.strip_suffix(ending).is_some_and(|stem| stem.ends_with('.')))
    };
    PUBLICATIONS.iter().copied().find(has_ending)
}

/// Whether a file is `-`, standard output.
pub(crate) fn is_stdout(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// The format that a file's name asks for; `None` if unknown, as `x.png`.
fn format_of(file: &Path) -> Option<&'static str> {
    match file.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase()).as_deref() {
        Some("json") => Some("json"),
        Some("svg") => Some("svg"),
        None | Some("txt" | "text" | "log" | "out") => Some("text"),
        Some(_) => None,
    }
}

/// Refuses a file name of unknown format; profiles have more formats. The error lists the known ones.
fn check_format(file: &Path, of_profile: bool) -> Result<(), String> {
    if is_stdout(file) {
        return Ok(());
    }
    // The name of a device, such as /dev/fd/3, says nothing.
    let is_special = file.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
    if is_special || format_of(file).is_some() || (of_profile && writer_for(file).is_some()) {
        return Ok(());
    }
    let more = if of_profile { "; `unladen profile formats` lists the other formats of profiles" } else { "" };
    Err(format!(
        "{}: no format has this ending; there are .json, .svg (a picture), .txt (tables){}{more}",
        file.display(),
        publication_endings()
    ))
}

/// `, .html, .md`, for messages.
fn publication_endings() -> String {
    PUBLICATIONS
        .iter()
        .flat_map(|publication| publication.endings().first())
        .map(|ending| format!(", .{ending}"))
        .collect()
}

/// Checks, before measuring, whether a file can be written, without touching it. Fails if it is a folder, its folder
/// does not exist, or nothing can be written into that.
pub(crate) fn check(path: &Path) -> Result<(), OutputError> {
    is_writable(path).map_err(|source| OutputError { whither: path.to_owned(), source })
}

/// Checks whether files can be written into a folder, which is made if missing.
pub(crate) fn check_folder(folder: &Path) -> Result<(), OutputError> {
    let tried = std::fs::create_dir_all(folder).and_then(|()| tempfile::tempfile_in(folder).map(drop));
    tried.map_err(|source| OutputError { whither: folder.to_owned(), source })
}

fn is_writable(path: &Path) -> io::Result<()> {
    let found = path.metadata().ok();
    match found.as_ref().map(std::fs::Metadata::file_type) {
        Some(kind) if kind.is_dir() => return Err(io::Error::from(io::ErrorKind::IsADirectory)),
        // Opening one waits for its reader.
        Some(kind) if kind.is_fifo() => return Ok(()),
        Some(kind) if !kind.is_file() => return OpenOptions::new().write(true).open(path).map(drop),
        _ => {}
    }
    let folder = folder_of(path);
    if !folder.metadata()?.is_dir() {
        return Err(io::Error::from(io::ErrorKind::NotADirectory));
    }
    // A new file replaces the old one, so the folder's permissions decide.
    let own = tempfile::tempfile_in(folder)?.metadata()?.uid();
    let folder = folder.metadata()?;
    let is_sticky = folder.mode() & 0o1000 != 0 && own != 0 && own != folder.uid();
    match path.symlink_metadata() {
        Ok(there) if is_sticky && there.uid() != own => Err(io::Error::from(io::ErrorKind::PermissionDenied)),
        _ => Ok(()),
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

enum Reader {
    There,
    Gone,
}

/// A reader that has gone away (`| head`) is no error.
fn to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<Reader, OutputError> {
    let mut out = BufWriter::new(io::stdout().lock());
    let written = write(&mut out).and_then(|()| out.flush());
    // Dropping the writer would try to write its rest once more.
    let (_, _rest) = out.into_parts();
    match written {
        Ok(()) => Ok(Reader::There),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Reader::Gone),
        Err(source) => Err(OutputError { whither: "standard output".into(), source }),
    }
}

/// The terminal's character set for files, since they are read there.
fn of_files(style: Style) -> Style {
    Style { ascii: style.ascii, fix: style.fix, ..Style::plain(WIDTH) }
}

/// Writes to a file beside its final place and renames it; special files (/dev/…) are written directly. Fails if it
/// cannot be written; the file is then unchanged.
pub(crate) fn whole_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), OutputError> {
    let error = |source| OutputError { whither: path.to_owned(), source };
    match special(path).map_err(error)? {
        Some(mut file) => write(&mut file),
        None => whole_file::replace(path, folder_of(path), write),
    }
    .map_err(error)
}

/// Begins a file that is written bit by bit; it replaces an old file or link.
pub(crate) fn stream(path: &Path) -> Result<File, OutputError> {
    let begun = special(path).and_then(|special| match special {
        Some(file) => Ok(file),
        None => whole_file::begin(path, folder_of(path)),
    });
    begun.map_err(|source| OutputError { whither: path.to_owned(), source })
}

/// Opens a special file that is written directly, such as a pipe or `/dev/stderr`; `None` if a regular file is to
/// replace whatever is there.
///
/// Root neither follows another user's link nor writes into that user's pipe, which could be opened by nobody, or
/// become a link to a file of root's between two calls.
fn special(path: &Path) -> io::Result<Option<File>> {
    let Ok(named) = path.symlink_metadata() else { return Ok(None) };
    let is_anothers = geteuid().is_root() && named.uid() != 0;
    let Ok(found) = path.metadata() else { return Ok(None) };
    if found.is_file() || (named.is_symlink() && is_anothers) {
        return Ok(None);
    }
    if is_anothers {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is not a file, and belongs to another user"));
    }
    let file = OpenOptions::new().write(true).open(path)?;
    let opened = file.metadata()?;
    match opened.is_file() || (opened.dev(), opened.ino()) != (found.dev(), found.ino()) {
        true => Err(io::Error::other("it was replaced meanwhile")),
        false => Ok(Some(file)),
    }
}

/// Ignores write errors.
fn to_stderr(result: Report<'_>, style: Style) {
    if let Some(text) = format_named("text") {
        let _ = text.write(result, of_files(style), &mut io::stderr().lock());
    }
}

#[cfg(test)]
mod tests;
