//! Where results go: standard output, or a file that is there whole or not at all.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use unladen_report::{Format, Style, Weigh, format_named};

/// The result could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the result to {}: {source}", whither.display())]
pub(crate) struct OutputError {
    whither: PathBuf,
    source: io::Error,
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
pub(crate) fn to_stdout(format: &dyn Format, result: &Weigh, style: Style) -> Result<(), OutputError> {
    let mut out = BufWriter::new(io::stdout().lock());
    match format.weigh(result, style, &mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|source| OutputError { whither: "standard output".into(), source }),
    }
}

/// Writes to a file beside its final place and renames it; special files (/dev/…) are written directly.
pub(crate) fn to_file(path: &Path, format: &dyn Format, result: &Weigh) -> Result<(), OutputError> {
    let plain = Style::plain(100);
    let error = |source| OutputError { whither: path.to_owned(), source };
    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        let mut file = std::fs::OpenOptions::new().write(true).open(path).map_err(error)?;
        return format.weigh(result, plain, &mut file).map_err(error);
    }
    let mut builder = tempfile::Builder::new();
    // As any new file: the umask narrows it.
    let file = builder
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666))
        .tempfile_in(folder_of(path))
        .map_err(error)?;
    let mut out = BufWriter::new(&file);
    format.weigh(result, plain, &mut out).and_then(|()| out.flush()).map_err(error)?;
    drop(out);
    file.as_file().sync_all().map_err(error)?;
    file.persist(path).map_err(|failed| error(failed.error))?;
    Ok(())
}

/// Writes tables to standard error, as far as that works.
pub(crate) fn to_stderr(result: &Weigh) {
    if let Some(text) = format_named("text") {
        let _ = text.weigh(result, Style::plain(100), &mut io::stderr().lock());
    }
}
