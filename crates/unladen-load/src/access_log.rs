//! The principal type is [`AccessLog`]: targets and counts from a web server's log in the combined format.
//!
//! ```
//! use std::path::Path;
//! use unladen_load::{AccessLog, PassedOver};
//!
//! let log = r#"
//! 203.0.113.7 - - [10/Oct/2026:13:55:36 +0000] "GET /index.php/Main_Page HTTP/1.1" 200 24153 "-" "Mozilla/5.0"
//! 203.0.113.9 - - [10/Oct/2026:13:55:37 +0000] "GET /index.php/Main_Page HTTP/1.1" 200 24153 "-" "curl/8"
//! 203.0.113.9 - - [10/Oct/2026:13:55:38 +0000] "POST /api.php HTTP/1.1" 200 99 "-" "curl/8"
//! "#;
//! let log = AccessLog::parse(log.trim().as_bytes(), Path::new("access.log"), "shop.example")?;
//! assert_eq!(log.entries().next(), Some(("/index.php/Main_Page", 2)));
//! assert_eq!((log.lines(), log.sent()), (3, 2));
//! assert_eq!(log.passed_over().collect::<Vec<_>>(), [(PassedOver::Method, 1)], "what was posted is not in the log");
//! # Ok::<(), unladen_load::AccessLogError>(())
//! ```
//!
//! Lines are independent: an invalid one is counted, and does not fail the rest. [`LogReader`] gives the single lines.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};

mod target;

pub use target::PassedOver;
use unladen_traffic::{Gzip, beginning};
pub use unladen_traffic::{LogEntry, LogLine, LogReader, RequestLine};

/// Maximum of distinct targets; beyond it the log's order would hardly matter any more.
const MOST_TARGETS: usize = 100_000;

/// Maximum bytes of all targets together: each becomes requests.
const MOST_TARGET_BYTES: usize = 64 << 20;

/// In bytes.
const MOST_UNPACKED: u64 = 100 << 30;

/// Magic bytes of gzip (RFC 1952, section 2.3.1).
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Magic bytes of other programs that log rotation may be configured to use.
const COMPRESSED: [(&[u8], &str); 3] = [(b"\x28\xb5\x2f\xfd", "zstd"), (b"BZh", "bzip2"), (b"\xfd7zXZ\0", "xz")];

/// GET requests of a log.
#[derive(Clone, Debug, Default)]
pub struct AccessLog {
    entries: Vec<(String, u64)>,
    lines: u64,
    passed_over: [u64; PassedOver::ALL.len()],
    other_host: Option<String>,
}

/// Why a log cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AccessLogError {
    #[error("cannot read the access log {file}: {source}", file = file.display())]
    Read { file: PathBuf, source: io::Error },
    /// Fewer than half of its lines are in the format.
    #[error("{file}:{line}: not an entry in the combined log format, like {count} of the {lines} lines: found \
        `{found}`, expected something like `203.0.113.7 - - [10/Oct/2026:13:55:36 +0000] \"GET /page HTTP/1.1\" 200 \
        512 \"-\" \"-\"`", file = file.display())]
    NoLog { file: PathBuf, line: u64, found: String, count: u64, lines: u64 },
    #[error("{file} is compressed with {by}: unpack it first, for example with `{by} -dc {file}`; only plain text and \
        gzip are read", file = file.display())]
    Compressed { file: PathBuf, by: &'static str },
    #[error("{file} has no GET request that can be repeated from a log{why}", file = file.display())]
    Empty { file: PathBuf, why: String },
}

#[derive(Default)]
struct Doubt {
    /// Number of the first such line, and how it begins.
    first: Option<(u64, String)>,
    /// Number of the last such line.
    last: u64,
}

impl AccessLog {
    /// Reads a file. `host` is the one that requests are sent for (`Host`): absolute URLs of other hosts are skipped.
    /// Fails when it cannot be read, is no log, or there is nothing to send.
    pub fn read(file: &Path, host: &str) -> Result<Self, AccessLogError> {
        let failed = |source| AccessLogError::Read { file: file.to_owned(), source };
        let mut log = BufReader::with_capacity(64 << 10, File::open(file).map_err(failed)?);
        // Rotated logs are compressed. What is no regular file may give a byte at a time, and counts as text then.
        let begin = log.fill_buf().map_err(failed)?;
        if begin.starts_with(&GZIP) {
            let unpacked = BufReader::with_capacity(64 << 10, Gzip::new(log).take(MOST_UNPACKED));
            return Self::parse(unpacked, file, host);
        }
        if let Some((_, by)) = COMPRESSED.iter().find(|(magic, _)| begin.starts_with(magic)) {
            return Err(AccessLogError::Compressed { file: file.to_owned(), by });
        }
        Self::parse(log, file, host)
    }

    /// Reads from any input; `file` is named in errors. Fails as [`read`](Self::read) does.
    pub fn parse(log: impl BufRead, file: &Path, host: &str) -> Result<Self, AccessLogError> {
        let mut counts: HashMap<String, (u64, u64)> = HashMap::new();
        let mut read = Self::default();
        let mut doubt = Doubt::default();
        let mut bytes = 0;
        let mut log = LogReader::new(log);
        let failed = |source| AccessLogError::Read { file: file.to_owned(), source };
        loop {
            let number = log.number() + 1;
            let Some(line) = log.next_line().map_err(failed)? else { break };
            let passed_over = match line {
                LogLine::Empty => PassedOver::Empty,
                LogLine::Other(line) => {
                    doubt.last = number;
                    doubt.first.get_or_insert_with(|| (number, beginning(line)));
                    PassedOver::NoEntry
                }
                LogLine::Entry(entry) => match target::target(&entry, host) {
                    Ok(target) => {
                        if let Some((count, _)) = counts.get_mut(&*target) {
                            *count += 1;
                            continue;
                        }
                        if counts.len() < MOST_TARGETS && bytes + target.len() <= MOST_TARGET_BYTES {
                            bytes += target.len();
                            counts.insert(target.into_owned(), (1, number));
                            continue;
                        }
                        PassedOver::Surplus
                    }
                    Err(reason) => {
                        if reason == PassedOver::OtherHost && read.other_host.is_none() {
                            let of = entry.request_line().and_then(|request| target::absolute(request.target));
                            read.other_host = of.and_then(|(host, _)| plausible(host));
                        }
                        reason
                    }
                },
            };
            read.passed_over[passed_over as usize] += 1;
        }
        read.lines = log.number();
        read.refuse_what_is_no_log(doubt, file)?;
        if counts.is_empty() {
            return Err(AccessLogError::Empty { file: file.to_owned(), why: read.why() });
        }
        let mut entries: Vec<_> = counts.into_iter().collect();
        // Ties are in the order of the log.
        entries.sort_by_key(|(_, (count, first))| (std::cmp::Reverse(*count), *first));
        read.entries = entries.into_iter().map(|(target, (count, _))| (target, count)).collect();
        Ok(read)
    }

    /// Path and query of each GET request with its count, the most frequent first.
    pub fn entries(&self) -> impl Iterator<Item = (&str, u64)> {
        self.entries.iter().map(|(target, count)| (target.as_str(), *count))
    }

    /// Number of all lines, sent or skipped.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Number of lines that are sent.
    pub fn sent(&self) -> u64 {
        self.lines - self.passed_over.iter().sum::<u64>()
    }

    /// Skipped lines by reason, without zero counts.
    pub fn passed_over(&self) -> impl Iterator<Item = (PassedOver, u64)> {
        PassedOver::ALL.iter().copied().zip(self.passed_over).filter(|(_, count)| *count > 0)
    }

    /// Host of the first absolute URL that was skipped for its host.
    pub fn other_host(&self) -> Option<&str> {
        self.other_host.as_deref()
    }

    /// Refuses a file without entries, or with more other lines than entries. The first and the last line do not count,
    /// since many logs cut them.
    fn refuse_what_is_no_log(&self, doubt: Doubt, file: &Path) -> Result<(), AccessLogError> {
        let Doubt { first: Some((line, found)), last } = doubt else { return Ok(()) };
        let count = self.passed_over[PassedOver::NoEntry as usize];
        let entries = self.lines - count - self.passed_over[PassedOver::Empty as usize];
        let ends = [line == 1, last == self.lines && last > 1].into_iter().filter(|is_cut| *is_cut).count() as u64;
        if entries > 0 && count.saturating_sub(ends) <= entries {
            return Ok(());
        }
        Err(AccessLogError::NoLog { file: file.to_owned(), line, found, count, lines: self.lines })
    }

    fn why(&self) -> String {
        if self.lines == 0 {
            return ": it is empty".to_owned();
        }
        let reasons: Vec<_> = self.passed_over().map(|(reason, count)| format!("{count} {}", reason.about())).collect();
        let hint = self.other_host.as_ref().map(|host| format!("; use `-H 'Host: {host}'` to send those of {host}"));
        format!(": of its {} lines are {}{}", self.lines, reasons.join(", "), hint.unwrap_or_default())
    }
}

fn plausible(host: &[u8]) -> Option<String> {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(byte);
    let is_host = !host.is_empty() && host.len() <= 255 && host.iter().all(is_plain);
    is_host.then(|| String::from_utf8_lossy(host).into_owned())
}

#[cfg(test)]
mod tests;
