//! [`is_ordinary`]: whether a cache would send such a request itself; [`is_usual`]: whether it has nothing that others
//! lack.

use unladen_http1::{Name, Request};

/// Bytes of all fields with separators: half of what nginx and Apache allow a single one. Browsers send some hundred
/// bytes, and cookies.
const LARGEST: usize = 4096;
/// Number of fields: browsers send some twenty.
const MOST: usize = 48;
/// Fields that a cacheable GET does not need, and for which servers have errors of their own.
const ODD: [&[u8]; 6] = [b"expect", b"max-forwards", b"range", b"trailer", b"transfer-encoding", b"upgrade"];

/// Fields that browsers, crawlers and caches send with each request, and that proxies add, sorted.
const USUAL: [&[u8]; 38] = [
    b"accept",
    b"accept-encoding",
    b"accept-language",
    b"cache-control",
    b"connection",
    b"content-length",
    b"cookie",
    b"dnt",
    b"forwarded",
    b"from",
    b"host",
    b"if-match",
    b"if-modified-since",
    b"if-none-match",
    b"if-range",
    b"if-unmodified-since",
    b"keep-alive",
    b"pragma",
    b"priority",
    b"proxy-connection",
    b"purpose",
    b"referer",
    b"save-data",
    b"sec-gpc",
    b"sec-purpose",
    b"te",
    b"traceparent",
    b"tracestate",
    b"upgrade-insecure-requests",
    b"user-agent",
    b"via",
    b"x-amzn-trace-id",
    b"x-cloud-trace-context",
    b"x-forwarded-for",
    b"x-forwarded-host",
    b"x-forwarded-proto",
    b"x-geoip-country",
    b"x-request-id",
];
const LONGEST_USUAL: usize = b"upgrade-insecure-requests".len();
/// Prefixes of further ones: client hints, and the request's origin.
const USUAL_BEGINNINGS: [&[u8]; 2] = [b"sec-ch-", b"sec-fetch-"];

/// Whether a request has only usual fields, and accepts any kind of answer. To further fields an application may answer
/// with an error or a redirect, and they are not in the key; nor is a kind of page that only programs ask for.
pub fn is_usual(request: &Request) -> bool {
    request.fields.iter().all(|field| {
        if field.name.eq_ignore_ascii_case(b"accept") {
            return field.value.windows(3).any(|kind| kind == b"*/*");
        }
        // On the stack: this runs for each request that goes to the application.
        let mut lower = [0_u8; LONGEST_USUAL];
        let is_known = match lower.get_mut(..field.name.len()) {
            Some(lower) => {
                lower.copy_from_slice(field.name);
                lower.make_ascii_lowercase();
                USUAL.binary_search(&&*lower).is_ok()
            }
            None => false,
        };
        is_known || USUAL_BEGINNINGS.iter().any(|start| begins(field.name, start))
    })
}

/// Whether a cache would send such a request itself: small, plain, and without what servers answer with their own
/// errors. An error for another request does not predict the next answer: an 8 KiB field, a control character or a byte
/// beyond ASCII are refused by some servers, and are not in any key.
pub fn is_ordinary(request: &Request) -> bool {
    let mut bytes = 0_usize;
    let mut count = 0;
    for field in request.fields.iter() {
        bytes = bytes.saturating_add(field.name.len() + field.value.len() + 4);
        count += 1;
        let is_framing = field.id == Name::ContentLength && field.value != b"0";
        let is_odd = is_framing
            || begins(field.name, b"content-") && field.id != Name::ContentLength
            || ODD.iter().any(|odd| field.name.eq_ignore_ascii_case(odd))
            || !all(field.name, |byte| byte.is_ascii_alphanumeric() || byte == b'-')
            || !all(field.value, |byte| matches!(byte, b' '..=b'~'));
        if is_odd || bytes > LARGEST || count > MOST {
            return false;
        }
    }
    true
}

/// Without early exit: sixteen bytes at a time.
fn all(bytes: &[u8], is_one: impl Fn(u8) -> bool) -> bool {
    bytes.iter().fold(true, |all, byte| all & is_one(*byte))
}

fn begins(name: &[u8], start: &[u8]) -> bool {
    name.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start))
}

#[cfg(test)]
mod tests;
