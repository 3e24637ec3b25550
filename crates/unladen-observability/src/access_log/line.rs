//! Writes a [`RequestAccount`] as an access log line: [`write`].

use std::io::Write;
use std::time::Duration;

use crate::wall::Wall;
use crate::{Addresses, End, LogField, LogFields, RequestAccount, hex};

pub(super) const LONGEST: usize = 8 * 1024;

// Maximum bytes of text that peers choose; together with all else less than a line.
const METHOD: usize = 64;
const AUTHORITY: usize = 512;
const REQUEST_ID: usize = 256;
const NAME: usize = 256;
const CAUSE: usize = 512;
const USER_AGENT: usize = 256;
const REFERER: usize = 512;
const TARGET: usize = 4 * 1024;

#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) fields: LogFields,
    pub(super) addresses: Addresses,
}

pub(super) fn write(record: &RequestAccount<'_>, shape: Shape, into: &mut Vec<u8>) {
    let mut line = Line { into, is_first: true, is_whole: true };
    line.into.push(b'{');
    for field in shape.fields.iter() {
        line.field(field, record, shape.addresses);
    }
    if !line.is_whole {
        line.key("cut");
        line.into.extend(b"true");
    }
    into.extend(b"}\n");
}

fn said<'r>(record: &RequestAccount<'r>, name: &[u8]) -> &'r [u8] {
    record.fields.and_then(|fields| fields.find(name)).unwrap_or_default()
}

struct Line<'l> {
    into: &'l mut Vec<u8>,
    is_first: bool,
    is_whole: bool,
}

impl Line<'_> {
    fn field(&mut self, field: LogField, record: &RequestAccount<'_>, addresses: Addresses) {
        let name = field.as_str();
        match field {
            LogField::Time => {
                self.key(name);
                let _ = write!(self.into, "\"{}\"", Wall::of(record.began));
            }
            LogField::Client => {
                if let Some(address) = record.client.and_then(|address| addresses.of(address)) {
                    self.key(name);
                    let _ = write!(self.into, "\"{address}\"");
                }
            }
            LogField::Upstream => self.text(name, record.upstream.as_bytes(), NAME),
            LogField::Endpoint => {
                if let Some(endpoint) = record.asked().endpoint {
                    self.text(name, endpoint.to_string().as_bytes(), NAME);
                }
            }
            LogField::Method => self.text(name, record.method, METHOD),
            LogField::Authority => self.text(name, record.authority, AUTHORITY),
            LogField::Target => self.text(name, record.target, TARGET),
            LogField::ClientVersion => self.text(name, record.client_version.into_str().as_bytes(), NAME),
            LogField::UpstreamVersion => {
                if let Some(version) = record.asked().upstream_version {
                    self.text(name, version.into_str().as_bytes(), NAME);
                }
            }
            LogField::Status if record.status == 0 => {}
            LogField::Status => self.number(name, u64::from(record.status)),
            LogField::End => self.text(name, record.end.into_str().as_bytes(), NAME),
            LogField::Reason => {
                if let End::Local(reason) | End::Broken(reason) = record.end {
                    self.text(name, reason.as_str().as_bytes(), NAME);
                }
            }
            LogField::Cause => {
                if let Some(cause) = record.asked().cause {
                    self.text(name, cause.text.as_bytes(), CAUSE);
                }
            }
            LogField::Cache => {
                if let Some((result, _)) = record.cache {
                    self.text(name, result.into_str().as_bytes(), NAME);
                }
            }
            LogField::CacheWhy => self.known(name, record.cache.map_or("", |(_, why)| why).as_bytes(), NAME),
            LogField::Reuse => self.text(name, record.asked().reuse.into_str().as_bytes(), NAME),
            LogField::Attempts => self.number(name, u64::from(record.asked().attempts)),
            LogField::HeadNs => self.duration(name, Some(record.head)),
            LogField::ConnectedNs => self.duration(name, record.connected),
            LogField::FirstByteNs => self.duration(name, record.first_byte),
            LogField::TotalNs => self.duration(name, Some(record.total)),
            LogField::BytesIn => self.number(name, record.bytes_in),
            LogField::BytesOut => self.number(name, record.bytes_out),
            LogField::RequestId => self.known(name, record.asked().request_id, REQUEST_ID),
            LogField::TraceId => self.digits(name, record.trace.as_ref().map(|trace| &trace.trace_id[..])),
            LogField::SpanId => self.digits(name, record.trace.as_ref().map(|trace| &trace.span_id[..])),
            LogField::Sampled => {
                if let Some(trace) = &record.trace {
                    self.key(name);
                    self.into.extend(if trace.sampled { &b"true"[..] } else { b"false" });
                }
            }
            LogField::UserAgent => self.known(name, said(record, b"user-agent"), USER_AGENT),
            LogField::Referer => self.known(name, said(record, b"referer"), REFERER),
        }
    }

    fn key(&mut self, name: &str) {
        if !std::mem::replace(&mut self.is_first, false) {
            self.into.push(b',');
        }
        self.into.push(b'"');
        self.into.extend(name.as_bytes());
        self.into.extend(b"\":");
    }

    fn text(&mut self, name: &str, value: &[u8], limit: usize) {
        self.key(name);
        self.is_whole &= string(value, limit, self.into);
    }

    fn known(&mut self, name: &str, value: &[u8], limit: usize) {
        if !value.is_empty() {
            self.text(name, value, limit);
        }
    }

    fn number(&mut self, name: &str, value: u64) {
        self.key(name);
        let _ = write!(self.into, "{value}");
    }

    fn duration(&mut self, name: &str, value: Option<Duration>) {
        if let Some(value) = value {
            self.number(name, u64::try_from(value.as_nanos()).unwrap_or(u64::MAX));
        }
    }

    fn digits(&mut self, name: &str, value: Option<&[u8]>) {
        if let Some(value) = value {
            self.key(name);
            self.into.push(b'"');
            hex::write(value, self.into);
            self.into.push(b'"');
        }
    }
}

/// Replaces bytes that are not UTF-8.
const REPLACEMENT: &str = "\u{fffd}";

/// Appends a quoted string of at most `limit` bytes between the quotes; returns whether all of it was written.
///
/// Terminal controls are escaped too (DEL and the controls of ISO 6429 from U+0080), since logs are read on terminals.
pub(crate) fn string(bytes: &[u8], limit: usize, into: &mut Vec<u8>) -> bool {
    into.push(b'"');
    let whole = text(bytes, into.len().saturating_add(limit), into);
    into.push(b'"');
    whole
}

fn text(bytes: &[u8], end: usize, into: &mut Vec<u8>) -> bool {
    for chunk in bytes.utf8_chunks() {
        let mut rest = chunk.valid();
        while !rest.is_empty() {
            // Nearly all text needs no look at each character.
            let plain = rest.bytes().position(|b| !is_plain(b)).unwrap_or(rest.len());
            let fits = plain.min(end - into.len());
            into.extend_from_slice(&rest.as_bytes()[..fits]);
            let after = &rest[plain..];
            if fits < plain {
                return false;
            }
            let mut characters = after.chars();
            if characters.next().is_some_and(|c| !character(c, end, into)) {
                return false;
            }
            rest = characters.as_str();
        }
        if !chunk.invalid().is_empty() && !append(REPLACEMENT.as_bytes(), end, into) {
            return false;
        }
    }
    true
}

fn is_plain(b: u8) -> bool {
    matches!(b, b' '..=b'~') && b != b'"' && b != b'\\'
}

fn character(c: char, end: usize, into: &mut Vec<u8>) -> bool {
    match c {
        '"' => append(b"\\\"", end, into),
        '\\' => append(b"\\\\", end, into),
        '\n' => append(b"\\n", end, into),
        '\r' => append(b"\\r", end, into),
        '\t' => append(b"\\t", end, into),
        '\0'..='\x1f' | '\x7f'..='\u{9f}' => {
            let mut escape = b"\\u00".to_vec();
            crate::hex::write(&[c as u8], &mut escape);
            append(&escape, end, into)
        }
        c => append(c.encode_utf8(&mut [0; 4]).as_bytes(), end, into),
    }
}

fn append(bytes: &[u8], end: usize, into: &mut Vec<u8>) -> bool {
    let fits = into.len() + bytes.len() <= end;
    if fits {
        into.extend(bytes);
    }
    fits
}

#[cfg(test)]
mod tests;
