use proptest::prelude::*;

use super::*;
use crate::tests::testing::{NOW, fields, get, lines_of, patterns, policy, response, seconds};

fn why(request: &[&str], status: u16, lines: &[&str]) -> Option<NoStore> {
    let policy = policy();
    storable(&Asking::of(&get("/", request), &policy, false), &response(status, lines), &policy, NOW, NOW).err()
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
        (&["Cookie: a=b"], 200, &["Cache-Control: s-maxage=60"], None),
    ];
    for (request, status, lines, expected) in table {
        assert_eq!(why(request, status, lines), expected, "{request:?} {status} {lines:?}");
    }
}

#[test]
fn methods_lengths_validators_and_cookies() {
    let store = |request: &Request, response: &Response, policy: &Policy, validated| {
        storable(&Asking::of(request, policy, validated), response, policy, NOW, NOW)
            .map(|freshness| freshness.lifetime)
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

/// `X-Odd: 1` would have had an application's 404 kept for everybody for as long as it said.
#[test]
fn what_one_odd_request_has_brought_about_is_over_before_long() {
    let fresh = "Cache-Control: max-age=86400, stale-if-error=86400, stale-while-revalidate=60";
    let policy = Policy { error_max: seconds(10), statuses: vec![301, 404], ..policy() };
    let of = |request: &[&str], status: u16, lines: &[&str], validated| {
        storable(&Asking::of(&get("/", request), &policy, validated), &response(status, lines), &policy, NOW, NOW)
    };
    for odd in
        [&["X-Odd: 1"][..], &["Accept: application/json"], &["Origin: https://evil.example"], &["Cookie: lang=evil"]]
    {
        for status in [300, 301, 302, 307, 308, 404, 410, 451] {
            let kept = of(odd, status, &[fresh, "CDN-Cache-Control: max-age=86400"], false).unwrap();
            assert_eq!(kept.lifetime, seconds(10), "{odd:?} {status}");
            assert_eq!(
                (kept.stale_if_error, kept.stale_while_revalidate),
                (seconds(0), seconds(0)),
                "{odd:?} {status}"
            );
            assert_eq!(
                of(odd, status, &[fresh, "Vary: Cookie"], true).unwrap_err() == NoStore::OddRequest,
                matches!(status, 301 | 404)
            );
        }
        // A page is what the application says it is.
        assert_eq!(of(odd, 200, &[fresh, "Vary: Cookie"], false).unwrap().lifetime, seconds(86_400));
    }
    for usual in [&[][..], &["User-Agent: x", "Accept: text/html,*/*;q=0.8", "Sec-Fetch-Mode: navigate"]] {
        for status in [301, 404, 410] {
            let kept = of(usual, status, &[fresh], false).unwrap();
            assert_eq!((kept.lifetime, kept.stale_if_error), (seconds(86_400), seconds(86_400)), "{usual:?} {status}");
        }
        assert!(of(usual, 404, &[], true).is_ok());
    }
}

#[test]
fn errors_and_redirects_are_not_kept_under_a_validator() {
    let under = |status: u16, lines: &[&str], statuses: &[u16]| {
        let policy = Policy { statuses: statuses.to_vec(), ..policy() };
        storable(&Asking::of(&get("/", &[]), &policy, true), &response(status, lines), &policy, NOW, NOW).err()
    };
    for lines in [&[][..], &[FRESH], &["ETag: \"a\""], &["Cache-Control: public, s-maxage=60"]] {
        for status in 100..=999 {
            let kept = matches!(status, 200 | 203 | 204);
            assert_eq!(under(status, lines, &[]).is_none(), kept, "{status} {lines:?}");
        }
        for status in [301, 302, 404, 410] {
            assert_eq!(under(status, lines, &[status]), None, "{status} {lines:?}");
        }
        // No setting makes a failure everybody's page.
        for status in 500..=599 {
            assert_eq!(under(status, lines, &[status]), Some(NoStore::Status), "{status} {lines:?}");
        }
    }
}

#[test]
fn errors_without_a_lifetime_of_their_own_are_not_kept() {
    for status in [400, 402, 403, 406, 409, 418, 422, 423, 499, 500, 502, 503, 504, 505, 507, 508, 510, 511, 599] {
        for lines in [
            &[][..],
            &["ETag: \"a\""],
            &["Last-Modified: Sun, 06 Nov 1994 08:00:00 GMT"],
            &["Cache-Control: max-age=0", "ETag: \"a\""],
            &["Cache-Control: stale-if-error=600", "ETag: \"a\""],
        ] {
            assert_eq!(why(&[], status, lines), Some(NoStore::NoLifetime), "{status} {lines:?}");
        }
        assert_eq!(why(&[], status, &[FRESH]), None, "{status}");
        let never = Policy { error_max: seconds(0), ..policy() };
        let asking = Asking::of(&get("/", &[]), &never, false);
        let kept = storable(&asking, &response(status, &[FRESH, "ETag: \"a\""]), &never, NOW, NOW);
        assert_eq!(kept.err(), Some(NoStore::NoLifetime), "{status}");
    }
}

#[test]
fn errors_to_what_a_cache_would_not_send_are_not_kept() {
    let long = format!("X-Long: {}", "x".repeat(5000));
    let many: Vec<String> = (0..60).map(|number| format!("X-{number}: x")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let odd = [
        &[&*long][..],
        &many,
        &["Expect: x"],
        &["Content-Type: x"],
        &["X_A: b"],
        &["X-A: \u{7}"],
        &["X-A: a\tb"],
        &["X-A: \u{e9}"],
        &["Max-Forwards: 0"],
    ];
    for request in odd {
        for status in [300, 301, 302, 308, 400, 403, 404, 405, 410, 414, 500, 501, 503] {
            assert_eq!(why(request, status, &[FRESH]), Some(NoStore::OddRequest), "{request:?} {status}");
        }
        assert_eq!(why(request, 200, &[FRESH]), None, "{request:?}");
    }
    let browser = [
        "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
        "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "Accept-Language: en-US,en;q=0.5",
        "Accept-Encoding: gzip, deflate, br, zstd",
        "DNT: 1",
        "Sec-GPC: 1",
        "Upgrade-Insecure-Requests: 1",
        "Sec-Fetch-Dest: document",
        "TE: trailers",
        "Cookie: ",
    ];
    assert_eq!(why(&browser, 404, &[FRESH]), None);
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

proptest! {
    /// Whatever a request says, no error to it lasts longer than the policy allows, nor is any kept under a validator.
    #[test]
    fn no_request_can_make_an_error_last(
        status in 400_u16..600,
        age in 0_u32..100_000,
        name in "[A-Za-z_-]{1,12}",
        value in crate::tests::testing::value(),
        control in "(public|max-age=[0-9]{1,6}|s-maxage=[0-9]{1,6}|stale-if-error=99|no-cache|must-revalidate)(, (public|max-age=[0-9]{1,6}))?",
        validated: bool,
    ) {
        let mut request = get("/", &[]);
        request.fields.push(name.as_bytes(), &value);
        let policy = policy();
        let answer = response(status, &[&format!("Cache-Control: {control}"), &format!("Age: {age}")]);
        if let Ok(freshness) = storable(&Asking::of(&request, &policy, validated), &answer, &policy, NOW, NOW) {
            prop_assert!(!validated);
            if !matches!(status, 404 | 410) {
                prop_assert!(freshness.lifetime <= policy.error_max);
                prop_assert!(freshness.stale_if_error.is_zero() && freshness.stale_while_revalidate.is_zero());
            }
        }
    }
}
