//! The principal type is [`Counting`]: which requests bounds of rates count; and [`value_of`], what tells them apart.

use unladen_http1::Request;

/// Which requests count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counting {
    /// All that come: before it is known whether memory answers them.
    Coming,
    /// Those that go to the upstream.
    Going,
}

/// What a request says in this field.
pub(super) fn value_of<'r>(request: &'r Request, header: &str) -> Option<&'r [u8]> {
    match header {
        "host" => Some(&request.authority),
        header => request.fields.find(header.as_bytes()),
    }
}
