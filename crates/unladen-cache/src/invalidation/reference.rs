//! [`resolve`]: resolves a reference in a request's context (RFC 3986, section 5.2).

use unladen_http1::Request;

use crate::key::plain;
use crate::text::{split_once, trim};

/// Path and query of a reference; `None` if it is invalid or of another origin.
pub(super) fn resolve(reference: &[u8], request: &Request, is_https: bool) -> Option<Vec<u8>> {
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
