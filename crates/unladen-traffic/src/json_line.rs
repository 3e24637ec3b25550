//! The function is [`parse`]: a line of JSON, as nginx (`escape=json`), Caddy and others write it.
//!
//! Names differ between configurations: each field is known by the usual ones. Objects within objects are read as one
//! (Caddy has `request`), and of lists the first string counts (its headers). The first value of a name counts.

use crate::entry::{Entry, Method, PassedOver, address, is_hit, nanoseconds, number, path};
use crate::line::LogEntry;
use crate::time;

pub(crate) fn parse(line: &[u8]) -> Result<Entry<'_>, PassedOver> {
    let mut entry = Entry::default();
    let (mut has_method, mut target, mut request) = (false, None, None);
    let mut rest = &line[1..];
    while let Some(start) = memchr::memchr(b'"', rest) {
        let (name, after) = string(&rest[start + 1..]).ok_or(PassedOver::NoEntry)?;
        let after = after.trim_ascii_start();
        let Some(after) = after.strip_prefix(b":") else {
            // A further string of a list.
            rest = after;
            continue;
        };
        let (value, after) = value(after.trim_ascii_start()).ok_or(PassedOver::NoEntry)?;
        rest = after;
        match name {
            b"remote_addr" | b"remote_ip" | b"client_ip" | b"clientip" | b"remoteAddr" if entry.address.is_none() => {
                entry.address = address(value);
            }
            b"remote_user" | b"user" | b"user_id" => entry.is_signed_in |= !matches!(value, b"" | b"-" | b"null"),
            b"time_local" | b"time_iso8601" | b"time" | b"@timestamp" | b"timestamp" | b"ts" | b"msec" => {
                entry.time = entry.time.or_else(|| time::seconds(value));
            }
            b"request_method" | b"method" | b"verb" if !has_method => {
                (entry.method, has_method) = (Method::of(value), true);
            }
            b"request" if !value.is_empty() => request = Some(value),
            b"request_uri" | b"uri" | b"path" | b"url" | b"target" => target = target.or(Some(value)),
            b"status" | b"response" | b"status_code" => {
                entry.status = entry.status.or(number(value).and_then(|status| u16::try_from(status).ok()));
            }
            b"body_bytes_sent" | b"bytes_sent" | b"bytes" | b"size" if entry.bytes == 0 => {
                entry.bytes = number(value).unwrap_or(0);
            }
            b"http_user_agent" | b"user_agent" | b"agent" | b"User-Agent" => entry.user_agent = value,
            b"upstream_cache_status" | b"cache_status" | b"cache" => entry.is_hit = is_hit(value),
            b"request_time" | b"duration" => entry.elapsed_ns = nanoseconds(value),
            _ => {}
        }
    }
    if let (None, Some(request)) = (target, request) {
        let line = LogEntry { before: b"", time: b"", request, status: None, after: b"" };
        let line = line.request_line().ok_or(PassedOver::NoRequest)?;
        (entry.method, target) = (Method::of(line.method), Some(line.target));
    }
    entry.status = entry.status.filter(|status| (100..=999).contains(status));
    entry.target = path(target.ok_or(PassedOver::NoEntry)?).ok_or(PassedOver::NoPath)?;
    Ok(entry)
}

/// A string up to its quote, and what follows; escapes stay.
fn string(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut from = 0;
    loop {
        let at = from + memchr::memchr2(b'"', b'\\', text.get(from..)?)?;
        if text[at] == b'"' {
            return Some((&text[..at], &text[at + 1..]));
        }
        from = at + 2;
    }
}

/// A string, a number or a word; nothing of what holds others, which are read on their own.
fn value(text: &[u8]) -> Option<(&[u8], &[u8])> {
    match text.first()? {
        b'"' => string(&text[1..]),
        b'{' => Some((b"", &text[1..])),
        b'[' => match text[1..].trim_ascii_start().strip_prefix(b"\"") {
            Some(first) => string(first),
            None => Some((b"", &text[1..])),
        },
        _ => {
            let end = memchr::memchr3(b',', b'}', b']', text).unwrap_or(text.len());
            Some((text[..end].trim_ascii(), &text[end..]))
        }
    }
}
