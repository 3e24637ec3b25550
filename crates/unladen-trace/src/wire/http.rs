//! The principal type is [`Request`]: the head of an HTTP/1 request, as far as it is in the first send.
//!
//! Source: RFC 9112, sections 3 and 5.

use super::reader::printable;

/// Bytes kept.
const MAX_TARGET: usize = 1024;
/// Bytes kept.
const MAX_HOST: usize = 255;
/// Longest method; methods consist of capitals (`VERSION-CONTROL`).
const MAX_METHOD: usize = 20;
const MAX_LINES: usize = 100;

/// The head of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub method: String,
    /// `/path?query`; cut, without control characters.
    pub target: String,
    pub host: Option<String>,
}

/// A request at the beginning of a send. If its first line is truncated, so is the target.
pub fn request(first: &[u8]) -> Option<Request> {
    let method_end = first.iter().take(MAX_METHOD + 1).position(|byte| *byte == b' ')?;
    let (method, rest) = first.split_at_checked(method_end)?;
    if method.is_empty() || !method.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'-') {
        return None;
    }
    let rest = rest.get(1..)?;
    let mut lines = rest.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let line = lines.next()?;
    let target = match memchr::memchr(b' ', line) {
        Some(end) => {
            let (target, version) = line.split_at_checked(end)?;
            let cut = rest.len() == line.len();
            let known = version.starts_with(b" HTTP/1.") || cut && b" HTTP/1.".starts_with(version);
            if !known {
                return None;
            }
            target
        }
        // The line continues in unseen bytes.
        None if rest.len() == line.len() && line.len() > 1 => line,
        None => return None,
    };
    let absolute = |target: &[u8]| target.starts_with(b"http://") || target.starts_with(b"https://");
    if !(target.starts_with(b"/") || target == b"*" || absolute(target) || method == b"CONNECT") {
        return None;
    }
    let host = lines
        .take(MAX_LINES)
        .take_while(|line| !line.is_empty())
        .find(|line| line.get(..5).is_some_and(|name| name.eq_ignore_ascii_case(b"host:")))
        .and_then(|line| line.get(5..))
        .map(|host| printable(host.trim_ascii(), MAX_HOST));
    Some(Request { method: printable(method, MAX_METHOD), target: printable(target, MAX_TARGET), host })
}
