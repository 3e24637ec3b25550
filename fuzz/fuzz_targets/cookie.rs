//! Cookies, one a line: what is taken can be told apart again on the other side.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_load::Request;

fuzz_target!(|text: &str| {
    let mut builder = Request::get("http://127.0.0.1/").expect("a URL");
    for cookie in text.split('\n').take(8) {
        match builder.clone().cookie(cookie) {
            Ok(with_cookie) => {
                assert!(!cookie.contains([';', '\r', '\n', '\0']), "{cookie:?}");
                assert!(cookie.find('=').is_some_and(|at| at > 0), "{cookie:?}");
                builder = with_cookie;
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    builder.build().expect("each cookie was checked when it was added");
});
