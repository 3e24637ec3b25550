//! Documents and evidence in a store: one frame of zstd each, with its checksum.

use std::io;

/// zstd's default: JSON shrinks to a tenth, at some 200 MB/s.
const LEVEL: i32 = 3;

pub(crate) fn compress(raw: &[u8]) -> io::Result<Vec<u8>> {
    let mut compressor = zstd::bulk::Compressor::new(LEVEL)?;
    compressor.include_checksum(true)?;
    compressor.compress(raw)
}

/// Returns exactly `bytes` bytes, and never more than `most`.
///
/// # Errors
/// A fault of the frame, for [`StoreError::Damaged`](crate::StoreError::Damaged).
pub(crate) fn decompress(frame: &[u8], bytes: u64, most: usize) -> Result<Vec<u8>, String> {
    let bytes = usize::try_from(bytes)
        .ok()
        .filter(|bytes| *bytes <= most)
        .ok_or_else(|| format!("it has {bytes} bytes by its column, and at most {most} can have been kept"))?;
    let raw = zstd::bulk::decompress(frame, bytes).map_err(|error| error.to_string())?;
    if raw.len() == bytes { Ok(raw) } else { Err(format!("it has {} bytes in place of {bytes}", raw.len())) }
}

#[cfg(test)]
mod tests;
