//! The functions are [`expand`], the files that a pattern names, and [`open`], a log as plain text.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::gzip::Gzip;

/// In bytes: an end to a compressed /dev/zero.
const MOST_UNPACKED: u64 = 1 << 40;

pub(crate) const BUFFER: usize = 256 << 10;

/// Files of a pattern such as `/var/log/nginx/access.log*`, sorted; a pattern without a wildcard, or `-`, is itself.
pub fn expand(pattern: &str) -> io::Result<Vec<PathBuf>> {
    if pattern == "-" || Path::new(pattern).exists() || !pattern.contains(['*', '?', '[']) {
        return Ok(vec![PathBuf::from(pattern)]);
    }
    let paths = glob::glob(pattern).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
    let found: Vec<PathBuf> = paths.collect::<Result<_, _>>().map_err(io::Error::from)?;
    if found.is_empty() {
        return Err(io::Error::new(io::ErrorKind::NotFound, format!("no file matches {pattern}")));
    }
    Ok(found)
}

/// Opens a log, `-` for the standard input; unpacks gzip and zstd.
pub(crate) fn open(file: &Path) -> io::Result<Box<dyn BufRead>> {
    let input: Box<dyn Read> =
        if file == Path::new("-") { Box::new(io::stdin().lock()) } else { Box::new(File::open(file)?) };
    unpacked(BufReader::with_capacity(BUFFER, input))
}

fn unpacked(mut log: impl BufRead + 'static) -> io::Result<Box<dyn BufRead>> {
    // What is no regular file may give a byte at a time, and counts as text then.
    let begin = log.fill_buf()?;
    let unsupported = |what: &str| {
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            format!("it is compressed with {what}; unpack it first: plain text, gzip and zstd are read"),
        ))
    };
    let bounded = |unpacked: Box<dyn Read>| Box::new(BufReader::with_capacity(BUFFER, unpacked.take(MOST_UNPACKED)));
    match begin {
        [0x1f, 0x8b, ..] => Ok(bounded(Box::new(Gzip::new(log)))),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Ok(bounded(Box::new(zstd::stream::read::Decoder::with_buffer(log)?))),
        [b'B', b'Z', b'h', ..] => unsupported("bzip2"),
        [0xfd, b'7', b'z', b'X', b'Z', ..] => unsupported("xz"),
        _ => Ok(Box::new(log)),
    }
}
