//! Conditions of requests, a line each, against a tag, which is the first line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_cache::{Time, Validators, Verdict, if_range, make_conditional, precondition};
use unladen_http1::{Fields, Request};

const NAMES: [&[u8]; 5] = [b"If-Match", b"If-None-Match", b"If-Modified-Since", b"If-Unmodified-Since", b"If-Range"];
const NOW: Time = Time(1_700_000_000_000);

fuzz_target!(|bytes: &[u8]| {
    let mut lines = bytes.split(|byte| *byte == b'\n').take(128);
    let mut fields = Fields::default();
    fields.push(b"ETag", lines.next().unwrap_or_default());
    fields.push(b"Last-Modified", b"Sun, 06 Nov 1994 08:49:37 GMT");
    let validators = Validators::of(&fields);
    let mut request = Request { method: b"GET".to_vec(), ..Request::default() };
    for line in lines {
        if let [name, value @ ..] = line {
            request.fields.push(NAMES[usize::from(*name) % NAMES.len()], value);
        }
    }
    let _ = if_range(&request, &validators);
    let verdict = precondition(&request, &validators, NOW);
    let has = |name: &[u8]| request.fields.find(name).is_some();
    assert!(verdict != Verdict::Failed || has(b"if-match") || has(b"if-unmodified-since"));
    assert!(verdict != Verdict::NotModified || has(b"if-none-match") || has(b"if-modified-since"));
    request.method = b"POST".to_vec();
    assert!(precondition(&request, &validators, NOW) != Verdict::NotModified);

    // what asks about a response has no condition of the client's, and does not fail
    make_conditional(&mut request.fields, &validators);
    assert!(request.fields.find(b"if-match").is_none() && request.fields.find(b"if-range").is_none());
    request.method = b"GET".to_vec();
    assert_ne!(precondition(&request, &validators, NOW), Verdict::Failed);
});
