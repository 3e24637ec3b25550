//! [`CachedResponse`]: a stored response as a client gets it: whole, in parts, in another coding, or as a 304.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http::HeaderMap;
use unladen_cache::{
    Accepted, Coding, Multipart, Ranges, Stored, Validators, Verdict, if_range, is_of_304, multipart, precondition,
    ranges,
};
use unladen_http1::{Fields, Length, Name, Request, Response};

use super::Cache;
use super::coded::{SHORTEST, is, is_not_to_be_transformed, joined, weak};
use crate::message::append;
use crate::message::compose::{ToClient, VIA, connection, date_if_none, digits, line, status_line};

#[derive(Debug)]
pub(crate) struct CachedResponse<'s> {
    pub(crate) status: u16,
    pub(crate) lines: Lines<'s>,
    pub(crate) body: Bytes,
    pub(crate) length: Length,
}

#[derive(Debug)]
pub(crate) enum Lines<'s> {
    Stored(&'s Stored),
    /// The fields that a 304 has.
    NotModified(&'s Stored),
    /// As stored, with their HTTP/1 lines.
    Made(&'s Fields, &'s Bytes),
    Own(Fields),
}

impl<'s> CachedResponse<'s> {
    /// What a request gets of a stored response. `coder`: the cache, if the body may be sent in another coding.
    pub(crate) fn of(stored: &'s Arc<Stored>, request: &Request, key: &[u8], coder: Option<&Cache>) -> Self {
        // Conditions and ranges are about a representation, which other statuses do not carry.
        if stored.status != 200 {
            return whole(stored);
        }
        let range = request.fields.find(b"range").filter(|_| request.method == b"GET");
        let coder = coder.filter(|_| range.is_none() && !is_not_to_be_transformed(&request.fields));
        let coding = coder.and_then(|cache| coding(cache, key, request, stored));
        // Weak, the tag of what is sent matches nothing (RFC 9110, section 13.1.1).
        let is_weak = coding.is_some() && request.fields.find(b"if-match").is_some();
        let weakened = is_weak.then(|| Validators {
            etag: stored.validators.etag.as_deref().map(|etag| weak(etag).into()),
            ..stored.validators.clone()
        });
        let validators = weakened.as_ref().unwrap_or(&stored.validators);
        match precondition(request, validators, stored.freshness.received) {
            Verdict::NotModified => not_modified(stored, coding.is_some()),
            Verdict::Failed => failed(stored, 412, None),
            Verdict::Proceed => match (range, coding) {
                (Some(range), _) if if_range(request, &stored.validators) => part(stored, range),
                (_, Some((coding, body))) => coded(stored, coding, body),
                _ => whole(stored),
            },
        }
    }

    /// Copies it into a response whose head can be changed.
    pub(crate) fn response(&self) -> Response {
        let mut fields = match &self.lines {
            Lines::Stored(stored) => stored.fields.clone(),
            Lines::NotModified(stored) => {
                let mut fields = Fields::default();
                let of_304 = stored.fields.iter().filter(|field| is_of_304(field.name));
                of_304.for_each(|field| fields.push(field.name, field.value));
                fields
            }
            Lines::Made(fields, _) => (*fields).clone(),
            Lines::Own(fields) => fields.clone(),
        };
        let has_none = matches!(self.status, 204 | 304);
        let length = if has_none { Length::None } else { self.length };
        if let Length::Exact(length) = length {
            fields.push(b"content-length", length.to_string().as_bytes());
        }
        Response { status: self.status, minor: 1, length, fields }
    }

    /// Writes the head, and returns the body's framing.
    pub(crate) fn write_h1(&self, out: &mut Vec<u8>, more: &Fields, to: ToClient) -> Length {
        status_line(out, self.status);
        match &self.lines {
            Lines::Stored(stored) => out.extend_from_slice(&stored.lines),
            Lines::NotModified(stored) => out.extend_from_slice(stored.lines_of_304()),
            Lines::Made(_, lines) => out.extend_from_slice(lines),
            Lines::Own(fields) => fields.iter().for_each(|field| line(out, field.name, field.value)),
        }
        more.iter().for_each(|field| line(out, field.name, field.value));
        if to.via {
            line(out, b"via", VIA);
        }
        if let Length::Exact(length) = self.length
            && self.status != 204
        {
            line(out, b"content-length", digits(length, &mut [0; 20]));
        }
        connection(out, to);
        out.extend_from_slice(b"\r\n");
        let has_none = to.head || matches!(self.status, 204 | 304);
        if has_none { Length::None } else { self.length }
    }

    pub(crate) fn to_h2(&self, more: &Fields, via: bool, now: Instant) -> http::Response<()> {
        let mut head = http::Response::new(());
        *head.status_mut() = http::StatusCode::from_u16(self.status).unwrap_or(http::StatusCode::BAD_GATEWAY);
        let map: &mut HeaderMap = head.headers_mut();
        let (fields, is_304) = match &self.lines {
            Lines::Stored(stored) => (&stored.fields, false),
            Lines::NotModified(stored) => (&stored.fields, true),
            Lines::Made(fields, _) => (*fields, false),
            Lines::Own(fields) => (fields, false),
        };
        let fields = fields.iter().filter(|field| !is_304 || is_of_304(field.name));
        fields.chain(more.iter()).for_each(|field| append(map, field.name, field.value));
        if via {
            append(map, b"via", VIA);
        }
        if let Length::Exact(length) = self.length
            && self.status != 204
        {
            append(map, b"content-length", digits(length, &mut [0; 20]));
        }
        date_if_none(map, now);
        head
    }
}

fn whole(stored: &Stored) -> CachedResponse<'_> {
    let length = Length::Exact(stored.body.len() as u64);
    CachedResponse { status: stored.status, lines: Lines::Stored(stored), body: stored.body.clone(), length }
}

fn not_modified(stored: &Stored, is_coded: bool) -> CachedResponse<'_> {
    let lines = match stored.validators.etag.as_deref().filter(|_| is_coded) {
        // The bytes differ, the meaning does not (RFC 9110, section 8.8.1).
        Some(etag) if !etag.starts_with(b"W/") => {
            let mut fields = Fields::default();
            for field in stored.fields.iter().filter(|field| is_of_304(field.name)) {
                match is(field.name, b"etag") {
                    true => fields.push(field.name, &weak(field.value)),
                    false => fields.push(field.name, field.value),
                }
            }
            Lines::Own(fields)
        }
        _ => Lines::NotModified(stored),
    };
    CachedResponse { status: 304, lines, body: Bytes::new(), length: Length::None }
}

/// 412 or 416, with no field of the page but `Date`, which the age counts from: with its lifetime, caches in front would
/// keep the refusal of one client as everybody's page.
fn failed<'s>(stored: &Stored, status: u16, range: Option<String>) -> CachedResponse<'s> {
    let mut fields = Fields::default();
    if let Some(date) = stored.fields.get(Name::Date) {
        fields.push(b"date", date);
    }
    if let Some(range) = range {
        fields.push(b"content-range", range.as_bytes());
    }
    CachedResponse { status, lines: Lines::Own(fields), body: Bytes::new(), length: Length::Exact(0) }
}

/// A coding that the client accepts and that the body already exists in.
fn coding(cache: &Cache, key: &[u8], request: &Request, stored: &Arc<Stored>) -> Option<(Coding, Bytes)> {
    if stored.body.len() < SHORTEST {
        return None;
    }
    let accepted = Accepted::of(joined(&request.fields, b"accept-encoding").as_deref());
    let made = |coding: Coding| stored.in_coding(coding).map(|body| (coding, body.clone()));
    let best = accepted.shortest_by_weight().next()?;
    made(best).or_else(|| {
        if !stored.is_coded(best) {
            cache.compress(key, stored, best);
        }
        accepted.shortest_by_weight().find_map(made)
    })
}

fn coded<'s>(stored: &'s Stored, coding: Coding, body: Bytes) -> CachedResponse<'s> {
    let mut fields = Fields::default();
    for field in stored.fields.iter() {
        match is(field.name, b"etag") {
            // The bytes differ, the meaning does not (RFC 9110, section 8.8.1).
            true => fields.push(field.name, &weak(field.value)),
            // A coded body is not served in parts.
            false if is(field.name, b"accept-ranges") => (),
            false => fields.push(field.name, field.value),
        }
    }
    fields.push(b"content-encoding", coding.into_str().as_bytes());
    let length = Length::Exact(body.len() as u64);
    CachedResponse { status: stored.status, lines: Lines::Own(fields), body, length }
}

fn part<'s>(stored: &'s Stored, header: &[u8]) -> CachedResponse<'s> {
    let length = stored.body.len() as u64;
    let (body, range, kind) = match ranges(header, length) {
        Ranges::Whole => return whole(stored),
        Ranges::Unsatisfiable => return failed(stored, 416, Some(format!("bytes */{length}"))),
        Ranges::Some(parts) => match parts.as_slice() {
            [one] => {
                let told = format!("bytes {}-{}/{length}", one.start, one.end.saturating_sub(1));
                (slice(&stored.body, one), Some(told), None)
            }
            several => {
                let kind = stored.fields.find(b"content-type");
                let boundary = format!("{:032x}", fastrand::u128(..));
                let framed = multipart(several, length, kind, &boundary);
                let body = in_parts(&framed, several, &stored.body);
                (body, None, Some(format!("multipart/byteranges; boundary={boundary}")))
            }
        },
    };
    let mut fields = Fields::default();
    for field in stored.fields.iter() {
        if kind.is_none() || !is(field.name, b"content-type") {
            fields.push(field.name, field.value);
        }
    }
    if let Some(range) = range {
        fields.push(b"content-range", range.as_bytes());
    }
    if let Some(kind) = kind {
        fields.push(b"content-type", kind.as_bytes());
    }
    let length = Length::Exact(body.len() as u64);
    CachedResponse { status: 206, lines: Lines::Own(fields), body, length }
}

/// The body of an answer with several parts of this one.
pub(crate) fn in_parts(framed: &Multipart, parts: &[Range<u64>], body: &Bytes) -> Bytes {
    let mut all = Vec::new();
    for (head, part) in framed.heads.iter().zip(parts) {
        all.extend_from_slice(head);
        all.extend_from_slice(&slice(body, part));
    }
    all.extend_from_slice(&framed.tail);
    all.into()
}

pub(crate) fn slice(body: &Bytes, range: &Range<u64>) -> Bytes {
    let at = |byte: u64| usize::try_from(byte).unwrap_or(usize::MAX).min(body.len());
    body.slice(at(range.start)..at(range.end))
}
