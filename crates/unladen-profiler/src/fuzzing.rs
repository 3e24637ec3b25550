//! What the fuzz targets call.

use crate::fastcgi::ResponseReader;

/// Most bytes of a body that are kept.
const KEEP: usize = 1 << 16;

/// Reads an answer of FastCGI that comes in these pieces. Returns its status, the length of its body and how much of it
/// was kept; none if it is refused or cut.
pub fn fastcgi_response(pieces: &[&[u8]]) -> Option<(u16, u64, usize)> {
    let mut reader = ResponseReader::new(1, KEEP);
    for piece in pieces {
        if reader.push(piece).ok()? {
            let response = reader.finish().ok()?;
            return Some((response.status, response.body_bytes, response.body.len()));
        }
    }
    // What came until then is told in errors.
    let _ = reader.so_far();
    None
}
