//! The display of a response: status, headers and body of a hostile server cannot write to the terminal.
#![no_main]

use std::time::Instant;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Version};
use libfuzzer_sys::fuzz_target;
use unladen_load::{Digest, Exchange, Sample};

type Input<'a> = (u16, u64, Vec<(&'a [u8], &'a [u8])>, &'a [u8]);

fuzz_target!(|input: Input<'_>| {
    let (status, more, given, body) = input;
    let Ok(status) = StatusCode::from_u16(status) else { return };
    let mut headers = HeaderMap::new();
    for (name, value) in given.into_iter().take(64) {
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name), HeaderValue::from_bytes(value)) {
            headers.append(name, value);
        }
    }
    let now = Instant::now();
    let body = &body[..body.len().min(4096)];
    let sample = Sample {
        request: "GET http://127.0.0.1/".into(),
        exchange: Exchange {
            planned: now,
            sent: now,
            first_byte: now,
            done: now,
            status: status.as_u16(),
            body_bytes: (body.len() as u64).saturating_add(more),
            digest: Digest::of(body),
            connect: None,
            retried: false,
        },
        version: Version::HTTP_11,
        status,
        headers,
        body_start: Bytes::copy_from_slice(body),
    };
    let _ = sample.location();
    let shown = sample.to_string();
    assert!(shown.starts_with("HTTP/1.1 "));
    let hostile = |character: &char| character.is_control() && !matches!(character, '\n' | '\t');
    assert_eq!(shown.chars().find(hostile), None, "{shown:?}");
});
