//! Reads the system's own name files: [`read`].

use std::io::{self, Read};
use std::path::Path;

/// Maximum size; a longer file is an error.
const MAX: u64 = 16 << 20;

/// Reads a system file up to the maximum.
pub(super) fn read(file: &Path) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    std::fs::File::open(file)?.take(MAX).read_to_end(&mut text)?;
    Ok(text)
}
