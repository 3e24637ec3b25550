//! Variants and keys: two messages, apart by an empty line, each of fields a line; and cookies that are ignored.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_cache::{CookiePattern, Nominated, Policy, write_key};
use unladen_http1::{Fields, Request};

const NAMES: [&[u8]; 4] = [b"Cookie", b"Accept-Encoding", b"Accept-Language", b"Foo"];

fn read(bytes: &[u8]) -> Request {
    let mut lines = bytes.split(|byte| *byte == b'\n').take(128);
    let target = lines.next().unwrap_or_default().to_vec();
    let mut fields = Fields::default();
    for line in lines {
        if let [name, value @ ..] = line {
            fields.push(NAMES[usize::from(*name) % NAMES.len()], value);
        }
    }
    Request { method: b"GET".to_vec(), target, fields, ..Request::default() }
}

fuzz_target!(|bytes: &[u8]| {
    let middle = bytes.windows(2).position(|pair| pair == b"\n\n").unwrap_or(bytes.len());
    let (one, other) = (read(&bytes[..middle]), read(bytes.get(middle + 2..).unwrap_or_default()));
    let mut vary = Fields::default();
    vary.push(b"Vary", b"cookie, accept-encoding, accept-language, foo");
    let nominated = Nominated::of(&vary).expect("names");
    let policy = Policy { ignore_cookies: vec![CookiePattern("_*".to_owned())], ..Policy::default() };

    let variant = |request: &Request| {
        let mut out = Vec::new();
        nominated.write_variant(request, &policy, &mut out);
        assert!((1..=1024).contains(&out.len()));
        out
    };
    let key = |request: &Request| {
        let mut out = Vec::new();
        write_key(request, true, &policy, &mut out);
        out
    };
    assert_eq!(one.target == other.target, key(&one) == key(&other));
    if variant(&one) == variant(&other) {
        assert_eq!(policy.has_cookies(&one.fields), policy.has_cookies(&other.fields));
        assert_eq!(one.fields.find(b"foo").is_some(), other.fields.find(b"foo").is_some());
    }

    // what is left of the cookies tells apart as much as all of them
    let mut stripped = one.clone();
    match policy.cookies_left(&one.fields) {
        Some(left) => stripped.fields.set(b"Cookie", &left),
        None => stripped.fields.retain(|field| !field.name.eq_ignore_ascii_case(b"cookie")),
    }
    assert_eq!(variant(&one), variant(&stripped));
});
