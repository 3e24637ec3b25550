//! Whether a request names this machine ([`is_local`]), and the parts of an answer.

use std::net::{IpAddr, Ipv6Addr};

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};

/// Whether the authority (of `Host`, or of the target) is a loopback name or address, with or without a port.
///
/// A browser sends the name that it looked up. Its owner may point any name to 127.0.0.1 (DNS rebinding), but not
/// these: `localhost` and names below it lead nowhere else (RFC 6761, section 6.3).
pub fn is_local(authority: &str) -> bool {
    if let Some(rest) = authority.strip_prefix('[') {
        let Some((address, port)) = rest.split_once(']') else { return false };
        let is_port = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
        return is_port && address.parse::<Ipv6Addr>().is_ok_and(|address| is_loopback(address.into()));
    }
    let (host, port) = authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port)));
    if !port.is_none_or(is_port) {
        return false;
    }
    if let Ok(address) = host.parse::<IpAddr>() {
        return is_loopback(address);
    }
    let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    host == "localhost" || host.strip_suffix(".localhost").is_some_and(|name| !name.is_empty())
}

fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

fn is_port(port: &str) -> bool {
    !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) && port.parse::<u16>().is_ok()
}

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
