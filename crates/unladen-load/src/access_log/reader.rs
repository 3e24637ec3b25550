//! The principal type is [`LogReader`]: an access log, line by line, in bounded memory.

use std::io::{self, BufRead};

use super::entry::LogEntry;

/// Maximum bytes of a line that are read: servers refuse longer requests.
const LONGEST_LINE: usize = 64 << 10;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads a log line by line. Allocates nothing for a line, and keeps at most one.
///
/// ```
/// use unladen_load::{LogLine, LogReader};
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
        Self { log, line: Vec::new(), number: 0 }
    }

    /// Next line; `None` at the end. Only the first 64 KiB of a line are read.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn next_line(&mut self) -> io::Result<Option<LogLine<'_>>> {
        if !self.fill_line()? {
            return Ok(None);
        }
        self.number += 1;
        let mut line = &self.line[..];
        if self.number == 1 {
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        Ok(Some(match LogEntry::parse(line) {
            Some(entry) => LogLine::Entry(entry),
            None if line.iter().all(|byte| *byte == 0 || byte.is_ascii_whitespace()) => LogLine::Empty,
            None => LogLine::Other(line),
        }))
    }

    /// Number of the last line read, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Reads a line without its end and leading NULs; false at the end of the log.
    fn fill_line(&mut self) -> io::Result<bool> {
        self.line.clear();
        let mut any = false;
        loop {
            let bytes = self.log.fill_buf()?;
            if bytes.is_empty() {
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
            self.line.extend_from_slice(&part[..part.len().min(room)]);
            self.log.consume(used);
            if end.is_some() {
                return Ok(true);
            }
        }
    }
}
