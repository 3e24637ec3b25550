//! Writes chunks.

/// Follows each chunk's data.
pub const CHUNK_END: &[u8] = b"\r\n";
/// Ends a body without trailers.
pub const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

/// The line before a chunk of `length` bytes (hexadecimal, CRLF), and its length.
///
/// A `length` of 0 gives the line that ends the body: an empty chunk cannot be sent.
pub fn chunk_head(length: usize) -> ([u8; 18], usize) {
    let mut line = [0; 18];
    let digits = (length.max(1).ilog2() / 4 + 1) as usize;
    let mut rest = length;
    for place in line.iter_mut().take(digits).rev() {
        *place = b"0123456789abcdef"[rest % 16];
        rest /= 16;
    }
    line[digits] = b'\r';
    line[digits + 1] = b'\n';
    (line, digits + 2)
}

#[cfg(test)]
mod tests;
