//! Composes heads to send on: hop-by-hop fields are left out, and what the listener's settings say is added.

#[cfg(test)]
pub(crate) mod tests;

use std::net::IpAddr;
use std::time::Instant;

use http::{HeaderMap, HeaderValue};
use unladen_http1::{Field, Fields, Length, Name, Request, Response};
use unladen_observability::{Reason, Trace, trace_context};
use unladen_serve_config::{Forwarded, HostRule, ProxySettings};

use super::{append, write_date};

/// Our name in `Via` (RFC 9110, section 7.6.3).
pub(crate) const VIA: &[u8] = b"1.1 unladen";

/// What a request is sent on with, besides what it came with.
#[derive(Debug)]
pub(crate) struct Additions<'a> {
    pub(crate) settings: &'a ProxySettings,
    /// Framing of a body that was spooled until whole: `Expect` is no longer needed.
    pub(crate) waited: Option<Length>,
    /// As in the upstream's URL.
    pub(crate) authority: &'a str,
    pub(crate) tls: bool,
    /// `None` for a Unix socket.
    pub(crate) client: Option<IpAddr>,
    /// `Some` if the request had none.
    pub(crate) request_id: Option<&'a [u8]>,
    /// Replaces the request's own, if any.
    pub(crate) trace: Option<&'a Trace>,
    /// Whether it asks for another protocol, and may.
    pub(crate) upgrade: bool,
}

impl Additions<'_> {
    pub(crate) fn host<'b>(&'b self, request: &'b Request) -> &'b [u8] {
        match &self.settings.host {
            HostRule::Upstream => self.authority.as_bytes(),
            HostRule::Keep if request.authority.is_empty() => self.authority.as_bytes(),
            HostRule::Keep => &request.authority,
            HostRule::Fixed(host) => host.as_bytes(),
        }
    }

    fn each(&self, request: &Request, mut write: impl FnMut(&[u8], &[u8])) {
        let named = names_more(&request.fields);
        for field in request.fields.iter() {
            if passes(&field, &request.fields, named) && self.keeps(&field) {
                write(field.name, field.value);
            }
        }
        if let Some(id) = self.request_id {
            write(b"x-request-id", id);
        }
        if let Some(trace) = self.trace {
            let mut value = Vec::with_capacity(trace_context::LENGTH);
            trace_context::write(trace, &mut value);
            write(b"traceparent", &value);
        }
        if self.settings.via {
            write(b"via", VIA);
        }
        match self.settings.forwarded {
            Forwarded::Pass | Forwarded::Strip => (),
            Forwarded::XForwarded => self.x_forwarded(request, write),
            Forwarded::Forwarded => self.forwarded(request, write),
        }
    }

    pub(crate) fn keeps(&self, field: &Field<'_>) -> bool {
        match field.id {
            Name::Traceparent => self.trace.is_none(),
            Name::Expect => self.waited.is_none(),
            // Some take both framings in one head for two requests (RFC 9112, section 6.1).
            Name::ContentLength => self.waited != Some(Length::Chunked),
            Name::Forwarded => !matches!(self.settings.forwarded, Forwarded::Strip | Forwarded::Forwarded),
            Name::XForwardedFor | Name::XForwardedHost | Name::XForwardedProto => {
                !matches!(self.settings.forwarded, Forwarded::Strip | Forwarded::XForwarded)
            }
            // It belongs to the trace it came with (W3C Trace Context, section 3.3.1.1).
            Name::Other if self.trace.is_some_and(|trace| trace.parent_id.is_none()) => {
                !field.name.eq_ignore_ascii_case(b"tracestate")
            }
            _ => true,
        }
    }

    fn x_forwarded(&self, request: &Request, mut write: impl FnMut(&[u8], &[u8])) {
        let client = self.client.map_or_else(|| "unknown".to_owned(), |ip| ip.to_string());
        let mut hops = joined(&request.fields, Name::XForwardedFor);
        separate(&mut hops);
        hops.extend_from_slice(client.as_bytes());
        write(b"x-forwarded-for", &hops);
        // HTTP/1.0 may have no host: an empty field would be wrong.
        let host = request.fields.get(Name::XForwardedHost).unwrap_or(&request.authority);
        if !host.is_empty() {
            write(b"x-forwarded-host", host);
        }
        write(b"x-forwarded-proto", request.fields.get(Name::XForwardedProto).unwrap_or(b"http"));
    }

    /// RFC 7239, section 4.
    fn forwarded(&self, request: &Request, mut write: impl FnMut(&[u8], &[u8])) {
        let mut hops = joined(&request.fields, Name::Forwarded);
        if !is_closed(&hops) {
            // An addition would become part of the unterminated text.
            hops.clear();
        }
        separate(&mut hops);
        let client = match self.client {
            Some(IpAddr::V4(ip)) => ip.to_string(),
            Some(IpAddr::V6(ip)) => format!("\"[{ip}]\""),
            None => "unknown".to_owned(),
        };
        // As the site found out, or the application says, of who asks it.
        let proto = match request.fields.get(Name::XForwardedProto) {
            Some(b"https") => "https",
            _ => "http",
        };
        hops.extend_from_slice(format!("for={client};proto={proto}").as_bytes());
        if !request.authority.is_empty() {
            hops.extend_from_slice(b";host=\"");
            hops.extend(request.authority.iter().filter(|byte| !matches!(byte, b'"' | b'\\')));
            hops.push(b'"');
        }
        write(b"forwarded", &hops);
    }
}

fn joined(fields: &Fields, id: Name) -> Vec<u8> {
    let values: Vec<_> = fields.iter().filter(|field| field.id == id).map(|field| field.value).collect();
    values.join(&b", "[..])
}

/// Whether every quoted string ends (RFC 9110, section 5.6.4).
fn is_closed(list: &[u8]) -> bool {
    let (mut is_quoted, mut is_escaped) = (false, false);
    for byte in list {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_quoted => is_escaped = true,
            b'"' => is_quoted = !is_quoted,
            _ => (),
        }
    }
    !is_quoted
}

fn separate(list: &mut Vec<u8>) {
    if !list.is_empty() {
        list.extend_from_slice(b", ");
    }
}

/// Whether `Connection` names more fields than those that are always hop-by-hop.
fn names_more(fields: &Fields) -> bool {
    fields.iter().filter(|field| field.id == Name::Connection).any(|field| {
        let known = [&b"close"[..], b"keep-alive", b"upgrade", b"te", b""];
        let is_known = |token: &[u8]| known.iter().any(|known| known.eq_ignore_ascii_case(token.trim_ascii()));
        !field.value.split(|byte| *byte == b',').all(is_known)
    })
}

fn passes(field: &Field<'_>, fields: &Fields, named: bool) -> bool {
    // Framing and sender fields cannot be removed by naming them.
    let is_named = named && field.id == Name::Other && fields.has_token(Name::Connection, field.name);
    !field.id.is_hop_by_hop() && !is_named
}

pub(crate) fn line(out: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    out.reserve(name.len() + value.len() + 4);
    out.extend_from_slice(name);
    out.extend_from_slice(b": ");
    out.extend_from_slice(value);
    out.extend_from_slice(b"\r\n");
}

pub(crate) fn request_to_h1(out: &mut Vec<u8>, request: &Request, additions: &Additions<'_>) {
    for piece in [&*request.method, b" ", &request.target, b" HTTP/1.1\r\n"] {
        out.extend_from_slice(piece);
    }
    line(out, b"host", additions.host(request));
    additions.each(request, |name, value| line(out, name, value));
    // Some servers answer 411 otherwise (RFC 9110, section 8.6).
    let has_meaning = || matches!(&*request.method, b"POST" | b"PUT" | b"PATCH");
    let length = additions.waited.unwrap_or(request.length);
    let length = if length == Length::None && has_meaning() { Length::Exact(0) } else { length };
    frame(out, length, &request.fields);
    let mut listed = Vec::new();
    if additions.upgrade {
        listed.push(&b"upgrade"[..]);
        for field in request.fields.iter().filter(|field| field.id == Name::Upgrade) {
            line(out, field.name, field.value);
        }
    }
    if request.fields.has_token(Name::Te, b"trailers") {
        listed.push(b"te");
        line(out, b"te", b"trailers");
    }
    if !listed.is_empty() {
        line(out, b"connection", &listed.join(&b", "[..]));
    }
    out.extend_from_slice(b"\r\n");
}

fn frame(out: &mut Vec<u8>, length: Length, fields: &Fields) {
    match length {
        Length::Chunked => line(out, b"transfer-encoding", b"chunked"),
        Length::Exact(length) if fields.get(Name::ContentLength).is_none() => {
            line(out, b"content-length", length.to_string().as_bytes());
        }
        _ => (),
    }
}

pub(crate) fn request_to_h2(request: &Request, additions: &Additions<'_>) -> Result<http::Request<()>, http::Error> {
    let uri = http::Uri::builder()
        .scheme(if additions.tls { "https" } else { "http" })
        .authority(additions.host(request))
        .path_and_query(&*request.target)
        .build()?;
    let mut head = http::Request::builder().method(&*request.method).uri(uri).version(http::Version::HTTP_2).body(())?;
    let map = head.headers_mut();
    additions.each(request, |name, value| append(map, name, value));
    if let Some(Length::Exact(length)) = additions.waited
        && !map.contains_key(http::header::CONTENT_LENGTH)
    {
        append(map, b"content-length", digits(length, &mut [0; 20]));
    }
    if request.fields.has_token(Name::Te, b"trailers") {
        map.insert(http::header::TE, HeaderValue::from_static("trailers"));
    }
    Ok(head)
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ToClient {
    /// The client's HTTP/1 minor version.
    pub(crate) minor: u8,
    pub(crate) keep: bool,
    pub(crate) head: bool,
    pub(crate) via: bool,
}

impl ToClient {
    /// How the body is framed; clears `keep` if the connection cannot be kept.
    pub(crate) fn framing(&mut self, response: &Response) -> Length {
        let has_no_body = self.head || matches!(response.status, 100..=199 | 204 | 304);
        match response.length {
            _ if has_no_body => Length::None,
            Length::None => Length::Exact(0),
            Length::Exact(length) => Length::Exact(length),
            Length::Chunked | Length::UntilClose if self.minor >= 1 => Length::Chunked,
            Length::Chunked | Length::UntilClose => {
                self.keep = false;
                Length::UntilClose
            }
        }
    }
}

pub(crate) fn response_to_h1(
    out: &mut Vec<u8>,
    response: &Response,
    more: &Fields,
    framing: Length,
    to: ToClient,
    now: Instant,
) {
    status_line(out, response.status);
    response_fields(&response.fields, to.via, |name, value| line(out, name, value));
    more.iter().for_each(|field| line(out, field.name, field.value));
    if response.fields.get(Name::Date).is_none() {
        out.extend_from_slice(b"date: ");
        write_date(out, now);
        out.extend_from_slice(b"\r\n");
    }
    frame(out, framing, &response.fields);
    connection(out, to);
    out.extend_from_slice(b"\r\n");
}

pub(crate) fn connection(out: &mut Vec<u8>, to: ToClient) {
    match (to.keep, to.minor) {
        (false, 1) => line(out, b"connection", b"close"),
        (true, 0) => line(out, b"connection", b"keep-alive"),
        _ => (),
    }
}

fn response_fields(fields: &Fields, via: bool, mut write: impl FnMut(&[u8], &[u8])) {
    let named = names_more(fields);
    for field in fields.iter() {
        if passes(&field, fields, named) {
            write(field.name, field.value);
        }
    }
    if via {
        write(b"via", VIA);
    }
}

pub(crate) fn digits(mut number: u64, into: &mut [u8; 20]) -> &[u8] {
    let mut at = into.len();
    loop {
        at -= 1;
        into[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 || at == 0 {
            return &into[at..];
        }
    }
}

pub(crate) fn status_line(out: &mut Vec<u8>, status: u16) {
    match status {
        200 => return out.extend_from_slice(b"HTTP/1.1 200 OK\r\n"),
        304 => return out.extend_from_slice(b"HTTP/1.1 304 Not Modified\r\n"),
        _ => (),
    }
    let mut digits = [b'0'; 3];
    let mut rest = status;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    let reason = http::StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason()).unwrap_or("");
    for piece in [b"HTTP/1.1 ", &digits[..], b" ", reason.as_bytes(), b"\r\n"] {
        out.extend_from_slice(piece);
    }
}

pub(crate) fn interim_to_h1(out: &mut Vec<u8>, response: &Response) {
    status_line(out, response.status);
    response_fields(&response.fields, false, |name, value| line(out, name, value));
    if response.status == 101 {
        line(out, b"connection", b"upgrade");
        for field in response.fields.iter().filter(|field| field.id == Name::Upgrade) {
            line(out, field.name, field.value);
        }
    }
    out.extend_from_slice(b"\r\n");
}

pub(crate) fn response_to_h2(response: &Response, more: &Fields, via: bool, now: Instant) -> http::Response<()> {
    let mut head = http::Response::new(());
    *head.status_mut() = http::StatusCode::from_u16(response.status).unwrap_or(http::StatusCode::BAD_GATEWAY);
    let map: &mut HeaderMap = head.headers_mut();
    response_fields(&response.fields, via, |name, value| append(map, name, value));
    more.iter().for_each(|field| append(map, field.name, field.value));
    if response.status >= 200 && response.fields.get(Name::Date).is_none() {
        date_if_none(map, now);
    }
    head
}

pub(crate) fn date_if_none(map: &mut HeaderMap, now: Instant) {
    if map.get(http::header::DATE).is_none() {
        let mut date = Vec::with_capacity(32);
        write_date(&mut date, now);
        append(map, b"date", &date);
    }
}

/// Makes a local reply: its fields, and its body in plain words.
pub(crate) fn local(response: &mut Response, reason: Reason, retry_after: Option<std::time::Duration>) -> String {
    let body = format!("{} {}\n", reason.status(), reason.as_str());
    not_kept(response, reason.status(), b"text/plain", &body);
    response.fields.push(b"x-unladen-reason", reason.as_str().as_bytes());
    if let Some(after) = retry_after {
        // In whole seconds (RFC 9110, section 10.2.3), rounded up so as never to be too soon.
        response
            .fields
            .push(b"retry-after", (after.as_secs() + u64::from(after.subsec_nanos() > 0)).to_string().as_bytes());
    }
    body
}

/// Makes the head of a local reply with this body, which must not be stored.
pub(crate) fn not_kept(response: &mut Response, status: u16, content_type: &[u8], body: &str) {
    response.status = status;
    response.minor = 1;
    response.length = Length::Exact(body.len() as u64);
    response.fields.clear();
    response.fields.push(b"content-type", content_type);
    response.fields.push(b"content-length", body.len().to_string().as_bytes());
    response.fields.push(b"cache-control", b"no-store");
}
