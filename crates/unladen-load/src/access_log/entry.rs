//! The principal type is [`LogEntry`]: one parsed line of an access log.

/// A line in the combined or the common log format (Apache HTTP Server, "Log Files"): host, identity, user, time in
/// brackets, request line in quotes, status, and the rest. All parts are raw, with escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogEntry<'a> {
    /// Text before the time: host, identity and user, in some logs after the site.
    pub before: &'a [u8],
    pub time: &'a [u8],
    /// Empty or noise if no request came.
    pub request: &'a [u8],
    /// `None` if the server logged that it sent no answer (`-`, `000`).
    pub status: Option<u16>,
    /// Text after the status: size, `Referer`, `User-Agent` and further configured fields.
    pub after: &'a [u8],
}

/// A parsed request line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestLine<'a> {
    pub method: &'a [u8],
    /// Raw target: in origin-form (`/page?a=b`) or any other, escapes and blanks included.
    pub target: &'a [u8],
}

impl<'a> LogEntry<'a> {
    /// Parses a line; `None` if it is no entry.
    pub fn parse(line: &'a [u8]) -> Option<Self> {
        // A user's name may hold blanks and quotes; the time's bracket comes after it, and the request after the time.
        let time_end = memchr::memmem::find(line, b"] \"")?;
        let (head, rest) = (&line[..time_end], &line[time_end + 3..]);
        let quote = closing_quote(rest)?;
        let (request, after) = (&rest[..quote], rest[quote + 1..].trim_ascii_start());
        let (status, after) = after.split_at(memchr::memchr2(b' ', b'\t', after).unwrap_or(after.len()));
        // The first line of a cut log may begin within the time.
        let time_start = memchr::memrchr(b'[', head);
        Some(Self {
            before: head[..time_start.unwrap_or(0)].trim_ascii_end(),
            time: &head[time_start.map_or(0, |start| start + 1)..],
            request,
            status: parse_status(status.trim_ascii_end())?,
            after: after.trim_ascii(),
        })
    }

    /// Its request line; `None` without a request of HTTP/1.0 or later: TLS at a plain port, noise, nothing.
    pub fn request_line(&self) -> Option<RequestLine<'a>> {
        let method_end = memchr::memchr(b' ', self.request)?;
        // Some servers accept targets with blanks.
        let target_end = memchr::memrchr(b' ', self.request).filter(|end| *end > method_end)?;
        let (method, version) = (&self.request[..method_end], &self.request[target_end + 1..]);
        let is_method = !method.is_empty() && method.iter().all(|byte| byte.is_ascii_graphic() && *byte != b'\\');
        let target = &self.request[method_end + 1..target_end];
        (is_method && version.starts_with(b"HTTP/")).then_some(RequestLine { method, target })
    }
}

/// Requires three digits: fewer end an entry that was cut within them.
#[expect(clippy::option_option, reason = "no status is one of the things that a log says")]
fn parse_status(text: &[u8]) -> Option<Option<u16>> {
    match text {
        b"-" | b"000" => Some(None),
        [first @ b'1'..=b'9', second @ b'0'..=b'9', third @ b'0'..=b'9'] => {
            let digit = |byte: &u8| u16::from(byte - b'0');
            Some(Some(100 * digit(first) + 10 * digit(second) + digit(third)))
        }
        _ => None,
    }
}

/// Servers escape quotes within the request line by a backslash.
fn closing_quote(text: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + memchr::memchr2(b'"', b'\\', &text[from..])?;
        if text[at] == b'"' {
            return Some(at);
        }
        from = (at + 2).min(text.len());
    }
}
