//! Reads the files that say how an application finds its classes, and existing maps. The principal function is
//! [`read_whole`].

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nix::fcntl::OFlag;

/// In bytes. The longest of known applications have some 10 MB; PHP itself refuses 2 GB.
pub(crate) const LONGEST: usize = 256 << 20;

/// Reads a file. Fails if it cannot, on a pipe or a device (which may have no end), and beyond 256 MB.
pub fn read_whole(path: &Path) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        return Err(io::Error::other("it is no file, but a pipe or a device"));
    }
    up_to(file, LONGEST)
}

/// Opens a file, without blocking on a named pipe.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path)
}

/// Does not trust the file's length: it may grow, and a sparse file's length would take the memory.
fn up_to(input: impl Read, longest: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // One byte more shows whether there is any.
    input.take(longest as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > longest { Err(too_long(longest)) } else { Ok(bytes) }
}

pub(crate) fn too_long(longest: usize) -> io::Error {
    io::Error::other(format!("it has more than {} MB", longest >> 20))
}

#[cfg(test)]
mod tests;
