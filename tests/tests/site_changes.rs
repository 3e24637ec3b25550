//! `unladen serve` in front of an application notices what changes: by what the application says of it, and by requests
//! that change something.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use unladen_tests::site::{app, get, page};
use unladen_tests::{Site, Upstream};

const FRESH: &str = "Cache-Control: max-age=600\r\n";

/// Answers GET with its number among them, and all else with these lines.
fn changing(get: &'static str, other: &'static str) -> Upstream {
    let count = AtomicUsize::new(0);
    app(move |request| match request.method.as_str() {
        "GET" => page(get, &count.fetch_add(1, Ordering::SeqCst).to_string()),
        _ => format!("HTTP/1.1 {other}Content-Length: 0\r\n\r\n"),
    })
}

#[test]
fn what_is_unchanged_is_merged_with_what_is_kept() {
    let count = AtomicUsize::new(0);
    let app = app(move |request| match count.fetch_add(1, Ordering::SeqCst) {
        0 => page("Cache-Control: max-age=10\r\nAge: 20\r\nETag: \"a\"\r\nX-Old: 1\r\nX-Both: old\r\n", "body"),
        _ => {
            assert_eq!(request.field("if-none-match"), Some("\"a\""));
            "HTTP/1.1 304 Not Modified\r\nCache-Control: max-age=600\r\nX-Both: new\r\nX-New: 1\r\nSet-Cookie: a=1\r\n\
             Connection: X-Hop\r\nX-Hop: 1\r\n\r\n"
                .to_owned()
        }
    });
    let site = Site::of(&app, "");
    site.get("/").is_asked(200);
    for said in ["fwd=stale; fwd-status=304; ttl=600; stored", "hit; ttl="] {
        // The client's own condition is not the application's to answer: what is kept is.
        let answer = site.get_with("/", "If-None-Match: \"b\"\r\n").is(200);
        assert!(answer.cache().starts_with(said), "{}", answer.cache());
        let fields =
            ["cache-control", "x-old", "x-both", "x-new", "x-hop", "set-cookie"].map(|name| answer.field(name));
        assert_eq!(fields, [Some("max-age=600"), Some("1"), Some("new"), Some("1"), None, None]);
        assert_eq!(answer.text(), "body");
    }
    assert_eq!(app.seen().len(), 2);
    site.stop();
}

#[test]
fn what_is_no_longer_for_all_is_not_kept_after_it_was_unchanged() {
    for now in ["private", "no-store", "private, max-age=600"] {
        let count = AtomicUsize::new(0);
        let app = app(move |_| match count.fetch_add(1, Ordering::SeqCst) {
            0 => page("Cache-Control: max-age=10\r\nAge: 20\r\nETag: \"a\"\r\n", "for all"),
            1 => format!("HTTP/1.1 304 Not Modified\r\nCache-Control: {now}\r\n\r\n"),
            _ => page(&format!("Cache-Control: {now}\r\n"), "anew"),
        });
        let site = Site::of(&app, "");
        site.get("/").is_asked(200);
        site.get("/").is_asked(200);
        assert_eq!(site.get("/").is_asked(200).text(), "anew", "{now}");
        site.stop();
    }
}

#[test]
fn a_page_that_becomes_private_is_forgotten() {
    let count = AtomicUsize::new(0);
    let app = app(move |_| match count.fetch_add(1, Ordering::SeqCst) {
        0 => page("Cache-Control: max-age=10, stale-if-error=600\r\nAge: 20\r\n", "old"),
        1 => page("Cache-Control: no-store\r\n", "secret"),
        _ => "HTTP/1.1 500 Sorry\r\nContent-Length: 0\r\n\r\n".to_owned(),
    });
    let site = Site::of(&app, "");
    site.get("/").is_asked(200);
    assert_eq!(site.get("/").is_asked(200).text(), "secret");
    // What it was before is not what it is when the application fails.
    site.get("/").is_asked(500);
    site.stop();
}

#[test]
fn what_a_request_may_have_changed_is_forgotten_before_it_is_answered() {
    for method in ["POST", "PUT", "DELETE", "PATCH", "BREW"] {
        let app = changing(FRESH, "303 See\r\nLocation: /named\r\nContent-Location: http://test/named2\r\n");
        let site = Site::of(&app, "");
        for path in ["/", "/named", "/named2", "/other"] {
            site.get(path).is_asked(200);
            site.get(path).is_hit(200);
        }
        let mut wire = site.wire();
        let answer = wire.ask(format!("{method} / HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n")).is(303);
        assert!(answer.cache().starts_with("fwd=method; fwd-status=303"), "{answer:?}");
        for (path, body) in [("/", "4"), ("/named", "5"), ("/named2", "6")] {
            assert_eq!(wire.get(path).is_asked(200).text(), body, "{method} {path}");
        }
        wire.get("/other").is_hit(200);
        site.stop();
    }
}

#[test]
fn what_changes_nothing_forgets_nothing() {
    for (method, answer) in [
        ("POST", "500 Sorry\r\n"),
        ("POST", "404 Not\r\n"),
        ("OPTIONS", "200 OK\r\n"),
        ("POST", "200 OK\r\nLocation: http://elsewhere/\r\n"),
    ] {
        let app = changing(FRESH, answer);
        let site = Site::of(&app, "");
        let kept = site.wire().ask("GET / HTTP/1.1\r\nHost: elsewhere\r\n\r\n").is_asked(200).text();
        site.get("/").is_asked(200);
        let path = if answer.contains("elsewhere") { "/other" } else { "/" };
        site.wire().ask(format!("{method} {path} HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n"));
        site.get("/").is_hit(200);
        assert_eq!(site.wire().ask("GET / HTTP/1.1\r\nHost: elsewhere\r\n\r\n").is_hit(200).text(), kept);
        site.stop();
    }
}

#[test]
fn a_page_that_was_on_its_way_when_it_was_changed_is_not_kept() {
    let is_held = Arc::new(AtomicBool::new(true));
    let held = Arc::clone(&is_held);
    let count = AtomicUsize::new(0);
    let app = app(move |request| {
        if request.method == "POST" {
            return page("", "done");
        }
        let number = count.fetch_add(1, Ordering::SeqCst);
        while number == 0 && held.load(Ordering::SeqCst) {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        page(FRESH, if number == 0 { "old" } else { "new" })
    });
    let site = Site::of(&app, "");
    let mut early = site.wire();
    early.send(get("/", ""));
    app.wait("the page is asked for", |app| app.seen().len() == 1);
    site.wire().post("/", "change").is(200);
    // Who comes after the change does not wait for what was asked for before it.
    assert_eq!(site.get("/").is_asked(200).text(), "new");
    is_held.store(false, Ordering::SeqCst);
    assert_eq!(early.answer().text(), "old");
    assert_eq!(site.get("/").is_hit(200).text(), "new");
    site.stop();
}

#[test]
fn groups_are_forgotten_together() {
    let count = AtomicUsize::new(0);
    let app = app(move |request| match request.method.as_str() {
        "GET" => {
            let groups = if request.target == "/c" { "\"others\"" } else { "\"list\", \"items\"" };
            page(&format!("{FRESH}Cache-Groups: {groups}\r\n"), &count.fetch_add(1, Ordering::SeqCst).to_string())
        }
        _ => page("Cache-Group-Invalidation: \"items\", \"none\"\r\n", ""),
    });
    let site = Site::of(&app, "");
    let elsewhere = "GET /a HTTP/1.1\r\nHost: elsewhere\r\n\r\n";
    site.wire().ask(elsewhere).is_asked(200);
    for path in ["/a", "/b", "/c"] {
        site.get(path).is_asked(200);
        site.get(path).is_hit(200);
    }
    // A safe request cannot do it.
    site.wire().ask("OPTIONS / HTTP/1.1\r\nHost: test\r\n\r\n").is(200);
    site.get("/a").is_hit(200);
    site.wire().post("/add", "x").is(200);
    site.get("/a").is_asked(200);
    site.get("/b").is_asked(200);
    site.get("/c").is_hit(200);
    site.wire().ask(elsewhere).is_hit(200);
    site.stop();
}

#[test]
fn what_is_said_to_caches_of_the_site_comes_before_what_is_said_to_all() {
    for (lines, is_kept) in [
        ("CDN-Cache-Control: max-age=600\r\nCache-Control: no-store\r\n", true),
        ("CDN-Cache-Control: no-store\r\nCache-Control: max-age=600\r\n", false),
        ("CDN-Cache-Control: max-age=0\r\nCache-Control: max-age=600\r\nETag: \"a\"\r\n", false),
        ("CDN-Cache-Control: max-age=\"600\r\nCache-Control: max-age=600\r\n", true),
        ("CDN-Cache-Control: max-age=\"600\r\nCache-Control: no-store\r\n", false),
        ("Cache-Control: max-age=0, s-maxage=600\r\n", true),
        ("Cache-Control: max-age=600, s-maxage=0\r\nETag: \"a\"\r\n", false),
        ("Expires: Sat, 06 Nov 2094 08:49:37 GMT\r\n", true),
        ("Expires: 0\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n", false),
        ("Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n", true),
    ] {
        let app = changing(lines, "");
        let site = Site::of(&app, "");
        site.get("/").is_asked(200);
        let answer = site.get("/").is(200);
        assert_eq!(answer.cache().starts_with("hit"), is_kept, "{lines:?}: {answer:?}");
        site.stop();
    }
}

#[test]
fn a_reload_does_not_ask_for_what_never_changes() {
    let app = changing("Cache-Control: max-age=600, immutable\r\nETag: \"a\"\r\n", "");
    let site = Site::of(&app, "");
    site.get("/").is_asked(200);
    site.get_with("/", "Cache-Control: max-age=0\r\n").is_hit(200);
    site.get_with("/", "Cache-Control: no-cache\r\n").is_asked(200);
    site.stop();
}
