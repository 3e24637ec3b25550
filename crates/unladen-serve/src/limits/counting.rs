//! The principal type is [`Counting`]: which requests rate bounds count; [`value_of`] tells them apart.

use unladen_http1::Request;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counting {
    /// All requests, before the cache is looked at.
    Coming,
    /// Those sent to the upstream.
    Going,
}

pub(super) fn value_of<'r>(request: &'r Request, header: &str) -> Option<&'r [u8]> {
    match header {
        "host" => Some(&request.authority),
        header => request.fields.find(header.as_bytes()),
    }
}
