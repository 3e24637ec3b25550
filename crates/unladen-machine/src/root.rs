//! Small files: the principal type is [`Root`], the folder of the kernel's, `/` except in tests; [`number_after`] finds
//! a number in one. [`open_plain`] and [`read_plain`] are for files of unknown owners.

use std::fs::{File, symlink_metadata};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;

/// `/proc/cpuinfo` has some 1.5 KiB a processor; the first processors have what is looked for.
const LONGEST: u64 = 256 * 1024;

#[derive(Debug, Clone)]
pub(crate) struct Root {
    folder: PathBuf,
    /// The files are this machine's, so the processor may be asked too.
    is_this_machine: bool,
}

impl Root {
    pub(crate) fn of_this_machine() -> Self {
        Self { folder: PathBuf::from("/"), is_this_machine: true }
    }

    #[cfg(test)]
    pub(crate) fn at(folder: &std::path::Path) -> Self {
        Self { folder: folder.to_owned(), is_this_machine: false }
    }

    pub(crate) fn is_this_machine(&self) -> bool {
        self.is_this_machine
    }

    /// The beginning of a file, `path` without the leading slash. Invalid UTF-8 is replaced.
    pub(crate) fn read(&self, path: &str) -> Option<String> {
        let mut bytes = Vec::new();
        File::open(self.folder.join(path)).ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The trimmed first line of a file, unless empty.
    pub(crate) fn line(&self, path: &str) -> Option<String> {
        let content = self.read(path)?;
        let line =
            content.lines().next()?.trim_matches(|character: char| character.is_whitespace() || character == '\0');
        (!line.is_empty()).then(|| line.to_owned())
    }

    pub(crate) fn link(&self, path: &str) -> Option<PathBuf> {
        std::fs::read_link(self.folder.join(path)).ok()
    }

    pub(crate) fn has(&self, path: &str) -> bool {
        symlink_metadata(self.folder.join(path)).is_ok()
    }
}

/// The number that follows `key` in a file of lines such as `rchar: 4711`.
///
/// ```
/// assert_eq!(unladen_machine::number_after(b"nr_periods 7\nnr_throttled 3\n", b"nr_throttled "), Some(3));
/// ```
pub fn number_after(content: &[u8], key: &[u8]) -> Option<u64> {
    content.split(|&byte| byte == b'\n').find_map(|line| decimal(line.strip_prefix(key)?))
}

/// The decimal number at the start of `bytes`, after blanks.
pub fn decimal(bytes: &[u8]) -> Option<u64> {
    let trimmed = bytes.trim_ascii_start();
    let digits = trimmed.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&trimmed[..digits]).ok()?.parse().ok()
}

/// Opens a regular file. Someone else's folder may have a pipe under its name, which blocks, or a device.
pub(crate) fn open_plain(path: &Path) -> io::Result<File> {
    let refused = || io::Error::new(io::ErrorKind::InvalidInput, "it is not a plain file");
    if !std::fs::metadata(path)?.is_file() {
        return Err(refused());
    }
    let flags = OFlag::O_NONBLOCK | OFlag::O_NOCTTY | OFlag::O_CLOEXEC;
    let file = File::options().read(true).custom_flags(flags.bits()).open(path)?;
    // It may have been replaced since.
    if file.metadata()?.is_file() { Ok(file) } else { Err(refused()) }
}

/// Reads such a file, of at most `most` bytes.
pub(crate) fn read_plain(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_plain(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {most} bytes")));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests;
