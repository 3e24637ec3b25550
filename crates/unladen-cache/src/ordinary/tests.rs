use proptest::prelude::*;

use super::*;
use crate::tests::testing::{get, value};

#[test]
fn the_bounds() {
    let with = |bytes: usize| is_ordinary(&get("/", &[&format!("A: {}", "x".repeat(bytes))]));
    assert!(with(LARGEST - 5) && !with(LARGEST - 4));
    let many = |count: usize| is_ordinary(&get("/", &vec!["A: b"; count]));
    assert!(many(MOST) && !many(MOST + 1));
    assert!(is_ordinary(&get("/", &["Content-Length: 0"])) && !is_ordinary(&get("/", &["Content-Length: 1"])));
    assert!(!is_ordinary(&get("/", &["content-range: x"])) && !is_ordinary(&get("/", &["EXPECT: x"])));
}

#[test]
fn what_all_say_is_usual() {
    assert!(USUAL.is_sorted());
    // Of Firefox, and of curl.
    let browser = [
        "User-Agent: Mozilla/5.0",
        "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "Accept-Language: cy,en;q=0.5",
        "Accept-Encoding: gzip, deflate, br, zstd",
        "DNT: 1",
        "Sec-GPC: 1",
        "Connection: keep-alive",
        "Upgrade-Insecure-Requests: 1",
        "Sec-Fetch-Dest: document",
        "sec-ch-ua-platform: Linux",
        "Priority: u=0, i",
        "TE: trailers",
    ];
    assert!(is_usual(&get("/", &browser)) && is_usual(&get("/", &["user-agent: curl/8", "accept: */*"])));
    for field in [
        "X-Odd: 1",
        "Origin: null",
        "X-Requested-With: XMLHttpRequest",
        "Authorization: x",
        "Accept: application/json",
        "sec: 1",
    ] {
        assert!(!is_usual(&get("/", &[field])), "{field}");
    }
}

proptest! {
    #[test]
    fn an_ordinary_request_stays_one_without_a_field(list in proptest::collection::vec(("[a-zA-Z_-]{1,8}", value()), 0..6)) {
        let mut request = get("/", &[]);
        list.iter().for_each(|(name, value)| request.fields.push(name.as_bytes(), value));
        if is_ordinary(&request) {
            let mut fewer = get("/", &[]);
            list.iter().skip(1).for_each(|(name, value)| fewer.fields.push(name.as_bytes(), value));
            prop_assert!(is_ordinary(&fewer));
            prop_assert!(list.iter().all(|(name, value)| !name.contains('_') && value.iter().all(|byte| (b' '..=b'~').contains(byte))));
        }
    }
}
