//! The function is [`target`]: the request target that repeats a log entry.

use std::borrow::Cow;

use unladen_traffic::{LogEntry, NotCarried, carried};

/// Maximum bytes of a target: most servers refuse longer ones.
pub(super) const LONGEST_TARGET: usize = 8 << 10;

/// Target of an entry, byte for byte as requested, as far as a request can carry it: nothing is resolved or normalised.
/// For an absolute URL it is the path, if its host is `host`.
pub(super) fn target<'a>(entry: &LogEntry<'a>, host: &str) -> Result<Cow<'a, str>, PassedOver> {
    let request = entry.request_line().ok_or(PassedOver::NoRequest)?;
    if request.method != b"GET" {
        return Err(PassedOver::Method);
    }
    match entry.status {
        None => return Err(PassedOver::NoAnswer),
        Some(..200) => return Err(PassedOver::Informational),
        Some(206) => return Err(PassedOver::Partial),
        Some(400..) => return Err(PassedOver::Failed),
        Some(_) => {}
    }
    let path = path(request.target, host)?;
    if path.len() > LONGEST_TARGET {
        return Err(PassedOver::Long);
    }
    let path = carried(path).map_err(|not| match not {
        NotCarried::Blank => PassedOver::Blank,
        NotCarried::Fragment => PassedOver::Fragment,
    })?;
    if path.len() > LONGEST_TARGET { Err(PassedOver::Long) } else { Ok(path) }
}

pub(super) fn absolute(target: &[u8]) -> Option<(&[u8], &[u8])> {
    let scheme = memchr::memmem::find(&target[..target.len().min(8)], b"://")?;
    if !target[..scheme].eq_ignore_ascii_case(b"http") && !target[..scheme].eq_ignore_ascii_case(b"https") {
        return None;
    }
    let rest = &target[scheme + 3..];
    let (authority, path) = rest.split_at(memchr::memchr3(b'/', b'?', b'#', rest).unwrap_or(rest.len()));
    let host = &authority[memchr::memrchr(b'@', authority).map_or(0, |at| at + 1)..];
    Some((without_port(host), path))
}

/// Removes `:8080`, also after IPv6 addresses in brackets.
fn without_port(authority: &[u8]) -> &[u8] {
    match memchr::memrchr(b':', authority) {
        Some(colon) if authority[colon + 1..].iter().all(u8::is_ascii_digit) => &authority[..colon],
        _ => authority,
    }
}

fn path<'a>(target: &'a [u8], host: &str) -> Result<&'a [u8], PassedOver> {
    if target.starts_with(b"/") {
        return Ok(target);
    }
    let (of, path) = absolute(target).ok_or(PassedOver::NoPath)?;
    if !of.eq_ignore_ascii_case(without_port(host.as_bytes())) {
        return Err(PassedOver::OtherHost);
    }
    match path {
        b"" => Ok(b"/"),
        [b'/', ..] => Ok(path),
        // `http://host?a=b` has no slash to send.
        _ => Err(PassedOver::NoPath),
    }
}

/// Why a line of a log is not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum PassedOver {
    Empty,
    /// Not in the combined log format: cut, or of another kind.
    NoEntry,
    /// No request of HTTP/1.0 or later.
    NoRequest,
    /// Not GET: its body is in no log.
    Method,
    NoAnswer,
    /// Answered 1xx: the connection changed its protocol (WebSocket), which a GET alone does not repeat.
    Informational,
    /// Answered 206: the requested range is in no log.
    Partial,
    /// Answered 400 or above.
    Failed,
    OtherHost,
    /// The target begins neither with a slash nor with `http://` or `https://`.
    NoPath,
    /// A blank in the target, which no request can carry.
    Blank,
    /// A `#` in the target, which no request can carry.
    Fragment,
    /// More than 8 KiB.
    Long,
    /// A new target beyond the maximum of distinct ones.
    Surplus,
}

impl PassedOver {
    /// All, in the order in which they are shown.
    pub const ALL: &[Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Describes such lines, to follow their number.
    pub fn about(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::NoEntry => "not in the combined log format (cut off, or another format)",
            Self::NoRequest => "without an HTTP/1.0 or later request",
            Self::Method => "with methods other than GET, whose bodies are not in the log",
            Self::NoAnswer => "that the server did not answer",
            Self::Informational => "answered 1xx (WebSockets), which a GET does not repeat",
            Self::Partial => "answered 206 (a part of a file): the range is not in the log",
            Self::Failed => "answered 400 or above",
            Self::OtherHost => "with an absolute URL of another host",
            Self::NoPath => "with a target that is not a path",
            Self::Blank => "with a blank in the target, which a request cannot have",
            Self::Fragment => "with a # in the target, which a request cannot have",
            Self::Long => "with a target of more than 8 KiB",
            Self::Surplus => "with a target beyond the first 100,000 different ones, or 64 MiB of them",
        }
    }
}
