//! The function is [`target`]: the request target that repeats a log entry.

use std::borrow::Cow;

use unladen_traffic::LogEntry;

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
    if path.iter().all(|byte| is_carried(*byte)) {
        // The log's escapes begin with a backslash; without one the text is raw.
        return std::str::from_utf8(path).map(Cow::Borrowed).map_err(|_| PassedOver::NoPath);
    }
    let decoded = encoded(path)?;
    if decoded.len() > LONGEST_TARGET { Err(PassedOver::Long) } else { Ok(Cow::Owned(decoded)) }
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

fn is_carried(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'#' | b'\\' | b'"' | b'<' | b'>' | b'`')
}

/// Decodes the log's escapes, and percent-encodes what no request can carry: servers treat both alike.
fn encoded(path: &[u8]) -> Result<String, PassedOver> {
    let mut text = String::with_capacity(path.len() + 16);
    let mut rest = path;
    while let [first, after @ ..] = rest {
        let (byte, length) = if *first == b'\\' { unescaped(after) } else { (*first, 1) };
        rest = &rest[length.min(rest.len())..];
        match byte {
            b' ' | b'\t' => return Err(PassedOver::Blank),
            b'#' => return Err(PassedOver::Fragment),
            byte if is_carried(byte) => text.push(char::from(byte)),
            byte => {
                text.push('%');
                for digit in [byte >> 4, byte & 15] {
                    text.push(char::from(b"0123456789ABCDEF"[usize::from(digit)]));
                }
            }
        }
    }
    Ok(text)
}

/// Byte of an escape as nginx (`\xC3`) and Apache (`\"`, `\\`, `\n`) write them, and its length; `after` follows the
/// backslash.
fn unescaped(after: &[u8]) -> (u8, usize) {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    match after {
        [b'x', high, low, ..] => match (digit(high), digit(low)) {
            (Some(high), Some(low)) => (high << 4 | low, 4),
            _ => (b'\\', 1),
        },
        [b'n', ..] => (b'\n', 2),
        [b'r', ..] => (b'\r', 2),
        [b't', ..] => (b'\t', 2),
        [b'b', ..] => (8, 2),
        [b'v', ..] => (11, 2),
        [byte @ (b'"' | b'\\'), ..] => (*byte, 2),
        _ => (b'\\', 1),
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
