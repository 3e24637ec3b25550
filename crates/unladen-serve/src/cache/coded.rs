//! Which bodies may be compressed; [`coded`] compresses an answer on its way to a client.

use std::borrow::Cow;
use std::sync::Arc;

use unladen_cache::{Accepted, Coding, Encoder};
use unladen_http1::{Fields, Length, Name, Response};

use crate::limits::budget::{Held, Share};

/// Shortest body to compress: below it less than a packet is gained.
pub(crate) const SHORTEST: usize = 1024;

pub(crate) fn may_be_coded(fields: &Fields) -> bool {
    fields.find(b"content-encoding").is_none()
        && fields.find(b"content-type").is_some_and(Coding::is_worth_it)
        && !is_not_to_be_transformed(fields)
}

/// Whether `no-transform` is set (RFC 9111, section 5.2.2.6).
pub(crate) fn is_not_to_be_transformed(fields: &Fields) -> bool {
    let controls = fields.iter().filter(|field| field.name.eq_ignore_ascii_case(b"cache-control"));
    controls
        .flat_map(|field| field.value.split(|byte| *byte == b','))
        .any(|directive| directive.trim_ascii().eq_ignore_ascii_case(b"no-transform"))
}

#[derive(Debug)]
pub(crate) struct Coded {
    pub(crate) response: Response,
    /// Encoder, and the memory held for it; `None` if there is no body (HEAD).
    pub(crate) encoder: Option<(Encoder, Held)>,
}

/// Fields about the bytes of the body as sent; a body that has one is not changed.
const SUMS: [&[u8]; 5] = [b"content-md5", b"digest", b"content-digest", b"repr-digest", b"content-range"];

/// Codes the answer in the client's favourite coding, if it may be coded. Either way `more` gets `Vary`.
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
    // The first coding that memory allows; a cheaper one, or none, is an answer too.
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
            // A coded body is not served in parts.
            _ if field.name.eq_ignore_ascii_case(b"accept-ranges") => (),
            // The bytes differ, the meaning does not (RFC 9110, section 8.8.1).
            _ if field.name.eq_ignore_ascii_case(b"etag") => fields.push(field.name, &weak(field.value)),
            _ => fields.push(field.name, field.value),
        }
    }
    fields.push(b"content-encoding", coding.into_str().as_bytes());
    Some(Coded { response: Response { fields, length: Length::Chunked, ..response.clone() }, encoder })
}

fn is_to_be_coded(response: &Response, is_head: bool) -> bool {
    let is_long_enough = match response.length {
        Length::Exact(length) => length >= SHORTEST as u64,
        Length::None if !is_head => false,
        // The length of a HEAD's body is known from its field alone.
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

pub(crate) fn weak(etag: &[u8]) -> Vec<u8> {
    if etag.starts_with(b"W/") { etag.to_vec() } else { [b"W/", etag].concat() }
}

pub(super) fn is(name: &[u8], known: &[u8]) -> bool {
    name.eq_ignore_ascii_case(known)
}

pub(crate) fn joined<'f>(fields: &'f Fields, name: &[u8]) -> Option<Cow<'f, [u8]>> {
    let mut lines = fields.iter().filter(|field| field.id == Name::Other && is(field.name, name));
    let mut joined = Cow::Borrowed(lines.next()?.value);
    for more in lines {
        let all = joined.to_mut();
        all.extend_from_slice(b", ");
        all.extend_from_slice(more.value);
    }
    Some(joined)
}

#[cfg(test)]
mod tests;
