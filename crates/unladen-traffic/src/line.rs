//! The principal type is [`LogReader`]: an access log, line by line, in bounded memory.

use std::io::{self, BufRead};

/// Maximum bytes of a line that are read: servers refuse longer requests.
const LONGEST_LINE: usize = 64 << 10;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads a log line by line. Allocates nothing for a line, and keeps at most one.
///
/// ```
/// use unladen_traffic::{LogLine, LogReader};
///
/// let log = b"h - - [10/Oct/2026:13:55:36 +0000] \"GET /a HTTP/1.1\" 200 5\nh - - [10/Oct/2026:13:5";
/// let mut log = LogReader::new(&log[..]);
/// let Some(LogLine::Entry(entry)) = log.next_line()? else { panic!() };
/// assert_eq!((entry.request, entry.status), (&b"GET /a HTTP/1.1"[..], Some(200)));
/// assert_eq!(log.next_line()?, Some(LogLine::Other(b"h - - [10/Oct/2026:13:5")));
/// assert_eq!(log.next_line()?, None);
/// assert_eq!(log.number(), 2);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct LogReader<R> {
    log: R,
    line: Vec<u8>,
    number: u64,
    cut: u64,
    column: StatusColumn,
}

/// One line of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLine<'a> {
    Entry(LogEntry<'a>),
    /// Blanks, or the NULs that fill a log after log rotation has cut it under its writer (`copytruncate`).
    Empty,
    /// No entry: a cut one, or a line of another kind.
    Other(&'a [u8]),
}

impl<R: BufRead> LogReader<R> {
    /// Reads lines of any text.
    pub fn new(log: R) -> Self {
        Self { log, line: Vec::new(), number: 0, cut: 0, column: StatusColumn::default() }
    }

    /// Next line; `None` at the end. Only the first 64 KiB of a line are read. Fails when it cannot be read.
    pub fn next_line(&mut self) -> io::Result<Option<LogLine<'_>>> {
        if self.number == 0 {
            // The first lines alone may not tell.
            self.log.fill_buf()?.split(|byte| *byte == b'\n').for_each(|line| {
                LogEntry::parse(line, &mut self.column);
            });
        }
        if !self.fill_line()? {
            return Ok(None);
        }
        self.number += 1;
        let mut line = &self.line[..];
        if self.number == 1 {
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        Ok(Some(match LogEntry::parse(line, &mut self.column) {
            Some(entry) => LogLine::Entry(entry),
            None if line.iter().all(|byte| *byte == 0 || byte.is_ascii_whitespace()) => LogLine::Empty,
            None => LogLine::Other(line),
        }))
    }

    /// Number of the last line read, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Number of lines that were longer, and of which only the beginning was read.
    pub fn cut(&self) -> u64 {
        self.cut
    }

    /// Reads a line without its end and leading NULs; false at the end of the log.
    fn fill_line(&mut self) -> io::Result<bool> {
        self.line.clear();
        let mut any = false;
        let mut is_cut = false;
        loop {
            let bytes = self.log.fill_buf()?;
            if bytes.is_empty() {
                self.cut += u64::from(is_cut);
                return Ok(any);
            }
            any = true;
            let end = memchr::memchr(b'\n', bytes);
            let mut part = &bytes[..end.unwrap_or(bytes.len())];
            let used = part.len() + usize::from(end.is_some());
            if self.line.is_empty() && part.first() == Some(&0) {
                part = &part[part.iter().position(|byte| *byte != 0).unwrap_or(part.len())..];
            }
            let room = LONGEST_LINE - self.line.len().min(LONGEST_LINE);
            is_cut |= part.len() > room;
            self.line.extend_from_slice(&part[..part.len().min(room)]);
            self.log.consume(used);
            if end.is_some() {
                self.cut += u64::from(is_cut);
                return Ok(true);
            }
        }
    }
}

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
    fn parse(line: &'a [u8], column: &mut StatusColumn) -> Option<Self> {
        // A user's name may hold blanks and quotes; the time's bracket comes after it, and the request after the time.
        let mut quotes = memchr::memchr_iter(b'"', line);
        let time_end = quotes.find(|quote| line[..*quote].ends_with(b"] "))? - 2;
        let (head, rest) = (&line[..time_end], &line[time_end + 3..]);
        let quote = closing_quote(rest)?;
        let (request, after) = (&rest[..quote], rest[quote + 1..].trim_ascii_start());
        let (status, after) = column.status(after)?;
        // The first line of a cut log may begin within the time.
        let time_start = memchr::memrchr(b'[', head);
        Some(Self {
            before: head[..time_start.unwrap_or(0)].trim_ascii_end(),
            time: &head[time_start.map_or(0, |start| start + 1)..],
            request,
            status,
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

/// Where a log has the status: behind the request, or behind a number (`$request_length $status`) that often looks like
/// one. Lines in which only one of the two can be a status tell it for the others.
#[derive(Debug, Default)]
struct StatusColumn {
    /// Above 0 for the second.
    votes: i8,
}

impl StatusColumn {
    /// Fewer lines may be odd ones.
    const ENOUGH: i8 = 3;
    /// A log's format may change within it.
    const MOST: i8 = 16;

    /// The status, and what follows; `None` if there is none.
    fn status<'a>(&mut self, after: &'a [u8]) -> Option<(Option<u16>, &'a [u8])> {
        let word = |text: &'a [u8]| {
            let (word, rest) = text.split_at(memchr::memchr2(b' ', b'\t', text).unwrap_or(text.len()));
            (word.trim_ascii_end(), rest.trim_ascii_start())
        };
        let (first, rest) = word(after);
        let (second, last) = word(rest);
        let is_second = match (is_sent(first), is_sent(second)) {
            (false, true) if first.iter().all(u8::is_ascii_digit) && first != b"000" => {
                self.votes = (self.votes + 1).min(Self::MOST);
                self.votes > -Self::ENOUGH
            }
            (true, false) => {
                self.votes = (self.votes - 1).max(-Self::MOST);
                self.votes >= Self::ENOUGH
            }
            _ => self.votes >= Self::ENOUGH,
        };
        let (first, second) = (parse_status(first).zip(Some(rest)), parse_status(second).zip(Some(last)));
        if is_second { second.or(first) } else { first.or(second.filter(|_| self.votes >= Self::ENOUGH)) }
    }
}

/// Whether it is a status that servers send.
fn is_sent(text: &[u8]) -> bool {
    parse_status(text)
        .flatten()
        .is_some_and(|status| matches!(status, 100..=103 | 200..=208 | 218 | 226 | 300..=308 | 400..=599 | 999))
}

/// Requires three digits: fewer end an entry that was cut within them.
#[expect(clippy::option_option, reason = "the log has no status")]
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
pub(crate) fn closing_quote(text: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + memchr::memchr2(b'"', b'\\', &text[from..])?;
        if text[at] == b'"' {
            return Some(at);
        }
        from = (at + 2).min(text.len());
    }
}

/// How a line begins, as it can be shown in an error.
pub fn beginning(line: &[u8]) -> String {
    const SHOWN: usize = 60;
    if line.starts_with(b"\xff\xfe") || line.starts_with(b"\xfe\xff") {
        return "UTF-16, which `iconv -f UTF-16 -t UTF-8` makes readable".to_owned();
    }
    let text = String::from_utf8_lossy(&line[..line.len().min(4 * SHOWN)]);
    let mut shown: String = text.chars().take(SHOWN).map(|c| if c.is_control() { '·' } else { c }).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}
