//! Writes a [`Record`] as a line of the access log: [`write`].

use std::io::Write;
use std::time::Duration;

use crate::seeing::wall::Wall;
use crate::seeing::{hex, json};
use crate::{End, Record};

/// No line is longer, its end included.
pub(super) const LONGEST: usize = 8 * 1024;

// Of what peers choose; together with all else less than a line.
const METHOD: usize = 64;
const AUTHORITY: usize = 512;
const REQUEST_ID: usize = 256;
const NAME: usize = 256;
const TARGET: usize = 6 * 1024;

/// Appends the line, its end included.
pub(super) fn write(record: &Record<'_>, into: &mut Vec<u8>) {
    into.extend(b"{\"time\":\"");
    let _ = write!(into, "{}", Wall::of(record.began));
    into.push(b'"');
    let mut whole = text("upstream", record.upstream.as_bytes(), NAME, into);
    if let Some(endpoint) = record.endpoint {
        whole &= text("endpoint", endpoint.to_string().as_bytes(), NAME, into);
    }
    whole &= text("method", record.method, METHOD, into);
    whole &= text("authority", record.authority, AUTHORITY, into);
    whole &= text("target", record.target, TARGET, into);
    text("client_version", record.client_version.as_str().as_bytes(), NAME, into);
    if let Some(version) = record.upstream_version {
        text("upstream_version", version.as_str().as_bytes(), NAME, into);
    }
    if record.status != 0 {
        number("status", u64::from(record.status), into);
    }
    text("end", record.end.as_str().as_bytes(), NAME, into);
    if let End::Local(reason) | End::Broken(reason) = record.end {
        text("reason", reason.as_str().as_bytes(), NAME, into);
    }
    if let Some((result, why)) = record.cache {
        text("cache", result.as_str().as_bytes(), NAME, into);
        if !why.is_empty() {
            text("cache_why", why.as_bytes(), NAME, into);
        }
    }
    text("reuse", record.reuse.as_str().as_bytes(), NAME, into);
    number("attempts", u64::from(record.attempts), into);
    duration("head_ns", Some(record.head), into);
    duration("connected_ns", record.connected, into);
    duration("first_byte_ns", record.first_byte, into);
    duration("total_ns", Some(record.total), into);
    number("bytes_in", record.bytes_in, into);
    number("bytes_out", record.bytes_out, into);
    if !record.request_id.is_empty() {
        whole &= text("request_id", record.request_id, REQUEST_ID, into);
    }
    if let Some(trace) = &record.trace {
        digits("trace_id", &trace.trace_id, into);
        digits("span_id", &trace.span_id, into);
        key("sampled", into);
        into.extend(if trace.sampled { &b"true"[..] } else { b"false" });
    }
    if !whole {
        into.extend(b",\"cut\":true");
    }
    into.extend(b"}\n");
}

fn key(name: &str, into: &mut Vec<u8>) {
    into.extend(b",\"");
    into.extend(name.as_bytes());
    into.extend(b"\":");
}

fn text(name: &str, value: &[u8], limit: usize, into: &mut Vec<u8>) -> bool {
    key(name, into);
    json::string(value, limit, into)
}

fn number(name: &str, value: u64, into: &mut Vec<u8>) {
    key(name, into);
    let _ = write!(into, "{value}");
}

fn duration(name: &str, value: Option<Duration>, into: &mut Vec<u8>) {
    if let Some(value) = value {
        number(name, u64::try_from(value.as_nanos()).unwrap_or(u64::MAX), into);
    }
}

fn digits(name: &str, value: &[u8], into: &mut Vec<u8>) {
    key(name, into);
    into.push(b'"');
    hex::write(value, into);
    into.push(b'"');
}
