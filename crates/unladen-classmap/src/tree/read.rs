//! Reads one file at once, into reused memory.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use crate::Problem;
use crate::input::{self, LONGEST, too_long};

/// Bytes read before a file's properties are asked for: nearly all files are shorter.
const FIRST: usize = 256 << 10;

#[derive(Debug, Default)]
pub(super) struct Buffer(Vec<u8>);

impl Buffer {
    /// Reads the rest of the file; nothing of a device, which may have no end. Needs no length: most fit into the
    /// buffer.
    pub(super) fn fill(&mut self, file: &mut File) -> io::Result<&[u8]> {
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

/// Opens a file; `None` if it does not exist.
pub(super) fn open(path: &Path) -> Result<Option<File>, Problem> {
    match input::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(unreadable(path, &error)),
    }
}

pub(super) fn unreadable(path: &Path, error: &io::Error) -> Problem {
    let what = match path.metadata().map(|metadata| metadata.file_type()) {
        Ok(kind) if kind.is_fifo() || kind.is_socket() || kind.is_char_device() => "is no file".to_owned(),
        _ => format!("cannot be read: {error}"),
    };
    Problem::of(path, format!("{what}; the classes in it are left to the application's own loaders")).hiding()
}

#[cfg(test)]
mod tests;
