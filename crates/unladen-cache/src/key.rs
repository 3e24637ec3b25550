//! [`write_key`]: what a stored response is found by.

use unladen_http1::Request;

use crate::Policy;
use crate::text::split_once;

/// Appends the key of a GET for the request's target: scheme, host in lower case without a default port, path and query as the
/// application sees them, but for the parameters that are ignored. Two requests that the application could tell apart by their
/// target have two keys: nothing is decoded, and no segment resolved.
pub fn write_key(request: &Request, is_https: bool, policy: &Policy, out: &mut Vec<u8>) {
    out.extend_from_slice(if is_https { b"https://" } else { b"http://" });
    out.extend(without_default_port(&request.authority, is_https).iter().map(u8::to_ascii_lowercase));
    let (path, query) = split_once(&request.target, b'?');
    out.extend_from_slice(path);
    let Some(query) = query else { return };
    if policy.ignore_query.is_empty() {
        out.push(b'?');
        out.extend_from_slice(query);
        return;
    }
    let mut mark = b'?';
    for parameter in query.split(|byte| *byte == b'&') {
        let name = split_once(parameter, b'=').0;
        // what is empty is no parameter, but the application sees it
        if name.is_empty() || !policy.ignore_query.iter().any(|pattern| pattern.matches(name)) {
            out.push(mark);
            out.extend_from_slice(parameter);
            mark = b'&';
        }
    }
}

/// A host and its port, if that is not the one that its scheme has anyway.
pub(crate) fn without_default_port(authority: &[u8], is_https: bool) -> &[u8] {
    let port: &[u8] = if is_https { b":443" } else { b":80" };
    authority.strip_suffix(port).or_else(|| authority.strip_suffix(b":")).unwrap_or(authority)
}

#[cfg(test)]
mod tests;
