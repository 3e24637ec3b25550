//! A file that is there whole, or as it was, and nothing beside it: [`replace`].
//!
//! What is being written has no name yet (`O_TMPFILE`, open(2)): whatever ends this process, Ctrl-C, `kill -9` or a full
//! disk, the system takes it away with the process. Where the file system cannot do that, a new file beside the old one has
//! to do, which `kill -9` leaves there.

use std::fs::{File, OpenOptions, rename};
use std::io::{self, BufWriter, ErrorKind, Seek, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::{AT_FDCWD, AtFlags, OFlag};
use nix::unistd::linkat;

/// As any new file: the umask narrows it.
const MODE: u32 = 0o666;
/// Names that are tried for the moment between two calls.
const TRIES: usize = 8;

/// Writes a file in a folder, in place of the one that may be there.
///
/// # Errors
/// When it cannot be written; the file is then as it was.
pub(crate) fn replace(
    path: &Path,
    folder: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let Ok(mut file) = unnamed(folder) else {
        let mut beside = named(folder)?;
        fill(beside.as_file_mut(), write)?;
        beside.persist(path).map_err(|failed| failed.error)?;
        return Ok(());
    };
    fill(&mut file, write)?;
    if give_name(&file, path, folder).is_ok() {
        return Ok(());
    }
    // There is no /proc, or the folder refuses it: as a file beside the old one it may do.
    let mut beside = named(folder)?;
    file.rewind()?;
    fill(beside.as_file_mut(), |out| io::copy(&mut file, out).map(drop))?;
    beside.persist(path).map_err(|failed| failed.error)?;
    Ok(())
}

/// Begins a file that is written bit by bit, in place of the one that may be there: it is seen as it grows. A link is
/// replaced, and what it leads to stays as it is.
///
/// # Errors
/// When it cannot be made.
pub(crate) fn begin(path: &Path, folder: &Path) -> io::Result<File> {
    named(folder)?.persist(path).map_err(|failed| failed.error)
}

fn unnamed(folder: &Path) -> io::Result<File> {
    let flags = OFlag::O_TMPFILE.bits();
    OpenOptions::new().read(true).write(true).mode(MODE).custom_flags(flags).open(folder)
}

fn named(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    tempfile::Builder::new().permissions(PermissionsExt::from_mode(MODE)).tempfile_in(folder)
}

fn fill(file: &mut File, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(&mut *file);
    write(&mut out).and_then(|()| out.flush())?;
    drop(out);
    file.sync_all()
}

/// Puts it in its place. Over one that is there a link cannot be made: it takes the way by a name that is there for the
/// moment between two calls.
fn give_name(file: &File, path: &Path, folder: &Path) -> io::Result<()> {
    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    let link = |path: &Path| -> io::Result<()> {
        Ok(linkat(AT_FDCWD, own.as_str(), AT_FDCWD, path, AtFlags::AT_SYMLINK_FOLLOW)?)
    };
    match link(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        done => return done,
    }
    let mut tried = 0;
    let beside: PathBuf = loop {
        let beside = folder.join(format!(".unladen-{:016x}", fastrand::u64(..)));
        match link(&beside) {
            Ok(()) => break beside,
            Err(error) if error.kind() == ErrorKind::AlreadyExists && tried < TRIES => tried += 1,
            Err(error) => return Err(error),
        }
    };
    rename(&beside, path).inspect_err(|_| drop(std::fs::remove_file(&beside)))
}

#[cfg(test)]
mod tests;
