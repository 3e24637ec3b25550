//! Heads between HTTP/2 and the neutral form.

use http::{HeaderMap, HeaderName, HeaderValue};
use unladen_http1::{Fault, Fields, Length, Name, Request, Response};

/// The fields of a head of HTTP/2.
pub(crate) fn fields_from_h2(map: &HeaderMap) -> Fields {
    let mut fields = Fields::default();
    push_all(&mut fields, map);
    fields
}

fn push_all(fields: &mut Fields, map: &HeaderMap) {
    // Split so that they compress well; HTTP/1 knows one line (RFC 9113, section 8.2.3).
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

/// The fields for a head of HTTP/2, but for those of one connection alone.
pub(crate) fn fields_to_h2(fields: &Fields) -> HeaderMap {
    let mut map = HeaderMap::with_capacity(fields.len());
    for field in fields.iter().filter(|field| !field.id.is_hop_by_hop()) {
        append(&mut map, field.name, field.value);
    }
    map
}

/// Adds a field that was checked when it was read.
pub(crate) fn append(map: &mut HeaderMap, name: &[u8], value: &[u8]) {
    if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name), HeaderValue::from_bytes(value)) {
        map.append(name, value);
    }
}

/// A request that came by HTTP/2 (RFC 9113, section 8.3.1). `ends`: it has no body.
pub(crate) fn request_from_h2(request: &mut Request, head: &http::request::Parts, ends: bool) -> Result<(), Fault> {
    if head.method == http::Method::CONNECT {
        return Err(Fault::Method);
    }
    request.method.clear();
    request.method.extend_from_slice(head.method.as_str().as_bytes());
    request.target.clear();
    let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
    request.target.extend_from_slice(target.as_bytes());
    let is_asterisk = target == "*" && head.method == http::Method::OPTIONS;
    if !is_asterisk && !target.starts_with('/') {
        return Err(Fault::Target);
    }
    request.authority.clear();
    let mut hosts = head.headers.get_all(http::header::HOST).iter();
    let host = hosts.next().map(HeaderValue::as_bytes);
    let authority = head.uri.authority().map(|authority| authority.as_str().as_bytes());
    match (authority, host) {
        // One of the two is enough; if both are there they must agree (RFC 9113, section 8.3.1).
        (Some(authority), Some(host)) if !authority.eq_ignore_ascii_case(host) => return Err(Fault::Host),
        (Some(named), _) | (None, Some(named)) => request.authority.extend_from_slice(named),
        (None, None) => return Err(Fault::Host),
    }
    if hosts.next().is_some() || request.authority.contains(&b'@') {
        return Err(Fault::Host);
    }
    request.minor = 1;
    request.fields.clear();
    push_all(&mut request.fields, &head.headers);
    let forbidden = [Name::Connection, Name::TransferEncoding, Name::KeepAlive, Name::ProxyConnection, Name::Upgrade];
    if request.fields.iter().any(|field| forbidden.contains(&field.id)) {
        return Err(Fault::Field);
    }
    request.length = length(&request.fields, ends)?;
    Ok(())
}

/// A response that came by HTTP/2. `ends`: it has no body.
pub(crate) fn response_from_h2(response: &mut Response, head: &http::response::Parts, ends: bool) -> Result<(), Fault> {
    response.status = head.status.as_u16();
    response.minor = 1;
    response.fields.clear();
    push_all(&mut response.fields, &head.headers);
    response.length = if ends { Length::None } else { length(&response.fields, ends)? };
    Ok(())
}

/// The peer's library has checked that a body is as long as its Content-Length says.
fn length(fields: &Fields, ends: bool) -> Result<Length, Fault> {
    let mut lengths = fields.iter().filter(|field| field.id == Name::ContentLength);
    match lengths.next() {
        None if ends => Ok(Length::None),
        None => Ok(Length::Chunked),
        Some(field) => {
            let digits = field.value;
            let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
            let number = std::str::from_utf8(digits).ok().filter(|_| is_number).and_then(|text| text.parse().ok());
            if lengths.next().is_some() {
                Err(Fault::ContentLength)
            } else {
                number.map(Length::Exact).ok_or(Fault::ContentLength)
            }
        }
    }
}
