//! The principal type is [`Logs`]: log lines to any destination.

use std::collections::BTreeMap;

use crate::assembly::table::{Moment, Table, Transfer};
use crate::event::{Peer, Way};
use crate::evidence::{Evidence, LogSeen, LogSink};
use crate::secrets::without_secrets;
use crate::series::Series;
use crate::wire::{fastcgi, syslog};

const STDERR: i32 = 2;
/// Sent by a worker of PHP-FPM to its master over standard error at the end of a request (fpm_stdio.c): no log line.
const FPM_MARK: &[u8] = b"\0fscf\0";
const EXAMPLES: usize = 5;
/// Bytes kept of an example.
const EXAMPLE: usize = 160;
const SOCKETS: &[&str] =
    &["/dev/log", "/run/systemd/journal/dev-log", "/run/systemd/journal/socket", "/var/run/syslog"];
/// Syslog over UDP, RFC 5426.
const PORT: u16 = 514;

#[derive(Debug, Default)]
pub(super) struct Logs {
    lines: Table<(usize, LogSink, String)>,
    more: BTreeMap<(usize, LogSink, String), More>,
}

#[derive(Debug, Default)]
struct More {
    bytes: Series,
    examples: Vec<String>,
}

impl Logs {
    /// A send to a socket; returns whether it was a log line.
    pub(super) fn socket(&mut self, transfer: &Transfer<'_>, moment: Moment) -> bool {
        if transfer.way != Way::Out {
            return false;
        }
        // PHP's standard error goes to the web server this way, beside the page. (A DNS question can begin like that.)
        if !transfer.socket.datagram
            && let Some(text) = fastcgi::stderr(transfer.payload)
        {
            let key = (transfer.group, LogSink::Stderr, "FastCGI".to_owned());
            self.add(key, moment, lines(text.trim_end().as_bytes()), text.len() as i64, &text, 0);
            return false;
        }
        let path = match &transfer.socket.peer {
            Peer::Unix(path) => {
                let path = String::from_utf8_lossy(path).into_owned();
                // /dev/log may be a link: the socket's own path is the target.
                let is_line = transfer.socket.datagram && syslog::looks_like_syslog(transfer.payload);
                if !SOCKETS.contains(&path.as_str()) && !is_line {
                    return false;
                }
                path
            }
            Peer::Ip(address) if transfer.socket.datagram && address.port() == PORT => address.to_string(),
            // The C library keeps sending to a log that has gone away.
            Peer::Unknown if transfer.socket.datagram && syslog::looks_like_syslog(transfer.payload) => {
                "/dev/log".into()
            }
            _ => return false,
        };
        let text = syslog::message(transfer.payload);
        let key = (transfer.group, LogSink::Syslog, path);
        self.add(key, moment, 1, transfer.result, &text, transfer.took_ns);
        true
    }

    /// A write to a file: lines, if the file is a log.
    #[allow(clippy::too_many_arguments, reason = "the parts of one event, taken apart where it is read")]
    pub(super) fn file(
        &mut self,
        group: usize,
        way: Way,
        fd: i32,
        path: &str,
        result: i64,
        payload: &[u8],
        took_ns: u64,
        moment: Moment,
    ) {
        if way != Way::Out || !(fd == STDERR || is_log(path)) {
            return;
        }
        let key = (group, LogSink::File, path.to_owned());
        self.add(key, moment, lines(payload), result, &printable(payload), took_ns);
    }

    /// A write to a pipe or a terminal: lines, if it is standard error.
    #[allow(clippy::too_many_arguments, reason = "as above")]
    pub(super) fn stream(
        &mut self,
        group: usize,
        way: Way,
        fd: i32,
        result: i64,
        payload: &[u8],
        took_ns: u64,
        moment: Moment,
    ) {
        // Data written to /dev/null is never read, so its page may not be in memory, where it cannot be seen: then its
        // length decides.
        let is_mark = payload == FPM_MARK || payload.is_empty() && result == FPM_MARK.len() as i64;
        if way == Way::Out && fd == STDERR && !is_mark {
            let key = (group, LogSink::Stderr, "stderr".to_owned());
            self.add(key, moment, lines(payload), result, &printable(payload), took_ns);
        }
    }

    fn add(
        &mut self,
        key: (usize, LogSink, String),
        moment: Moment,
        lines: u64,
        result: i64,
        text: &str,
        took_ns: u64,
    ) {
        if !self.lines.add_many(key.clone(), moment, lines, took_ns) {
            return;
        }
        let more = self.more.entry(key).or_default();
        more.bytes.add(moment.phase, u64::try_from(result).unwrap_or(0));
        if more.examples.len() >= EXAMPLES {
            return;
        }
        // Before truncation: a missing end would hide a secret from recognition.
        let text: String = without_secrets(text).chars().take(EXAMPLE).collect();
        if !text.is_empty() && !more.examples.contains(&text) {
            more.examples.push(text);
        }
    }

    pub(super) fn dropped(&self) -> u64 {
        self.lines.dropped()
    }

    pub(super) fn finish(mut self, evidence: &mut Evidence) {
        evidence.logs = self
            .lines
            .into_sorted()
            .into_iter()
            .map(|(key, counted)| {
                let More { bytes, examples } = self.more.remove(&key).unwrap_or_default();
                let (group, sink, path) = key;
                LogSeen { group, sink, path, counted, bytes, examples }
            })
            .collect();
    }
}

/// Whether a file is a log, by its place or name: `php.log`, `error.log.1`, `/var/log/sympa`, `error_log`.
fn is_log(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let by_name = name.ends_with(".log") || name.contains(".log.") || name.ends_with("_log");
    (by_name || path.starts_with("/var/log/")) && !path.contains("/journal/")
}

/// The lines that a write ends, at least one.
fn lines(payload: &[u8]) -> u64 {
    (memchr::memchr_iter(b'\n', payload).count() as u64).max(1)
}

fn printable(payload: &[u8]) -> String {
    let line = payload.split(|&byte| byte == b'\n').next().unwrap_or(payload);
    String::from_utf8_lossy(line)
        .chars()
        .map(|character| if character.is_control() { ' ' } else { character })
        .collect()
}

#[cfg(test)]
mod tests;
