//! Reads the files that say how an application finds its classes, and existing maps. The principal function is
//! [`read_whole`]; a [`Buffer`] reads many files into the same memory.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use nix::fcntl::OFlag;

use crate::Problem;

/// In bytes. The longest of known applications have some 10 MB; PHP itself refuses 2 GB.
pub(crate) const LONGEST: usize = 256 << 20;

/// Reads a file. Fails if it cannot, on a pipe or a device (which may have no end), and beyond 256 MB.
pub fn read_whole(path: &Path) -> io::Result<Vec<u8>> {
    let is_file = |found: Metadata| match (found.is_dir(), found.is_file()) {
        (true, _) => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        (_, true) => Ok(()),
        _ => Err(io::Error::other("it is not a file, but a pipe or a device")),
    };
    // Opening a device can do something already, and a link may lead to one.
    is_file(path.metadata()?)?;
    let file = open(path)?;
    is_file(file.metadata()?)?;
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

/// Bytes read before a file's properties are asked for: nearly all files are shorter.
const FIRST: usize = 256 << 10;

#[derive(Debug, Default)]
pub(crate) struct Buffer(Vec<u8>);

impl Buffer {
    /// Reads the rest of the file; nothing of a device, which may have no end. Needs no length: most fit into the
    /// buffer.
    pub(crate) fn fill(&mut self, file: &mut File) -> io::Result<&[u8]> {
        self.fill_up_to(file, LONGEST, is_worth_it)
    }

    /// `is_worth_it` is called once, for files of more than [`FIRST`] bytes.
    fn fill_up_to<R: Read>(
        &mut self,
        file: &mut R,
        longest: usize,
        is_worth_it: impl Fn(&R) -> io::Result<bool>,
    ) -> io::Result<&[u8]> {
        let (mut length, mut is_asked) = (0, false);
        loop {
            if length == self.0.len() {
                if length > longest {
                    return Err(too_long(longest));
                }
                // One byte more shows whether there is any.
                self.0.resize((2 * length).clamp(FIRST, longest + 1), 0);
            }
            match file.read(&mut self.0[length..]) {
                Ok(0) => return Ok(&self.0[..length]),
                Ok(read) => length += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            if length >= FIRST && !is_asked {
                is_asked = true;
                if !is_worth_it(file)? {
                    return Ok(&[]);
                }
            }
        }
    }
}

/// Whether it is a regular file. Fails for one that is too long, without reading its first 256 MB.
fn is_worth_it(file: &File) -> io::Result<bool> {
    let metadata = file.metadata()?;
    match metadata.is_file() && metadata.len() > LONGEST as u64 {
        true => Err(too_long(LONGEST)),
        false => Ok(metadata.is_file()),
    }
}

/// Opens a file; `None` if there is none, or a pipe or a device, of which opening or reading takes something.
pub(crate) fn open_if_there(path: &Path) -> Result<Option<File>, Problem> {
    let opened = path.metadata().and_then(|metadata| {
        let is_readable = metadata.is_file() || metadata.is_dir();
        is_readable.then(|| open(path)).transpose()
    });
    match opened {
        Ok(file) => Ok(file),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(unreadable(path, &error)),
    }
}

pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Problem {
    let what = match path.metadata().map(|metadata| metadata.file_type()) {
        Ok(kind) if kind.is_fifo() || kind.is_socket() || kind.is_char_device() => "is not a file".to_owned(),
        _ => format!("cannot be read: {error}"),
    };
    Problem::of(path, format!("{what}; the classes in it are left to the application's own loaders")).hiding()
}

#[cfg(test)]
mod tests;
