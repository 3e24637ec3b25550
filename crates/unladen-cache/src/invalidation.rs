//! What an unsafe request makes of what is stored (RFC 9111, section 4.4; RFC 9875).

use unladen_http1::{Fields, Request, Response};

/// Whether a response to this method with this status says that what is stored for its target is no longer good.
pub fn invalidates(method: &[u8], status: u16) -> bool {
    todo!()
}

/// Further targets (path and query) of the same origin that it says so of: `Location`, `Content-Location`.
pub fn targets(request: &Request, response: &Response, is_https: bool) -> Vec<Vec<u8>> {
    todo!()
}

/// `Cache-Group-Invalidation`: groups of the same origin.
pub fn group_invalidations(fields: &Fields) -> Vec<Box<str>> {
    todo!()
}
