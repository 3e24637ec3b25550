//! Hosts and targets of requests, a `Host` in the first line and a target in the second, by which what is kept is
//! found: the application is told what is in the key, and no more of the query than that.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_cache::{CookiePattern, Policy, normalise_host, write_key};
use unladen_http1::{HeadLimits, Request};

fuzz_target!(|input: (bool, &[u8])| {
    let (is_https, bytes) = input;
    let (host, target) = bytes.split_at(bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len()));
    let target = target.get(1..).unwrap_or_default();
    let head = [b"GET /", target, b" HTTP/1.1\r\nHost: ", host, b"\r\n\r\n"].concat();
    let mut request = Request::default();
    let Ok(Some(length)) = request.parse(&head, &HeadLimits::default()) else { return };
    if length != head.len() {
        return;
    }
    let policy = Policy {
        ignore_query: ["utm_*", "fbclid"].map(|name| CookiePattern(name.to_owned())).to_vec(),
        ..Policy::default()
    };
    let key = |request: &Request| {
        let mut out = Vec::new();
        write_key(request, is_https, &policy, &mut out);
        out
    };

    // Whoever spells it in another way has the same key, and the application is told the same.
    let before = key(&request);
    let mut told = request.clone();
    normalise_host(&mut told.authority, is_https);
    assert_eq!(key(&told), before, "{:?}", String::from_utf8_lossy(&request.authority));
    let mut again = told.authority.clone();
    normalise_host(&mut again, is_https);
    assert_eq!(again, told.authority);
    let scheme: &[u8] = if is_https { b"https://" } else { b"http://" };
    let left = policy.target_left(&request.target).into_owned();
    assert_eq!(before, [scheme, &told.authority, &left].concat());

    // What is left is left again, is no longer, has the same path, and none of what is ignored.
    assert_eq!(policy.target_left(&left), left);
    let path = |target: &[u8]| target.split(|byte| *byte == b'?').next().unwrap_or_default().to_vec();
    assert!(left.len() <= request.target.len() && path(&left) == path(&request.target));
    let query = left.get(path(&left).len()..).unwrap_or_default();
    for parameter in query.split(|byte| b"?&;".contains(byte)) {
        let is_odd = query.iter().filter(|byte| **byte == b'?').count() > 1;
        assert!(is_odd || !(parameter.starts_with(b"utm_") || parameter.starts_with(b"fbclid=")));
    }
});
