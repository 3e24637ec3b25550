//! Heads of responses: refused or taken alike whatever part of them has come, and what is taken is taken again as it is
//! written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_http1::HeadLimits;

#[allow(dead_code, reason = "shared with the crate's own tests")]
#[path = "../../crates/unladen-http1/tests/http1/support.rs"]
mod support;

fuzz_target!(|input: (u8, u8, bool, &[u8])| {
    let (start, fields, is_to_head, rest) = input;
    let start: &[u8] = match start % 4 {
        0 => b"",
        1 => b"HTTP/1.1 200 OK\r\n",
        2 => b"HTTP/1.1 204\r\nContent-Length: ",
        _ => b"HTTP/1.0 304 \r\nConnection: ",
    };
    let bytes = [start, rest].concat();
    let method: &[u8] = if is_to_head { b"HEAD" } else { b"GET" };
    for limits in [HeadLimits::default(), HeadLimits { bytes: 256, fields: usize::from(fields) % 8 }] {
        if let Ok(Some((length, response))) = support::response(&bytes, method, &limits) {
            assert!(length <= limits.bytes);
            support::check_response_again(&response, method, &limits);
        }
    }
});
