//! The principal type is [`Reading`]: context for reading the parts of a file.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use unladen_load::TlsOptions;
use unladen_toml::{Bad, Value};

const LARGEST: u64 = 64 << 20;

/// Reads the bytes of a file that an experiment names.
pub type ReadFile<'a> = &'a dyn Fn(&Path) -> io::Result<Vec<u8>>;

pub(crate) struct Reading<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) read: ReadFile<'a>,
    pub(crate) tls: TlsOptions,
    pub(crate) services: Vec<String>,
}

impl Reading<'_> {
    pub(crate) fn path(&self, value: &Value<'_>) -> Result<PathBuf, Bad> {
        value.words().map(|text| self.folder.join(text))
    }

    pub(crate) fn file(&self, value: &Value<'_>) -> Result<(PathBuf, Vec<u8>), Bad> {
        let path = self.path(value)?;
        match (self.read)(&path) {
            Ok(bytes) => Ok((path, bytes)),
            Err(source) => Err(value.unusable(path, source)),
        }
    }
}

/// Reads a regular file: a named pipe would block, and a device not end.
pub(super) fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST { Err(io::Error::other("it is larger than 64 MiB")) } else { Ok(bytes) }
}
