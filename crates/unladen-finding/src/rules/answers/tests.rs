pub(crate) mod pages;

use super::*;

fn of(lines: &[(&str, &str)]) -> Response {
    Response { headers: pages::headers(lines), ..Response::default() }
}

#[test]
fn freshness() {
    let now = ("date", "Sat, 21 Nov 2026 16:00:00 GMT");
    for fresh in [
        &[("cache-control", "public, max-age=60")][..],
        &[("cache-control", "public"), ("cache-control", "S-MaxAge=\"60\", max-age=0")],
        &[("expires", "Sat, 21 Nov 2026 16:00:01 GMT"), now],
        &[("expires", "Tue, 01 Dec 2026 00:00:00 GMT"), now],
        &[("expires", "Sat, 21 Nov 2026 16:00:01 GMT")],
    ] {
        assert!(is_fresh(&of(fresh)), "{fresh:?}");
    }
    for stale in [
        &[][..],
        &[now],
        &[("cache-control", "no-cache")],
        &[("cache-control", "max-age=0"), ("expires", "Sat, 21 Nov 2099 16:00:01 GMT"), now],
        &[("cache-control", "max-age=soon")],
        &[("expires", "Thu, 19 Nov 1981 08:52:00 GMT"), now],
        &[("expires", "0"), now],
        &[("expires", "Sat, 21 Nov 2026 16:00:00 GMT"), now],
    ] {
        assert!(!is_fresh(&of(stale)), "{stale:?}");
    }
}

#[test]
fn lists() {
    let response = of(&[("vary", "Accept-Encoding, Cookie"), ("vary", "accept-language,")]);
    assert_eq!(vary(&response), ["accept-encoding", "cookie", "accept-language"]);
    assert!(says(&of(&[("cache-control", "No-Store, private=\"x\"")]), "no-store"));
    assert!(says(&of(&[("cache-control", "No-Store, private=\"x\"")]), "private"));
}
