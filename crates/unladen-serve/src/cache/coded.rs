//! [`coded`]: an answer in a coding that its client takes, made while it passes.

use std::sync::Arc;

use unladen_cache::{Accepted, Encoder};
use unladen_http1::{Fields, Length, Name, Response};

use super::cached_response::{joined, weak};
use super::codable::{SHORTEST, may_be_coded};
use crate::limits::budget::{Held, Share};

/// An answer in a coding.
#[derive(Debug)]
pub(crate) struct Coded {
    pub(crate) response: Response,
    /// What its body goes through, and the memory for that; none: it has no body (HEAD).
    pub(crate) encoder: Option<(Encoder, Held)>,
}

/// Fields that tell of the bytes of a body as it is: whoever sends them means it to stay so.
const SUMS: [&[u8]; 5] = [b"content-md5", b"digest", b"content-digest", b"repr-digest", b"content-range"];

/// The answer in the coding that the client likes best, if it may be put into one. Whether it may be or not for this
/// client, `more` says that it depends on what clients take.
pub(crate) fn coded(
    response: &Response,
    is_head: bool,
    accepted: Accepted,
    share: &Arc<Share>,
    more: &mut Fields,
) -> Option<Coded> {
    if !is_to_be_coded(response, is_head) {
        return None;
    }
    let listed = joined(&response.fields, b"vary").unwrap_or_default();
    let mut names = listed.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    if !names.any(|name| name == b"*" || name.eq_ignore_ascii_case(b"accept-encoding")) {
        more.push(b"vary", b"accept-encoding");
    }
    // As long as there is memory for it: a coding that takes less, or the body as it is, is an answer too.
    let (coding, encoder) = accepted.by_weight().find_map(|coding| {
        if is_head {
            return Some((coding, None));
        }
        let held = share.try_hold(Encoder::memory(coding))?;
        Some((coding, Some((Encoder::new(coding).ok()?, held))))
    })?;
    let mut fields = Fields::default();
    for field in response.fields.iter() {
        match field.id {
            Name::ContentLength => (),
            // Parts of a coded body are not made.
            _ if field.name.eq_ignore_ascii_case(b"accept-ranges") => (),
            // Of other bytes, which mean the same (RFC 9110, section 8.8.1).
            _ if field.name.eq_ignore_ascii_case(b"etag") => fields.push(field.name, &weak(field.value)),
            _ => fields.push(field.name, field.value),
        }
    }
    fields.push(b"content-encoding", coding.as_str().as_bytes());
    Some(Coded { response: Response { fields, length: Length::Chunked, ..response.clone() }, encoder })
}

/// Whether it is text, as long as is worth it, that nothing says is to stay as it is.
fn is_to_be_coded(response: &Response, is_head: bool) -> bool {
    let is_long_enough = match response.length {
        Length::Exact(length) => length >= SHORTEST as u64,
        Length::None if !is_head => false,
        // Of a HEAD's body there is nothing but what is said of it.
        _ => response.fields.get(Name::ContentLength).is_none_or(is_long),
    };
    is_long_enough
        && matches!(response.status, 200 | 201 | 203 | 400..=599)
        && may_be_coded(&response.fields)
        && !SUMS.iter().any(|sum| response.fields.find(sum).is_some())
}

fn is_long(length: &[u8]) -> bool {
    std::str::from_utf8(length)
        .ok()
        .and_then(|length| length.trim().parse().ok())
        .is_some_and(|length: u64| length >= SHORTEST as u64)
}

#[cfg(test)]
mod tests;
