//! Answers with common fields: [`response`].

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};

/// The type of plain text.
pub const TEXT: &str = "text/plain; charset=utf-8";
/// The type of JSON.
pub const JSON: &str = "application/json";
/// The type of pages.
pub const HTML: &str = "text/html; charset=utf-8";

/// An answer that is not stored, and that no other page can read.
pub fn response(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    let always = [
        (CONTENT_TYPE.as_str(), kind),
        (CACHE_CONTROL.as_str(), "no-store"),
        ("x-content-type-options", "nosniff"),
        ("cross-origin-resource-policy", "same-origin"),
        ("referrer-policy", "no-referrer"),
    ];
    with(response, &always)
}

/// 405, with the allowed methods.
pub fn not_allowed(allow: &'static str, text: &'static str) -> Response<Full<Bytes>> {
    with(response(StatusCode::METHOD_NOT_ALLOWED, TEXT, text), &[(ALLOW.as_str(), allow)])
}

/// Adds fields; a field with an invalid value is left out.
pub fn with(mut response: Response<Full<Bytes>>, fields: &[(&'static str, &str)]) -> Response<Full<Bytes>> {
    for &(name, value) in fields {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}
