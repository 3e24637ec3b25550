//! Messages on their way: heads composed and converted, bodies carried from source to sink, and the recipients. This
//! file converts heads between HTTP/2 and the neutral form, and [`write_date`] gives them the time.

pub(crate) mod compose;
pub(crate) mod downstream;
pub(crate) mod error_page;
pub(crate) mod spool;
pub(crate) mod stream;

use std::cell::RefCell;
use std::time::{Duration, Instant};

use http::{HeaderMap, HeaderName, HeaderValue};
use unladen_http1::{Fault, Fields, HeadLimits, Name, Request, Response};

fn push_all(fields: &mut Fields, map: &HeaderMap) {
    // HTTP/2 splits cookies to compress well; HTTP/1 has one line (RFC 9113, section 8.2.3).
    let mut cookies = map.get_all(http::header::COOKIE).iter();
    if let Some(first) = cookies.next() {
        let mut cookie = first.as_bytes().to_vec();
        for more in cookies {
            cookie.extend_from_slice(b"; ");
            cookie.extend_from_slice(more.as_bytes());
        }
        fields.push(b"cookie", &cookie);
    }
    for (name, value) in map {
        if name != http::header::COOKIE && name != http::header::HOST {
            fields.push(name.as_str().as_bytes(), value.as_bytes().trim_ascii());
        }
    }
}

/// Fields for an HTTP/2 head, without hop-by-hop ones.
pub(crate) fn fields_to_h2(fields: &Fields) -> HeaderMap {
    let mut map = HeaderMap::with_capacity(fields.len());
    for field in fields.iter().filter(|field| !field.id.is_hop_by_hop()) {
        append(&mut map, field.name, field.value);
    }
    map
}

/// Adds a field that was validated when it was read.
pub(crate) fn append(map: &mut HeaderMap, name: &[u8], value: &[u8]) {
    if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name), HeaderValue::from_bytes(value)) {
        map.append(name, value);
    }
}

/// Converts a request (RFC 9113, section 8.3.1). `ends`: it has no body.
pub(crate) fn request_from_h2(
    request: &mut Request,
    head: &http::request::Parts,
    ends: bool,
    limits: &HeadLimits,
) -> Result<(), Fault> {
    request.method.clear();
    request.method.extend_from_slice(head.method.as_str().as_bytes());
    request.target.clear();
    let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
    request.target.extend_from_slice(target.as_bytes());
    request.authority.clear();
    let mut hosts = head.headers.get_all(http::header::HOST).iter();
    let host = hosts.next().map(HeaderValue::as_bytes);
    let authority = head.uri.authority().map(|authority| authority.as_str().as_bytes());
    match (authority, host) {
        // One of the two is enough; if both are there they must agree (RFC 9113, section 8.3.1).
        (Some(authority), Some(host)) if !authority.eq_ignore_ascii_case(host) => return Err(Fault::Host),
        (Some(named), _) | (None, Some(named)) => request.authority.extend_from_slice(named),
        (None, None) => (),
    }
    if hosts.next().is_some() {
        return Err(Fault::Host);
    }
    request.fields.clear();
    push_all(&mut request.fields, &head.headers);
    if request.fields.len() > limits.fields {
        return Err(Fault::TooManyFields);
    }
    request.settle(ends)
}

/// Converts a response to a request of this method, final or interim. `ends`: it has no body.
pub(crate) fn response_from_h2(
    response: &mut Response,
    status: http::StatusCode,
    headers: &HeaderMap,
    to_method: &[u8],
    ends: bool,
) -> Result<(), Fault> {
    response.status = status.as_u16();
    response.fields.clear();
    push_all(&mut response.fields, headers);
    response.settle(to_method, ends)
}

pub(crate) fn trailers_from_h2(headers: &HeaderMap) -> Result<Fields, Fault> {
    let mut fields = Fields::default();
    push_all(&mut fields, headers);
    fields.settle_trailers()?;
    Ok(fields)
}

thread_local! {
    static DATE: RefCell<(Option<Instant>, String)> = const { RefCell::new((None, String::new())) };
}

/// Appends the time of day in HTTP's form (RFC 9110, section 5.6.7), formatted anew every half second in each thread:
/// `Sun, 06 Nov 1994 08:49:37 GMT`.
pub(crate) fn write_date(out: &mut Vec<u8>, now: Instant) {
    DATE.with(|date| {
        let (written, text) = &mut *date.borrow_mut();
        if written.is_none_or(|written| now.saturating_duration_since(written) >= Duration::from_millis(500)) {
            *text = http_date();
            *written = Some(now);
        }
        out.extend_from_slice(text.as_bytes());
    });
}

/// Adds the time of day to fields without a `Date`.
pub(crate) fn add_date(fields: &mut Fields) {
    if fields.get(Name::Date).is_none() {
        let mut date = Vec::with_capacity(32);
        write_date(&mut date, Instant::now());
        fields.push(b"date", &date);
    }
}

fn http_date() -> String {
    #[allow(clippy::disallowed_types, reason = "the Date field is wall time")]
    let now = std::time::SystemTime::now();
    httpdate::fmt_http_date(now)
}
