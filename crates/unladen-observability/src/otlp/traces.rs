//! Spans of sampled requests, and OTLP's JSON of them: [`request`]. Attributes follow OpenTelemetry's conventions for HTTP
//! clients: seen from the application's side, `serve` is its client. [`resource`] describes the process that they come
//! from, by the conventions for resources.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use unladen_pool::Address;

use crate::otlp::client::Destination;
use crate::request_account::Method;
use crate::upstreams::At;
use crate::wall::Wall;
use crate::{CacheResult, End, RequestAccount, Reuse, Trace, Version, hex, random};

/// Query parameters that sign it, as listed in OpenTelemetry's conventions: readers of a trace must not be able to use
/// them.
const SIGNATURES: [&str; 4] = ["AWSAccessKeyId", "Signature", "sig", "X-Goog-Signature"];

const CLIENT: u8 = 3;
const ERROR: u8 = 2;

pub(super) fn request(spans: &[Span], resource: &Value, at: impl Fn(&str) -> Option<At>) -> Value {
    let spans: Vec<Value> = spans.iter().map(|span| document(span, at(&span.upstream).as_ref())).collect();
    json!({ "resourceSpans": [{ "resource": resource, "scopeSpans": [{ "scope": scope(), "spans": spans }] }] })
}

pub(super) fn scope() -> Value {
    json!({ "name": "unladen.serve", "version": env!("CARGO_PKG_VERSION") })
}

pub(super) fn attribute(key: &str, value: impl Into<Value>) -> Value {
    let value = match value.into() {
        // OTLP writes integers as strings: they have 64 bits, too many for JavaScript's numbers.
        Value::Number(n) => json!({ "intValue": n.to_string() }),
        Value::Bool(is) => json!({ "boolValue": is }),
        Value::String(text) => json!({ "stringValue": text }),
        other => json!({ "stringValue": other.to_string() }),
    };
    json!({ "key": key, "value": value })
}

fn document(span: &Span, at: Option<&At>) -> Value {
    let start = Wall::of(span.began);
    let trace = &span.trace;
    let mut document = Map::new();
    document.insert("traceId".to_owned(), hex::string(&trace.trace_id).into());
    document.insert("spanId".to_owned(), hex::string(&trace.span_id).into());
    // Bit 8: it is known whether the parent is remote; bit 9: it is.
    let flags = match trace.parent_id {
        Some(parent) => {
            document.insert("parentSpanId".to_owned(), hex::string(&parent).into());
            0x300
        }
        None => 0x100,
    };
    document.insert("flags".to_owned(), (flags | u32::from(trace.sampled)).into());
    let name = if span.method == Method::Other { "HTTP" } else { span.method.into_str() };
    document.insert("name".to_owned(), name.into());
    document.insert("kind".to_owned(), CLIENT.into());
    document.insert("startTimeUnixNano".to_owned(), start.ns().to_string().into());
    document.insert("endTimeUnixNano".to_owned(), start.plus(span.total).ns().to_string().into());
    document.insert("attributes".to_owned(), attributes(span, at).into());
    let event = |name: &str, after: Option<std::time::Duration>| {
        Some(json!({ "timeUnixNano": start.plus(after?).ns().to_string(), "name": name }))
    };
    let events = [event("unladen.connected", span.connected), event("unladen.first_byte", span.first_byte)];
    document.insert("events".to_owned(), events.into_iter().flatten().collect::<Vec<_>>().into());
    if error(span).is_some() {
        document.insert("status".to_owned(), json!({ "code": ERROR }));
    }
    Value::Object(document)
}

fn attributes(span: &Span, at: Option<&At>) -> Vec<Value> {
    let mut attributes = vec![attribute("http.request.method", span.method.into_str())];
    let mut add = |key: &str, value: Value| attributes.push(attribute(key, value));
    if let Some(original) = &span.method_original {
        add("http.request.method_original", text(original));
    }
    if let Some(at) = at {
        add("server.address", at.address.clone().into());
        if let Some(port) = at.port {
            add("server.port", port.into());
        }
        add("url.scheme", at.scheme.into());
        if span.target.starts_with(b"/") {
            let target = String::from_utf8_lossy(&span.target);
            add("url.full", format!("{}://{}{}", at.scheme, at.authority, without_signatures(&target)).into());
        }
    }
    match &span.endpoint {
        Some(Address::Tcp(addresses)) => {
            if let Some(address) = addresses.first() {
                add("network.peer.address", address.ip().to_string().into());
                add("network.peer.port", address.port().into());
            }
        }
        Some(Address::Unix(path)) => {
            add("network.peer.address", path.display().to_string().into());
            add("network.transport", "unix".into());
        }
        None => {}
    }
    if let Some(version) = span.upstream_version {
        add("network.protocol.version", version.into_str().into());
    }
    if span.status != 0 {
        add("http.response.status_code", span.status.into());
    }
    if let Some(error) = error(span) {
        add("error.type", error.into());
    }
    if span.attempts > 1 {
        add("http.request.resend_count", (span.attempts - 1).into());
    }
    add("http.request.body.size", span.bytes_in.into());
    add("http.response.body.size", span.bytes_out.into());
    add("unladen.upstream", span.upstream.to_string().into());
    add("unladen.end", span.end.into_str().into());
    add("unladen.connection", span.reuse.into_str().into());
    if let Some((result, why)) = span.cache {
        add("unladen.cache", result.into_str().into());
        if !why.is_empty() {
            add("unladen.cache_reason", why.into());
        }
    }
    if !span.request_id.is_empty() {
        add("unladen.request_id", text(&span.request_id));
    }
    attributes
}

/// Error of a client span; 4xx counts too.
fn error(span: &Span) -> Option<String> {
    match span.end {
        End::Local(reason) | End::Broken(reason) => Some(reason.as_str().to_owned()),
        End::ClientGone => Some(span.end.into_str().to_owned()),
        End::Answered | End::Upgraded => (span.status >= 400).then(|| span.status.to_string()),
    }
}

fn text(bytes: &[u8]) -> Value {
    String::from_utf8_lossy(bytes).into()
}

fn without_signatures(target: &str) -> String {
    let Some((path, query)) = target.split_once('?') else { return target.to_owned() };
    let redacted = |pair: &str| match pair.split_once('=') {
        Some((key, _)) if SIGNATURES.contains(&key) => format!("{key}=REDACTED"),
        _ => pair.to_owned(),
    };
    let query: Vec<String> = query.split('&').map(redacted).collect();
    format!("{path}?{}", query.join("&"))
}

// Maximum bytes of text that peers choose.
const METHOD: usize = 64;
const TARGET: usize = 4096;
const REQUEST_ID: usize = 256;

#[derive(Clone, Debug)]
pub(super) struct Span {
    pub(super) upstream: Box<str>,
    pub(super) endpoint: Option<Address>,
    pub(super) method: Method,
    /// As sent, if it is not a known one.
    pub(super) method_original: Option<Box<[u8]>>,
    pub(super) target: Box<[u8]>,
    pub(super) request_id: Box<[u8]>,
    pub(super) upstream_version: Option<Version>,
    pub(super) status: u16,
    pub(super) end: End,
    pub(super) reuse: Reuse,
    pub(super) attempts: u32,
    pub(super) began: Instant,
    pub(super) connected: Option<Duration>,
    pub(super) first_byte: Option<Duration>,
    pub(super) total: Duration,
    pub(super) bytes_in: u64,
    pub(super) bytes_out: u64,
    pub(super) trace: Trace,
    pub(super) cache: Option<(CacheResult, &'static str)>,
}

impl Span {
    pub(super) fn of(record: &RequestAccount<'_>, trace: Trace) -> Self {
        let method = Method::of(record.method);
        Self {
            upstream: record.upstream.into(),
            endpoint: record.endpoint.cloned(),
            method,
            method_original: (method == Method::Other).then(|| cut(record.method, METHOD)),
            target: cut(record.target, TARGET),
            request_id: cut(record.request_id, REQUEST_ID),
            upstream_version: record.upstream_version,
            status: record.status,
            end: record.end,
            reuse: record.reuse,
            attempts: record.attempts,
            began: record.began,
            connected: record.connected,
            first_byte: record.first_byte,
            total: record.total,
            bytes_in: record.bytes_in,
            bytes_out: record.bytes_out,
            trace,
            cache: record.cache,
        }
    }
}

fn cut(bytes: &[u8], limit: usize) -> Box<[u8]> {
    bytes[..bytes.len().min(limit)].into()
}

/// Attributes of this process; `node` is its name in a fleet.
pub(super) fn resource(to: &Destination, instance: &str, node: Option<&str>) -> Value {
    let mut attributes = vec![
        attribute("service.name", to.service.as_str()),
        attribute("service.instance.id", instance),
        attribute("service.version", env!("CARGO_PKG_VERSION")),
        attribute("telemetry.sdk.name", "unladen"),
        attribute("telemetry.sdk.language", "rust"),
        attribute("telemetry.sdk.version", env!("CARGO_PKG_VERSION")),
        attribute("process.pid", std::process::id()),
    ];
    // The usual name, so that data of other programs on this machine can be matched.
    let host = fs::read_to_string("/proc/sys/kernel/hostname").ok().map(|name| name.trim().to_owned());
    let more = [
        ("host.name", host.as_deref().filter(|name| !name.is_empty())),
        ("deployment.environment.name", to.environment.as_deref()),
        ("cloud.availability_zone", to.zone.as_deref()),
        ("unladen.fleet.node", node),
    ];
    attributes.extend(more.into_iter().filter_map(|(key, value)| Some(attribute(key, value?))));
    json!({ "attributes": attributes })
}

/// A unique name: a UUID of random bits (RFC 9562, version 4), as the conventions require.
pub(super) fn instance() -> String {
    let bits = random::wide_bits() & !(0xf << 76 | 0x3 << 62) | 0x4 << 76 | 0x2 << 62;
    let hex = format!("{bits:032x}");
    let part = |from, to| hex.get(from..to).unwrap_or_default();
    [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
}

#[cfg(test)]
mod tests;
