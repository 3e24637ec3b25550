//! [`write_key`]: the key of a stored response.

use std::borrow::Cow;

use unladen_http1::Request;

use crate::Policy;
use crate::text::split_once;

/// Appends the key of a GET for the request's target: scheme, host ([`normalise_host`]), path and query as the
/// application sees them, without ignored parameters ([`Policy::target_left`]). Two targets that the application could
/// distinguish have two keys: nothing is decoded, no segment resolved, and parameters keep their order and number.
pub fn write_key(request: &Request, is_https: bool, policy: &Policy, out: &mut Vec<u8>) {
    out.extend_from_slice(if is_https { b"https://" } else { b"http://" });
    let (host, port) = plain(&request.authority, is_https);
    let start = out.len();
    out.extend_from_slice(host);
    out.extend_from_slice(port);
    out[start..].make_ascii_lowercase();
    policy.write_target(&request.target, out);
}

/// Brings an authority into a key's form: lower case, without its scheme's default port and a name's final dot. The
/// application gets this form, too: with another spelling it could write another page.
pub fn normalise_host(authority: &mut Vec<u8>, is_https: bool) {
    let (host, port) = plain(authority, is_https);
    let (end, length) = (host.len(), host.len() + port.len());
    let dot = authority.get(end) == Some(&b'.');
    if dot && length > end {
        authority.remove(end);
    }
    authority.truncate(length);
    authority.make_ascii_lowercase();
}

impl Policy {
    /// The part of a target that belongs to the key. The application is asked for exactly this, so that no ignored
    /// parameter can change what is stored.
    ///
    /// Parameters are separated by `&` and `;`, which some applications use too; the name ends at the first `=`, with
    /// `%41` read as `A`. The separator before an ignored parameter is removed with it.
    pub fn target_left<'t>(&self, target: &'t [u8]) -> Cow<'t, [u8]> {
        if self.ignore_query.is_empty() || memchr::memchr(b'?', target).is_none() {
            return Cow::Borrowed(target);
        }
        let mut left = Vec::with_capacity(target.len());
        self.write_target(target, &mut left);
        Cow::Owned(left)
    }

    fn write_target(&self, target: &[u8], out: &mut Vec<u8>) {
        let (path, query) = split_once(target, b'?');
        out.extend_from_slice(path);
        let Some(query) = query else { return };
        if self.ignore_query.is_empty() {
            out.push(b'?');
            out.extend_from_slice(query);
            return;
        }
        let mut is_first = true;
        let mut rest = query;
        let mut mark = b'?';
        loop {
            let end = memchr::memchr2(b'&', b';', rest).unwrap_or(rest.len());
            let parameter = &rest[..end];
            if !self.is_ignored_parameter(parameter) {
                out.push(if is_first { b'?' } else { mark });
                out.extend_from_slice(parameter);
                is_first = false;
            }
            let Some(next) = rest.get(end) else { return };
            mark = *next;
            rest = &rest[end + 1..];
        }
    }

    /// An empty parameter is none, but the application sees it.
    fn is_ignored_parameter(&self, parameter: &[u8]) -> bool {
        let name = split_once(parameter, b'=').0;
        let name = decoded(name);
        !name.is_empty() && self.ignore_query.iter().any(|pattern| pattern.matches(&name))
    }
}

fn decoded(name: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'%', name).is_none() {
        return Cow::Borrowed(name);
    }
    let mut decoded = Vec::with_capacity(name.len());
    let mut rest = name;
    while let [byte, after @ ..] = rest {
        let digit = |at: usize| after.get(at).and_then(|digit| char::from(*digit).to_digit(16));
        match (byte, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                decoded.push((high << 4 | low) as u8);
                rest = &after[2..];
            }
            _ => {
                decoded.push(*byte);
                rest = after;
            }
        }
    }
    Cow::Owned(decoded)
}

/// A host without its final dot, unless that is all of it; and its port with the colon, if it is not the scheme's
/// default.
pub(crate) fn plain(authority: &[u8], is_https: bool) -> (&[u8], &[u8]) {
    let digits = authority.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (host, port) = match authority.len().checked_sub(digits + 1) {
        Some(colon) if authority[colon] == b':' => authority.split_at(colon),
        _ => (authority, &b""[..]),
    };
    let usual: &[u8] = if is_https { b":443" } else { b":80" };
    let port = if port == usual || port == b":" { b"" } else { port };
    match host {
        [rest @ .., b'.'] if !rest.is_empty() => (rest, port),
        host => (host, port),
    }
}

#[cfg(test)]
mod tests;
