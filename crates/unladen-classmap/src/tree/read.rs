//! Reading one file: at once, into memory that is used again.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use crate::Problem;
use crate::input::{self, LONGEST, too_long};

/// Memory for one file after the other.
#[derive(Debug, Default)]
pub(super) struct Buffer(Vec<u8>);

impl Buffer {
    /// The rest of the file. No call asks how long it is: most fit in what the one before has left.
    pub(super) fn fill(&mut self, file: &mut File) -> io::Result<&[u8]> {
        self.fill_up_to(file, LONGEST)
    }

    fn fill_up_to(&mut self, file: &mut impl Read, longest: usize) -> io::Result<&[u8]> {
        let mut length = 0;
        loop {
            if length == self.0.len() {
                if length > longest {
                    return Err(too_long(longest));
                }
                // One byte more, to see whether there is any.
                self.0.resize((2 * length).clamp(256 << 10, longest + 1), 0);
            }
            match file.read(&mut self.0[length..]) {
                Ok(0) => return Ok(&self.0[..length]),
                Ok(read) => length += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Opens a file; nothing if there is none.
///
/// # Errors
/// If it cannot be opened.
pub(super) fn open(path: &Path) -> Result<Option<File>, Problem> {
    match input::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(unreadable(path, &error)),
    }
}

/// The problem that a file or folder cannot be read.
pub(super) fn unreadable(path: &Path, error: &io::Error) -> Problem {
    let what = match path.metadata().map(|metadata| metadata.file_type()) {
        Ok(kind) if kind.is_fifo() || kind.is_socket() || kind.is_char_device() => "is no file".to_owned(),
        _ => format!("cannot be read: {error}"),
    };
    Problem::of(path, format!("{what}; the classes in it are left to the application's own loaders")).hiding()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A link to /dev/zero, or a disk's image.
    #[test]
    fn a_file_without_end_takes_no_more_memory_than_the_longest() {
        let longest = 1 << 20;
        let mut buffer = Buffer::default();
        let error = buffer.fill_up_to(&mut io::repeat(0), longest).expect_err("too long");
        assert_eq!(error.to_string(), "it has more than 1 MB");
        assert_eq!(buffer.0.len(), longest + 1);
        for length in [longest, longest - 1, 1, 0] {
            let read = buffer.fill_up_to(&mut io::repeat(0).take(length as u64), longest).expect("read");
            assert_eq!(read.len(), length);
        }
    }
}
