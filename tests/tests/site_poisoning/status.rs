//! Errors and redirects: what somebody's odd request, or a bad moment, has brought about, is nobody else's page.

use unladen_tests::site::{app, page};
use unladen_tests::{Nginx, Site, Upstream};

/// With a validator for all pages: a file, which stays as it is unless a test touches it.
fn validated(app: &Upstream, settings: &str) -> impl Iterator<Item = Site> + use<> {
    Site::each(app, &format!("{settings}\n{VALIDATOR}")).inspect(|site| touch(site, 1_000_000_000))
}

const VALIDATOR: &str = "[[site.validator]]\npath = \"/{page}\"\nfile = \"DIR/version\"";

/// Its file has changed at this second, and some part of it.
#[allow(clippy::disallowed_types, reason = "a file's time is wall time")]
pub(crate) fn touch(site: &Site, seconds: u64) {
    let file = std::fs::File::create(site.path("version")).expect("a file of our own");
    let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::new(seconds, 123_456_789);
    file.set_modified(time).expect("its time can be set");
}

/// Whoever is odd gets this status with these lines; all others the page.
fn failing(status: u16, lines: &'static str) -> Upstream {
    app(move |request| match request.field("x-odd") {
        Some(_) => format!("HTTP/1.1 {status} Odd\r\n{lines}Content-Length: 3\r\n\r\nodd"),
        None => page("", "good"),
    })
}

#[test]
fn an_error_is_never_everybodys_page_under_a_validator() {
    for lines in ["", "Cache-Control: max-age=600\r\n", "Cache-Control: public, s-maxage=600\r\nETag: \"a\"\r\n"] {
        for status in [301, 302, 400, 403, 404, 405, 410, 414, 418, 500, 501, 502, 503, 504] {
            let app = failing(status, lines);
            for site in validated(&app, "") {
                for odd in ["X-Odd: 1\r\n", "X-Odd: 1\r\nCache-Control: no-cache\r\n"] {
                    assert_eq!(site.get_with("/page", odd).is_asked(status).text(), "odd");
                    let kept = site.get_until("/page", |answer| {
                        assert_eq!((answer.status, answer.text().as_str()), (200, "good"), "{status} {lines:?}");
                        answer.cache().starts_with("hit")
                    });
                    assert_eq!(kept.cache(), "hit; detail=validated");
                    // And what is kept is what the odd one gets from then on, and everybody else too.
                    assert_eq!(site.get_with("/page", odd).is_hit(200).text(), "good", "{status} {lines:?}");
                    touch(&site, 1_000_000_001 + u64::from(status));
                }
                site.stop();
            }
        }
    }
}

#[test]
fn a_header_of_ten_kilobytes_does_not_make_an_error_of_nginx_everybodys_page() {
    let nginx = Nginx::plain("location / { default_type text/html; return 200 page; }");
    let site = Site::start(&format!("upstream = \"http://{}\"\n{VALIDATOR}", nginx.address()));
    touch(&site, 1_000_000_000);
    let big = format!("X-Big: {}\r\n", "x".repeat(10_000));
    assert_eq!(site.get_with("/page", &big).is_asked(400).field("server").map(|name| &name[..5]), Some("nginx"));
    assert_eq!(site.get("/page").is_asked(200).text(), "page");
    assert_eq!(site.get("/page").is_hit(200).text(), "page");
    assert_eq!(site.get_with("/page", &big).is_hit(200).text(), "page");
    site.stop();
}

/// A 404 that one request with `X-Odd: 1` had drawn was everybody's for the hour that it said of itself.
#[test]
fn an_error_that_says_how_long_and_was_drawn_by_one_client_is_over_for_all_before_long() {
    for status in [301, 302, 308, 404, 410] {
        let app = failing(
            status,
            "Cache-Control: public, max-age=3600, stale-if-error=3600, stale-while-revalidate=3600\r\nETag: \"a\"\r\n",
        );
        for site in Site::each(&app, "[site.cache]\nerror_max = \"1s\"") {
            for (path, odd) in [("/", "X-Odd: 1\r\n"), ("/a", "Accept: text/evil\r\nX-Odd: 1\r\n")] {
                assert_eq!(site.get_with(path, odd).is_asked(status).text(), "odd");
                site.get_until(path, |answer| answer.status == 200);
            }
            site.stop();
        }
        // Under a validator it is not kept at all, also where pages of this status are.
        if matches!(status, 301 | 404) {
            for site in validated(&app, "[site.cache]\nstatuses = [301, 404]") {
                let answer = site.get_with("/page", "X-Odd: 1\r\n").is_asked(status);
                assert!(answer.cache().ends_with("detail=odd-request"), "{answer:?}");
                assert_eq!(site.get("/page").is_asked(200).text(), "good");
                site.stop();
            }
        }
    }
}

/// What everybody gets is kept for as long as it says.
#[test]
fn an_error_that_says_how_long_and_is_everybodys_is_kept_for_so_long() {
    for status in [301, 404, 410] {
        let app =
            app(move |_| format!("HTTP/1.1 {status} So\r\nCache-Control: max-age=3600\r\nContent-Length: 0\r\n\r\n"));
        for site in Site::each(&app, "") {
            let browser = "User-Agent: Mozilla/5.0\r\nAccept: text/html,*/*;q=0.8\r\nSec-Fetch-Mode: navigate\r\n";
            site.get_with("/", browser).is_asked(status);
            let said = site.get("/").is_hit(status).cache().to_owned();
            let ttl = said.strip_prefix("hit; ttl=").map(|ttl| ttl.parse::<i64>().expect("seconds"));
            assert!(ttl.is_some_and(|ttl| ttl > 600), "{status}: {said}");
            site.stop();
        }
    }
}

#[test]
fn statuses_that_are_named_are_kept_until_the_validator_has_another_answer() {
    let app = app(|request| match request.target.as_str() {
        "/gone" => "HTTP/1.1 404 No\r\nContent-Length: 4\r\n\r\ngone".to_owned(),
        "/moved" => "HTTP/1.1 301 Moved\r\nLocation: /page\r\nContent-Length: 0\r\n\r\n".to_owned(),
        _ => "HTTP/1.1 410 No\r\nContent-Length: 0\r\n\r\n".to_owned(),
    });
    for site in validated(&app, "[site.cache]\nstatuses = [301, 404]") {
        for (path, status) in [("/gone", 404), ("/moved", 301)] {
            for now in [2_000_000_000, 2_000_000_001] {
                touch(&site, now);
                site.get(path).is_asked(status);
                assert_eq!(site.get(path).is_hit(status).cache(), "hit; detail=validated");
            }
            // What an odd request brings about is not kept all the same.
            touch(&site, 2_000_000_002);
            let odd = format!("X-Odd: {}\r\n", "x".repeat(5000));
            let answer = site.get_with(path, &odd).is_asked(status);
            assert!(answer.cache().ends_with("detail=odd-request"), "{answer:?}");
            site.get(path).is_asked(status);
        }
        site.get("/other").is_asked(410);
        site.get("/other").is_asked(410);
        site.stop();
    }
}

#[test]
fn an_error_that_says_how_long_it_is_kept_for_a_moment_at_most() {
    let lines = "Cache-Control: max-age=3600, stale-if-error=3600\r\n";
    for (setting, most) in [("", 10), ("[site.cache]\nerror_max = \"3s\"", 3), ("[site.cache]\nerror_max = \"0s\"", 0)]
    {
        for status in [400, 403, 405, 500, 503] {
            let app = app(move |_| format!("HTTP/1.1 {status} Odd\r\n{lines}Content-Length: 0\r\n\r\n"));
            for site in Site::each(&app, setting) {
                // An odd request's is not kept at all.
                let odd = format!("X-Odd: {}\r\n", "x".repeat(5000));
                assert!(site.get_with("/", &odd).is_asked(status).cache().ends_with("detail=odd-request"));
                site.get("/").is_asked(status);
                let second = site.get("/");
                match most {
                    0 => drop(second.is_asked(status)),
                    _ => {
                        let said = second.cache().to_owned();
                        let ttl = said.strip_prefix("hit; ttl=").map(|ttl| ttl.parse::<i64>().expect("seconds"));
                        // Beside much other work it may have become stale meanwhile.
                        assert!(ttl.is_none_or(|ttl| ttl <= most), "{status}: {said}");
                    }
                }
                site.stop();
            }
        }
    }
}
