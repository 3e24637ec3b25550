//! Which stored responses an unsafe request invalidates (RFC 9111, section 4.4; RFC 9875).

use sfv::{BareItem, List, ListEntry, Parser};
use unladen_http1::{Fields, Request, Response};

use crate::key::plain;
use crate::text::{lines, split_once, trim};

/// Whether a response invalidates what is stored for its target: any method that is not known to be safe, and a status
/// that is no error.
pub fn invalidates(method: &[u8], status: u16) -> bool {
    !matches!(method, b"GET" | b"HEAD" | b"OPTIONS" | b"TRACE") && matches!(status, 200..=399)
}

/// Further targets (path and query) of the same origin that it invalidates: `Location`, `Content-Location`.
pub fn targets(request: &Request, response: &Response, is_https: bool) -> Vec<Vec<u8>> {
    let fields = &response.fields;
    let references = lines(fields, b"location").chain(lines(fields, b"content-location"));
    references.filter_map(|reference| resolve(reference, request, is_https)).collect()
}

/// `Cache-Group-Invalidation`: groups of the same origin. It counts only in responses to unsafe methods (RFC 9875,
/// section 3). A field that is no list of strings is ignored.
pub fn group_invalidations(fields: &Fields) -> Vec<Box<str>> {
    let mut joined = Vec::new();
    for line in lines(fields, b"cache-group-invalidation") {
        if !joined.is_empty() {
            joined.extend_from_slice(b", ");
        }
        joined.extend_from_slice(line);
    }
    let Ok(list) = Parser::new(&joined).parse::<List>() else { return Vec::new() };
    let group = |entry: &ListEntry| match entry {
        ListEntry::Item(item) => match &item.bare_item {
            BareItem::String(group) => Some(Box::from(group.as_str())),
            _ => None,
        },
        ListEntry::InnerList(_) => None,
    };
    list.iter().map(group).collect::<Option<_>>().unwrap_or_default()
}

/// Path and query of a reference in a request's context (RFC 3986, section 5.2); `None` if it is invalid or of another
/// origin.
fn resolve(reference: &[u8], request: &Request, is_https: bool) -> Option<Vec<u8>> {
    let reference = split_once(trim(reference), b'#').0;
    let after_scheme = match scheme(reference) {
        Some(scheme) if scheme.eq_ignore_ascii_case(if is_https { b"https" } else { b"http" }) => {
            // `http:path` is invalid: RFC 3986 forbids it for the scheme.
            Some(reference[scheme.len() + 1..].strip_prefix(b"//")?)
        }
        Some(_) => return None,
        None => reference.strip_prefix(b"//"),
    };
    if let Some(rest) = after_scheme {
        let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?')).unwrap_or(rest.len());
        let (authority, target) = rest.split_at(end);
        let (host, port) = plain(authority, is_https);
        let (own_host, own_port) = plain(&request.authority, is_https);
        let is_own = host.eq_ignore_ascii_case(own_host) && port == own_port;
        return is_own.then(|| absolute(target));
    }
    let (base, _) = split_once(&request.target, b'?');
    match reference.first() {
        None => Some(request.target.clone()),
        Some(b'/') => Some(absolute(reference)),
        Some(b'?') => Some([base, reference].concat()),
        Some(_) => {
            let directory = memchr::memrchr(b'/', base).map_or(&b"/"[..], |slash| &base[..=slash]);
            Some(absolute(&[directory, reference].concat()))
        }
    }
}

/// The scheme, if any: letters, digits and `+-.` up to a colon.
fn scheme(reference: &[u8]) -> Option<&[u8]> {
    let end = memchr::memchr(b':', reference)?;
    let scheme = &reference[..end];
    let is_scheme = scheme.first()?.is_ascii_alphabetic()
        && scheme.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte));
    is_scheme.then_some(scheme)
}

/// Removes the segments `.` and `..` from the path (RFC 3986, section 5.2.4), which begins with a slash.
fn absolute(target: &[u8]) -> Vec<u8> {
    let (path, query) = split_once(target, b'?');
    let mut out = Vec::with_capacity(target.len() + 1);
    let mut segments = path.strip_prefix(b"/").unwrap_or(path).split(|byte| *byte == b'/').peekable();
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        match segment {
            b"." => {}
            b".." => out.truncate(memchr::memrchr(b'/', &out).unwrap_or(0)),
            _ => {
                out.push(b'/');
                out.extend_from_slice(segment);
                continue;
            }
        }
        if is_last {
            out.push(b'/');
        }
    }
    if let Some(query) = query {
        out.push(b'?');
        out.extend_from_slice(query);
    }
    out
}

#[cfg(test)]
mod tests;
