//! A request: URL, method and header by line, the rest is the body. What is built keeps host and path of the URL.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_load::Request;

fuzz_target!(|text: &str| {
    let mut parts = text.splitn(4, '\n');
    let url = parts.next().unwrap_or_default();
    let Ok(mut builder) = Request::get(url) else { return };
    if let Some(method) = parts.next() {
        builder = match builder.clone().method(method) {
            Ok(with_method) => with_method,
            Err(_) => builder,
        };
    }
    if let Some(header) = parts.next().and_then(|line| line.parse().ok()) {
        builder = builder.header(header);
    }
    if let Some(body) = parts.next() {
        builder = builder.body(body.to_owned());
    }
    if let Ok(request) = builder.build() {
        assert!(request.url().fragment().is_none());
        assert!(request.url().username().is_empty() && request.url().password().is_none());
        assert_ne!(request.method().as_str(), "CONNECT");
        let again = Request::get(request.url().as_str()).expect("the URL of a request is one");
        assert_eq!(again.build().expect("and makes the same request").url(), request.url());
    }
});
