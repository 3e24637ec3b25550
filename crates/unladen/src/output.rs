//! Where results go: standard output, or a file that is there whole or not at all.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use unladen_profile::writer_for;
use unladen_report::{Format, Inside, Load, ProfileDiff, Profiled, Prove, Style, Weigh, format_named};

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
}

/// Writes a text and the end of its line to standard output.
///
/// # Errors
/// When it cannot be written; a reader that has gone away is no error.
pub(crate) fn line(text: &str) -> Result<(), OutputError> {
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
/// The first that could not be written; then the tables go to standard error, so that a minute's measuring is not lost to
/// a full disk.
pub(crate) fn everywhere(result: Report<'_>, json: bool, files: &[PathBuf], style: Style) -> Result<(), OutputError> {
    let mut written = Ok(());
    if let Some(format) = format_named(if json { "json" } else { "text" }) {
        written = to_stdout(format, result, style);
    }
    for file in files {
        // A profile has formats of its own, by which others read it.
        if let (Report::Profile(profiled), Some(writer)) = (result, writer_for(file)) {
            written = written.and(whole_file(file, |out| writer.write(&profiled.profile, out)));
            continue;
        }
        let name = match file.extension().and_then(|extension| extension.to_str()) {
            Some("json") => "json",
            Some("svg") => "svg",
            _ => "text",
        };
        if let Some(format) = format_named(name) {
            written = written.and(to_file(file, format, result));
        }
    }
    if written.is_err() {
        to_stderr(result);
    }
    written
}

/// Whether a file could be written there at all: better told before measuring than after.
pub(crate) fn check(path: &Path) -> Result<(), OutputError> {
    let folder = folder_of(path);
    match folder.metadata() {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err(io::Error::from(io::ErrorKind::NotADirectory)),
        Err(error) => Err(error),
    }
    .map_err(|source| OutputError { whither: path.to_owned(), source })
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes to standard output. A reader that has gone away (`| head`) is no error.
fn to_stdout(format: &dyn Format, result: Report<'_>, style: Style) -> Result<(), OutputError> {
    let mut out = BufWriter::new(io::stdout().lock());
    match result.write(format, style, &mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|source| OutputError { whither: "standard output".into(), source }),
    }
}

fn to_file(path: &Path, format: &dyn Format, result: Report<'_>) -> Result<(), OutputError> {
    whole_file(path, |out| result.write(format, Style::plain(100), out))
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
fn to_stderr(result: Report<'_>) {
    if let Some(text) = format_named("text") {
        let _ = result.write(text, Style::plain(100), &mut io::stderr().lock());
    }
}
