//! Heads of requests: refused or taken alike whatever part of them has come, and what is taken is taken again as it is
//! written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_http1::HeadLimits;

#[allow(dead_code, reason = "shared with the crate's own tests")]
#[path = "../../crates/unladen-http1/tests/http1/support.rs"]
mod support;

fuzz_target!(|input: (u8, u8, &[u8])| {
    let (start, fields, rest) = input;
    // most of what there is to find comes after a first line that is one
    let start: &[u8] = match start % 4 {
        0 => b"",
        1 => b"GET / HTTP/1.1\r\nHost: a\r\n",
        2 => b"POST http://b:1/?x HTTP/1.1\r\nHost: a\r\nContent-Length: ",
        _ => b"OPTIONS * HTTP/1.0\r\nConnection: ",
    };
    let bytes = [start, rest].concat();
    for limits in [HeadLimits::default(), HeadLimits { bytes: 256, fields: usize::from(fields) % 8 }] {
        if let Ok(Some((length, request))) = support::request_within(&bytes, &limits) {
            assert!(length <= limits.bytes);
            support::check_request_again(&request, &limits);
        }
    }
});
