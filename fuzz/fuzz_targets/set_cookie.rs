//! `Set-Cookie`: the lines of two answers, apart by an empty line. Whatever an application sets, a user sends cookies
//! that can be told apart again, no more and no longer than browsers, and none to another.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use unladen_load::Request;
use unladen_load::fuzzing::cookies;

static REQUESTS: LazyLock<[Request; 2]> = LazyLock::new(|| {
    ["http://a/shop/cart", "http://a/"].map(|url| Request::get(url).and_then(|get| get.build()).expect("a URL"))
});

fuzz_target!(|bytes: &[u8]| {
    let middle = bytes.windows(2).position(|pair| pair == b"\n\n").unwrap_or(bytes.len());
    let of = |part: &[u8]| part.split(|byte| *byte == b'\n').take(64).map(<[u8]>::to_vec).collect::<Vec<_>>();
    let (first, second) = (of(&bytes[..middle]), of(bytes.get(middle + 2..).unwrap_or_default()));
    let answers = [&first, &second].map(|lines| lines.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let (own, other) = cookies(&*REQUESTS, &answers);
    assert_eq!(other, None);
    for value in own.into_iter().flatten() {
        let text = value.to_str().expect("what came as text");
        let pairs: Vec<&str> = text.split("; ").collect();
        assert!(pairs.len() <= 50, "{text}");
        for pair in pairs {
            assert!(pair.len() <= 4096 && !pair.contains(';') && pair.find('=').is_some_and(|at| at > 0), "{pair:?}");
        }
    }
});
