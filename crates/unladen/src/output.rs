//! Where results go: standard output, or a file that is there whole or not at all.

use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use unladen_profile::writer_for;
use unladen_report::{Format, Inside, Load, ProfileDiff, Profiled, Prove, Style, Weigh, ascii, format_named};

use crate::locale;

/// A result of any command.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Report<'a> {
    Weigh(&'a Weigh),
    Inside(&'a [Inside]),
    Load(&'a Load),
    Prove(&'a Prove),
    Profile(&'a Profiled),
    ProfileDiff(&'a ProfileDiff),
}

/// The result could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the result to {}: {source}", whither.display())]
pub(crate) struct OutputError {
    whither: PathBuf,
    source: io::Error,
}

// === impl Report ===

impl Report<'_> {
    fn write(self, format: &dyn Format, style: Style, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Weigh(result) => format.weigh(result, style, out),
            Self::Inside(pages) => format.inside(pages, style, out),
            Self::Load(result) => format.load(result, style, out),
            Self::Prove(result) => format.prove(result, style, out),
            Self::Profile(result) => format.profile(result, style, out),
            Self::ProfileDiff(result) => format.profile_diff(result, style, out),
        }
    }
}

// === impl OutputError ===

impl OutputError {
    pub(crate) fn new(whither: &Path, source: io::Error) -> Self {
        Self { whither: whither.to_owned(), source }
    }

    /// What the system said.
    pub(crate) fn why(&self) -> &io::Error {
        &self.source
    }
}

/// Writes a text and the end of its line to standard output.
///
/// # Errors
/// When it cannot be written; a reader that has gone away is no error.
pub(crate) fn line(text: &str) -> Result<(), OutputError> {
    // JSON is UTF-8 by its own definition.
    let is_ascii = locale::is_ascii() && !text.starts_with(['{', '[']);
    let text = if is_ascii { ascii(text) } else { text.into() };
    match writeln!(io::stdout().lock(), "{text}") {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|source| OutputError { whither: "standard output".into(), source }),
    }
}

/// Writes bytes to standard output, as they are.
///
/// # Errors
/// As [`line`].
pub(crate) fn bytes(bytes: &[u8]) -> Result<(), OutputError> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|source| OutputError { whither: "standard output".into(), source }),
    }
}

/// Writes the result where the user wants it: to standard output, and to files by the ends of their names.
///
/// # Errors
/// The first that could not be written. A minute's measuring is not lost to a full disk: standard output has the result
/// all the same, and where that cannot be written, or nobody reads it and a file cannot be, standard error has the
/// tables.
pub(crate) fn everywhere(result: Report<'_>, json: bool, files: &[PathBuf], style: Style) -> Result<(), OutputError> {
    let (mut written, mut is_kept) = (Ok(()), false);
    if let Some(format) = format_named(if json { "json" } else { "text" }) {
        match to_stdout(format, result, style) {
            Ok(Reader::There) => is_kept = true,
            Ok(Reader::Gone) => {}
            Err(error) => written = Err(error),
        }
    }
    // Standard output, `-`, has the result already.
    for file in files.iter().filter(|file| !is_stdout(file)) {
        // A profile has formats of its own, by which others read it.
        if let (Report::Profile(profiled), Some(writer)) = (result, writer_for(file)) {
            written = written.and(whole_file(file, |out| writer.write(&profiled.profile, out)));
            continue;
        }
        if let Some(format) = format_of(file).and_then(format_named) {
            let done = to_file(file, format, result, style);
            // A picture is not the result.
            is_kept |= done.is_ok() && format.name() != "svg";
            written = written.and(done);
        }
    }
    if written.is_err() && !is_kept {
        to_stderr(result, style);
    }
    written
}

/// Whether a file is `-`, standard output.
pub(crate) fn is_stdout(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// The format that a file's name asks for; none if it asks for one that there is not, as `x.png`.
fn format_of(file: &Path) -> Option<&'static str> {
    match file.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase()).as_deref() {
        Some("json") => Some("json"),
        Some("svg") => Some("svg"),
        None | Some("txt" | "text" | "log" | "out") => Some("text"),
        Some(_) => None,
    }
}

/// Refuses a file for results whose name asks for a format that there is not; profiles have more of them.
///
/// # Errors
/// What there is instead.
pub(crate) fn check_format(file: &Path, of_profile: bool) -> Result<(), String> {
    if is_stdout(file) {
        return Ok(());
    }
    // Of a device, such as /dev/fd/3, the name says nothing.
    let is_special = file.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
    if is_special || format_of(file).is_some() || (of_profile && writer_for(file).is_some()) {
        return Ok(());
    }
    let more = if of_profile { "; `unladen profile formats` lists what else a profile is written as" } else { "" };
    Err(format!(
        "{}: no format has this ending; there are .json, .svg (a picture) and .txt (tables){more}",
        file.display()
    ))
}

/// Whether a file can be written there: better told before measuring than after. It is not touched.
///
/// # Errors
/// If it is a folder, its folder is not there, or nothing can be written into that.
pub(crate) fn check(path: &Path) -> Result<(), OutputError> {
    is_writable(path).map_err(|source| OutputError { whither: path.to_owned(), source })
}

/// Whether files can be written into a folder, which is made unless it is there.
///
/// # Errors
/// If it cannot be made, or nothing can be written into it.
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
        Some(kind) if !kind.is_file() => return std::fs::OpenOptions::new().write(true).open(path).map(drop),
        _ => {}
    }
    let folder = folder_of(path);
    if !folder.metadata()?.is_dir() {
        return Err(io::Error::from(io::ErrorKind::NotADirectory));
    }
    // A new file takes the place of the old one: what counts is whether the folder takes it.
    let own = tempfile::Builder::new().tempfile_in(folder)?.as_file().metadata()?.uid();
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

/// Whether somebody reads standard output.
enum Reader {
    There,
    Gone,
}

/// Writes to standard output. A reader that has gone away (`| head`) is no error.
fn to_stdout(format: &dyn Format, result: Report<'_>, style: Style) -> Result<Reader, OutputError> {
    let mut out = BufWriter::new(io::stdout().lock());
    let written = result.write(format, style, &mut out).and_then(|()| out.flush());
    // What is left in it would be tried once more as it is dropped.
    let (_, _rest) = out.into_parts();
    match written {
        Ok(()) => Ok(Reader::There),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Reader::Gone),
        Err(source) => Err(OutputError { whither: "standard output".into(), source }),
    }
}

/// What a file has of the terminal's style: its characters, for it is read there.
fn of_files(style: Style) -> Style {
    Style { ascii: style.ascii, ..Style::plain(100) }
}

fn to_file(path: &Path, format: &dyn Format, result: Report<'_>, style: Style) -> Result<(), OutputError> {
    whole_file(path, |out| result.write(format, of_files(style), out))
}

/// Writes to a file beside its final place and renames it; special files (/dev/…) are written directly.
///
/// # Errors
/// If it cannot be written; the file is then as it was.
pub(crate) fn whole_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), OutputError> {
    let error = |source| OutputError { whither: path.to_owned(), source };
    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        let mut file = std::fs::OpenOptions::new().write(true).open(path).map_err(error)?;
        return write(&mut file).map_err(error);
    }
    let mut builder = tempfile::Builder::new();
    // As any new file: the umask narrows it.
    let file = builder
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666))
        .tempfile_in(folder_of(path))
        .map_err(error)?;
    let mut out = BufWriter::new(&file);
    write(&mut out).and_then(|()| out.flush()).map_err(error)?;
    drop(out);
    file.as_file().sync_all().map_err(error)?;
    file.persist(path).map_err(|failed| error(failed.error))?;
    Ok(())
}

/// Writes tables to standard error, as far as that works.
fn to_stderr(result: Report<'_>, style: Style) {
    if let Some(text) = format_named("text") {
        let _ = result.write(text, of_files(style), &mut io::stderr().lock());
    }
}
