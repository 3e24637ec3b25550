//! The principal type is [`AccessLog`]: what a web server was asked for, and how often, from its log in the combined format.
//!
//! ```
//! use std::path::Path;
//! use unladen_load::AccessLog;
//!
//! let log = r#"
//! 203.0.113.7 - - [10/Oct/2026:13:55:36 +0000] "GET /index.php/Main_Page HTTP/1.1" 200 24153 "-" "Mozilla/5.0"
//! 203.0.113.9 - - [10/Oct/2026:13:55:37 +0000] "GET /index.php/Main_Page HTTP/1.1" 200 24153 "-" "curl/8"
//! 203.0.113.9 - - [10/Oct/2026:13:55:38 +0000] "POST /api.php HTTP/1.1" 200 99 "-" "curl/8"
//! "#;
//! let log = AccessLog::parse(log.trim().as_bytes(), Path::new("access.log"))?;
//! assert_eq!(log.entries().next(), Some(("/index.php/Main_Page", 2)));
//! assert_eq!(log.skipped(), 1, "what was posted is not in the log");
//! # Ok::<(), unladen_load::AccessLogError>(())
//! ```
//!
//! The common log format is the combined one without its last two fields; both are read (Apache HTTP Server, "Log Files").

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

/// The longest line that is looked at, in bytes: servers refuse longer requests.
const LONGEST_LINE: usize = 64 << 10;

/// The most different targets that are kept; beyond it the log's order would hardly matter any more.
const MOST_TARGETS: usize = 100_000;

/// The longest target that is kept, in bytes: most servers refuse longer ones.
const LONGEST_TARGET: usize = 8 << 10;

/// All targets that are kept together have at most so many bytes: each becomes requests.
const MOST_TARGET_BYTES: usize = 64 << 20;

/// The most that a compressed log may unpack to, in bytes.
const MOST_UNPACKED: u64 = 100 << 30;

/// How gzip's files begin (RFC 1952, section 2.3.1).
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// How the files of other programs begin, which log rotation may be told to use.
const COMPRESSED: [(&[u8], &str); 3] = [(b"\x28\xb5\x2f\xfd", "zstd"), (b"BZh", "bzip2"), (b"\xfd7zXZ\0", "xz")];

/// The GET requests of a log.
#[derive(Clone, Debug, Default)]
pub struct AccessLog {
    /// Target of the request line, and how often; the most frequent first.
    entries: Vec<(String, u64)>,
    skipped: u64,
}

/// A log cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AccessLogError {
    /// It cannot be read.
    #[error("cannot read the access log {file}: {source}", file = file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A line is no entry.
    #[error("{file}:{line}: no entry in the combined log format: found `{found}`, expected something like `203.0.113.7 - - [10/Oct/2026:13:55:36 +0000] \"GET /page HTTP/1.1\" 200 512 \"-\" \"-\"`", file = file.display())]
    Line {
        /// The file.
        file: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// How it begins.
        found: String,
    },
    /// It is compressed in a way that is not read.
    #[error("{file} is compressed by {by}: unpack it first, as with `{by} -dc {file}`; plain text and gzip are read", file = file.display())]
    Compressed {
        /// The file.
        file: PathBuf,
        /// The program.
        by: &'static str,
    },
    /// There is nothing to send.
    #[error("{file} has no GET request with a status below 400: other requests cannot be repeated from a log", file = file.display())]
    Empty {
        /// The file.
        file: PathBuf,
    },
    /// It has too many different targets.
    #[error("{file} has more than {MOST_TARGETS} different targets, or more than 64 MiB of them: take a part of it, as with `head -n 100000`", file = file.display())]
    TooMany {
        /// The file.
        file: PathBuf,
    },
}

/// What a line says.
enum Entry<'a> {
    Get(&'a str),
    /// It cannot be repeated, or went wrong then.
    Other,
}

// === impl AccessLog ===

impl AccessLog {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, a line is no entry, or there is nothing to send.
    pub fn read(file: &Path) -> Result<Self, AccessLogError> {
        let failed = |source| AccessLogError::Read { file: file.to_owned(), source };
        let mut log = BufReader::new(File::open(file).map_err(failed)?);
        // Rotated logs are compressed. What is no regular file may give a byte at a time, and is text then.
        let begin = log.fill_buf().map_err(failed)?;
        if begin.starts_with(&GZIP) {
            return Self::parse(BufReader::new(MultiGzDecoder::new(log).take(MOST_UNPACKED)), file);
        }
        if let Some((_, by)) = COMPRESSED.iter().find(|(magic, _)| begin.starts_with(magic)) {
            return Err(AccessLogError::Compressed { file: file.to_owned(), by });
        }
        Self::parse(log, file)
    }

    /// Reads from anywhere; `file` is named in errors.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn parse(mut log: impl BufRead, file: &Path) -> Result<Self, AccessLogError> {
        let mut counts: HashMap<String, (u64, u64)> = HashMap::new();
        let (mut skipped, mut number, mut bytes) = (0, 0_u64, 0);
        let mut line = Vec::new();
        while line_of(&mut log, &mut line).map_err(|source| AccessLogError::Read { file: file.to_owned(), source })? {
            number += 1;
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match entry(&line) {
                None => {
                    return Err(AccessLogError::Line { file: file.to_owned(), line: number, found: beginning(&line) });
                }
                Some(Entry::Other) => skipped += 1,
                Some(Entry::Get(target)) if target.len() > LONGEST_TARGET => skipped += 1,
                Some(Entry::Get(target)) => {
                    if let Some((count, _)) = counts.get_mut(target) {
                        *count += 1;
                    } else if counts.len() < MOST_TARGETS && bytes + target.len() <= MOST_TARGET_BYTES {
                        bytes += target.len();
                        counts.insert(target.to_owned(), (1, number));
                    } else {
                        return Err(AccessLogError::TooMany { file: file.to_owned() });
                    }
                }
            }
        }
        if counts.is_empty() {
            return Err(AccessLogError::Empty { file: file.to_owned() });
        }
        let mut entries: Vec<_> = counts.into_iter().collect();
        // Of equally frequent ones the one that was asked for first comes first, so that the order is the log's.
        entries.sort_by_key(|(_, (count, first))| (std::cmp::Reverse(*count), *first));
        Ok(Self { entries: entries.into_iter().map(|(target, (count, _))| (target, count)).collect(), skipped })
    }

    /// Path and query of each GET request, and how often it was asked for; the most frequent first.
    pub fn entries(&self) -> impl Iterator<Item = (&str, u64)> {
        self.entries.iter().map(|(target, count)| (target.as_str(), *count))
    }

    /// Lines that were passed over: other methods, whose bodies no log has, answers of 400 and above, and targets of more
    /// than 8 KiB.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }
}

/// Reads a line without its end, at most [`LONGEST_LINE`] bytes of it; false at the end.
fn line_of(log: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let mut any = false;
    loop {
        let bytes = log.fill_buf()?;
        if bytes.is_empty() {
            return Ok(any);
        }
        any = true;
        let end = memchr::memchr(b'\n', bytes);
        let part = &bytes[..end.unwrap_or(bytes.len())];
        let room = LONGEST_LINE - line.len().min(LONGEST_LINE);
        line.extend_from_slice(&part[..part.len().min(room)]);
        let used = part.len() + usize::from(end.is_some());
        log.consume(used);
        if end.is_some() {
            return Ok(true);
        }
    }
}

/// The beginning of a line, fit to be shown.
fn beginning(line: &[u8]) -> String {
    const SHOWN: usize = 60;
    let text = String::from_utf8_lossy(&line[..line.len().min(4 * SHOWN)]);
    let mut shown: String = text.chars().take(SHOWN).map(|c| if c.is_control() { '·' } else { c }).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

/// Host, identity, user, time in brackets, request line in quotes, status.
fn entry(line: &[u8]) -> Option<Entry<'_>> {
    // A user's name may hold blanks and quotes; the time's bracket comes after it, and the request after the time.
    let time_end = memchr::memmem::find(line, b"] \"")?;
    let rest = &line[time_end + 3..];
    let quote = closing_quote(rest)?;
    let (request, after) = (&rest[..quote], rest.get(quote + 1..)?);
    let status = after.trim_ascii_start().split(u8::is_ascii_whitespace).next()?;
    let status: u16 = std::str::from_utf8(status).ok()?.parse().ok().filter(|status| (100..=599).contains(status))?;
    // What is not text, or not a request line, was an attack or a mistake that the server refused.
    let Ok(request) = std::str::from_utf8(request) else { return Some(Entry::Other) };
    let mut words = request.split(' ');
    let (method, target, version) = (words.next(), words.next(), words.next());
    Some(match (method, target, version) {
        (Some("GET"), Some(target), Some(version))
            if target.starts_with('/') && version.starts_with("HTTP/") && status < 400 && !target.contains('\\') =>
        {
            Entry::Get(target)
        }
        _ => Entry::Other,
    })
}

/// Servers escape quotes within the request line by a backslash.
fn closing_quote(text: &[u8]) -> Option<usize> {
    let mut escaped = false;
    for (place, byte) in text.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(place),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// 1,500 targets of 60 kB, in a file of 433 kB, took 557 MB.
    #[test]
    fn long_targets_are_not_kept() {
        let line = |target: &str| format!("::1 - - [10/Oct/2026:13:55:36 +0000] \"GET {target} HTTP/1.1\" 200 1\n");
        let log = line(&format!("/{}", "a".repeat(LONGEST_TARGET))) + &line("/b");
        let read = parse(&log).unwrap();
        assert_eq!((read.entries().collect::<Vec<_>>(), read.skipped()), (vec![("/b", 1)], 1));
        let many: String = (0..9_000).map(|n| line(&format!("/{n:05}{}", "a".repeat(LONGEST_TARGET - 10)))).collect();
        assert!(matches!(parse(&many), Err(AccessLogError::TooMany { .. })));
    }

    fn parse(log: &str) -> Result<AccessLog, AccessLogError> {
        AccessLog::parse(log.as_bytes(), Path::new("access.log"))
    }

    #[test]
    fn targets_are_counted() {
        let line = |request: &str, status: u16| {
            format!("::1 - a \"user\" [10/Oct/2026:13:55:36 +0000] \"{request}\" {status} 5 \"-\" \"x\"\n")
        };
        let log = [
            line("GET /a HTTP/1.1", 200),
            line("GET /b?c=%22 HTTP/2.0", 304),
            line("GET /b?c=%22 HTTP/2.0", 200),
            line("GET /missing HTTP/1.1", 404),
            line("POST /a HTTP/1.1", 200),
            line("\\x16\\x03\\x01", 400),
            line("GET /a\\\"b HTTP/1.1", 200),
            line("GET http://other/ HTTP/1.1", 200),
            line("", 408),
        ]
        .concat();
        let log = parse(&log).unwrap();
        assert_eq!(log.entries().collect::<Vec<_>>(), [("/b?c=%22", 2), ("/a", 1)]);
        assert_eq!(log.skipped(), 6);
    }

    #[test]
    fn a_log_of_another_kind_names_the_line() {
        let error = parse("\n{\"request\":\"GET /\"}\n").unwrap_err().to_string();
        assert!(error.starts_with("access.log:2: no entry in the combined log format"), "{error}");
        assert!(error.contains("found `{\"request\":\"GET /\"}`"), "{error}");
        let error = parse("").unwrap_err().to_string();
        assert!(error.starts_with("access.log has no GET request"), "{error}");
    }

    #[test]
    fn a_rotated_log_is_read_or_its_compression_named() {
        use std::io::Write;
        let line = b"h - - [t] \"GET /a HTTP/1.1\" 200 5\n";
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(line).unwrap();
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&packed.finish().unwrap()).unwrap();
        assert_eq!(AccessLog::read(file.path()).unwrap().entries().collect::<Vec<_>>(), [("/a", 1)]);
        std::fs::write(file.path(), b"\x28\xb5\x2f\xfd\x04\x00").unwrap();
        let error = AccessLog::read(file.path()).unwrap_err().to_string();
        assert!(error.contains("is compressed by zstd") && error.contains("zstd -dc"), "{error}");
        std::fs::write(file.path(), b"\x1f\x8b\x08\x00\n").unwrap();
        let error = AccessLog::read(file.path()).unwrap_err().to_string();
        assert!(error.starts_with("cannot read the access log"), "{error}");
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = AccessLog::parse(&bytes[..], Path::new("access.log"));
            let mut line = b"h - - [t] \"".to_vec();
            line.extend(bytes);
            let _ = AccessLog::parse(&line[..], Path::new("access.log"));
        }
    }
}
