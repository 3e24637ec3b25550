use super::*;
use crate::testing::{NOW, fields, get, lines_of, patterns, policy, response, seconds};

fn why(request: &[&str], status: u16, lines: &[&str]) -> Option<NoStore> {
    storable(&get("/", request), &response(status, lines), &policy(), false, NOW, NOW).err()
}

const FRESH: &str = "Cache-Control: max-age=60";

// RFC 9111, section 3
#[test]
fn what_is_not_stored_and_why() {
    type Case = (&'static [&'static str], u16, &'static [&'static str], Option<NoStore>);
    let table: [Case; 30] = [
        (&[], 200, &[FRESH], None),
        (&["Cache-Control: no-store"], 200, &[FRESH], Some(NoStore::RequestNoStore)),
        (&[], 206, &[FRESH], Some(NoStore::Status)),
        (&[], 304, &[FRESH], Some(NoStore::Status)),
        (&[], 103, &[FRESH], Some(NoStore::Status)),
        (&[], 416, &[FRESH], Some(NoStore::Status)),
        (&[], 431, &[FRESH], Some(NoStore::Status)),
        (&[], 599, &[FRESH], None),
        (&[], 599, &[FRESH, "Cache-Control: must-understand"], Some(NoStore::Status)),
        (&[], 200, &[FRESH, "Cache-Control: must-understand, no-store"], None),
        (&[], 200, &[FRESH, "Cache-Control: no-store"], Some(NoStore::NoStore)),
        (&[], 200, &[FRESH, "Cache-Control: private"], Some(NoStore::Private)),
        (&[], 200, &[FRESH, "Cache-Control: private=\"a\""], None),
        (&["Authorization: x"], 200, &[FRESH], Some(NoStore::Authorization)),
        (&["Authorization: x"], 200, &[FRESH, "Cache-Control: proxy-revalidate"], Some(NoStore::Authorization)),
        (&["Authorization: x"], 200, &[FRESH, "Cache-Control: public"], None),
        (&["Authorization: x"], 200, &[FRESH, "Cache-Control: must-revalidate"], None),
        (&["Authorization: x"], 200, &["Cache-Control: s-maxage=60"], None),
        (&[], 200, &[FRESH, "Set-Cookie: a=b"], Some(NoStore::SetCookie)),
        (&[], 200, &[FRESH, "Set-Cookie: a=b", "Cache-Control: no-cache=\"Set-Cookie\""], None),
        (&[], 200, &[FRESH, "Vary: a, *"], Some(NoStore::VaryAll)),
        (&[], 200, &[FRESH, "Vary: a b"], Some(NoStore::VaryAll)),
        (&[], 200, &[], Some(NoStore::NoLifetime)),
        (&[], 200, &["ETag: \"a\""], None),
        (&[], 502, &["ETag: \"a\""], Some(NoStore::NoLifetime)),
        (&[], 200, &["Cache-Control: max-age=0"], Some(NoStore::NoLifetime)),
        (&[], 200, &["Cache-Control: max-age=60, no-cache"], Some(NoStore::NoLifetime)),
        (&[], 200, &["Cache-Control: max-age=0, stale-if-error=5"], None),
        (&["Cookie: a=b"], 200, &["ETag: \"a\""], Some(NoStore::Cookies)),
        (&["Cookie: a=b"], 200, &[FRESH], None),
    ];
    for (request, status, lines, expected) in table {
        assert_eq!(why(request, status, lines), expected, "{request:?} {status} {lines:?}");
    }
}

#[test]
fn methods_lengths_validators_and_cookies() {
    let store = |request: &Request, response: &Response, policy: &Policy, validated| {
        storable(request, response, policy, validated, NOW, NOW).map(|freshness| freshness.lifetime)
    };
    let mut request = get("/", &[]);
    request.method = b"POST".to_vec();
    assert_eq!(store(&request, &response(200, &[FRESH]), &policy(), false), Err(NoStore::Method));
    let request = get("/", &["Cookie: _ga=1"]);
    let mut answer = response(200, &[]);
    let ignoring = Policy { ignore_cookies: patterns(&["_ga"]), largest: 10, set_cookie: true, ..policy() };
    assert_eq!(store(&request, &answer, &ignoring, true), Ok(seconds(0)));
    assert_eq!(store(&request, &answer, &ignoring, false), Err(NoStore::NoLifetime));
    assert_eq!(store(&request, &answer, &policy(), true), Err(NoStore::Cookies));
    answer.length = Length::Exact(11);
    assert_eq!(store(&request, &answer, &ignoring, true), Err(NoStore::TooLarge));
    answer = response(200, &[FRESH, "Set-Cookie: a=b"]);
    answer.length = Length::Exact(10);
    assert_eq!(store(&request, &answer, &ignoring, false), Ok(seconds(60)));
}

// RFC 9111, section 3.1
#[test]
fn what_is_kept() {
    let kept = kept(&fields(&[
        "Connection: a, close",
        "A: 1",
        "B: 2",
        "Keep-Alive: x",
        "Transfer-Encoding: chunked",
        "Proxy-Authenticate: x",
        "Proxy-Authentication-Info: x",
        "Proxy-Authorization: x",
        "Proxy-Connection: x",
        "TE: x",
        "Upgrade: x",
        "Age: 5",
        "Content-Length: 5",
        "Set-Cookie: a=b",
        "Cache-Control: no-cache=\"c\"",
        "C: 3",
        "B: 4",
        "Date: x",
    ]));
    assert_eq!(lines_of(&kept), ["B: 2", "Cache-Control: no-cache=\"c\"", "B: 4", "Date: x"]);
}
