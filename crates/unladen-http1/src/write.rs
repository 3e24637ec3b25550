//! Chunks, written.

/// After each chunk's data.
pub const CHUNK_END: &[u8] = b"\r\n";
/// A body's end, without trailers.
pub const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

/// The line before a chunk of `length` bytes: hexadecimal, CRLF. Its bytes, and how many of them there are.
pub fn chunk_head(length: usize) -> ([u8; 18], usize) {
    todo!("{length}")
}
