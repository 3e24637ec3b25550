//! [`replace`]: writes a file that is complete, or as it was, with nothing beside it.
//!
//! The file being written has no name yet (`O_TMPFILE`, open(2)): whatever ends this process, Ctrl-C, `kill -9` or a
//! full disk, the system removes it with the process. Where the file system cannot do that, a new file beside the old
//! one has to do, which `kill -9` leaves there.

use std::fs::{File, OpenOptions, rename};
use std::io::{self, BufWriter, ErrorKind, Seek, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::{AT_FDCWD, AtFlags, OFlag};
use nix::unistd::linkat;

/// As any new file: the umask narrows it.
const MODE: u32 = 0o666;
/// Names tried for the moment between two calls.
const TRIES: usize = 8;

/// Writes a file, replacing an existing one. Fails if it cannot be written; the file is then unchanged.
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
    // There is no /proc, or the folder refuses it: a file beside the old one may work.
    let mut beside = named(folder)?;
    file.rewind()?;
    fill(beside.as_file_mut(), |out| io::copy(&mut file, out).map(drop))?;
    beside.persist(path).map_err(|failed| failed.error)?;
    Ok(())
}

/// Begins a file that is written bit by bit and seen as it grows, replacing an existing one. A link is replaced, and
/// its target stays as it is.
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

/// Gives it its name. A link cannot replace an existing file, so it takes a temporary name for the moment between two
/// calls.
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
