//! Messages for tests.

use std::time::Duration;

use proptest::prelude::*;
use unladen_http1::{Fields, Request, Response};

use crate::{Policy, Time};

/// Sun, 06 Nov 1994 08:49:37 GMT
pub(crate) const NOW: Time = Time(784_111_777_000);

pub(crate) const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub(crate) fn later(seconds: i64) -> Time {
    Time(NOW.0 + 1000 * seconds)
}

/// `name: value` a line.
pub(crate) fn fields(lines: &[&str]) -> Fields {
    let mut fields = Fields::default();
    for line in lines {
        let (name, value) = line.split_once(':').expect("a field");
        fields.push(name.as_bytes(), value.trim().as_bytes());
    }
    fields
}

pub(crate) fn lines_of(fields: &Fields) -> Vec<String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    fields.iter().map(|field| format!("{}: {}", text(field.name), text(field.value))).collect()
}

pub(crate) fn get(target: &str, lines: &[&str]) -> Request {
    Request {
        method: b"GET".to_vec(),
        target: target.into(),
        authority: b"example.org".to_vec(),
        fields: fields(lines),
        ..Request::default()
    }
}

pub(crate) fn response(status: u16, lines: &[&str]) -> Response {
    Response { status, fields: fields(lines), ..Response::default() }
}

pub(crate) fn patterns(names: &[&str]) -> Vec<crate::CookiePattern> {
    names.iter().map(|name| crate::CookiePattern((*name).to_owned())).collect()
}

pub(crate) fn policy() -> Policy {
    Policy::default()
}

/// Values that have the shape of what fields hold, and any others.
pub(crate) fn value() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..64),
        "([a-zA-Z0-9=\"\\\\,;*/. \t-]|max-age|no-cache|W/|q=|bytes=|gzip|de-CH){0,24}".prop_map(String::into_bytes),
    ]
}
