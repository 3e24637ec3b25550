//! `unladen serve` in front of an application keeps what RFC 9111 allows, and says what it did.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use unladen_tests::site::{app, get, page};
use unladen_tests::{Ending, Site, Upstream, h2};

const FRESH: &str = "Cache-Control: max-age=600\r\n";
/// Stale when it comes, and for ten seconds.
const STALE: &str = "Cache-Control: max-age=10, stale-while-revalidate=60, stale-if-error=60\r\nAge: 20\r\n";

/// Answers all with this, and says how many have asked: the body is their number.
fn counting(lines: &'static str) -> Upstream {
    let count = AtomicUsize::new(0);
    app(move |_| page(lines, &format!("{}", count.fetch_add(1, Ordering::SeqCst))))
}

#[test]
fn a_page_is_asked_for_once_and_each_answer_says_how_it_came_about() {
    let app = counting("Cache-Control: max-age=600\r\nAge: 7\r\nETag: \"a\"\r\nX-Own: 1\r\n");
    let site = Site::of(&app, "");

    let first = site.get("/").is(200);
    assert_eq!((first.cache(), first.text().as_str()), ("fwd=uri-miss; fwd-status=200; stored", "0"));
    let second = site.get("/").is_hit(200);
    assert_eq!((second.field("x-own"), second.text().as_str()), (Some("1"), "0"));
    let age: u64 = second.field("age").and_then(|age| age.parse().ok()).expect("an age");
    assert!((7..60).contains(&age), "{age}");
    assert_eq!(second.cache(), format!("hit; ttl={}", 600 - age));

    let anew = site.get_with("/", "Cache-Control: no-cache\r\n").is(200);
    assert_eq!((anew.cache(), anew.text().as_str()), ("fwd=request; fwd-status=200; stored", "1"));
    let unkept = site.get_with("/", "Cache-Control: no-store\r\n").is(200);
    assert_eq!((unkept.cache(), unkept.text().as_str()), ("fwd=request; fwd-status=200; detail=request-no-store", "2"));
    assert_eq!(site.get("/").is_hit(200).text(), "1");
    let posted = site.wire().post("/other", "x").is(200);
    assert_eq!(posted.cache(), "fwd=method; fwd-status=200");
    assert_eq!(app.seen().len(), 4);
    site.stop();
}

/// One client's odd field had an application say 404 or send him on, and all others got that for ten seconds.
#[test]
fn a_reload_with_an_odd_field_replaced_a_fresh_page() {
    let app = app(|request| match request.field("x-odd") {
        Some(status) => page(FRESH, "odd").replacen("200 OK", status, 1),
        None => page(FRESH, "well"),
    });
    let site = Site::of(&app, "");
    site.get("/").is_asked(200);
    for status in ["404 Not Found", "410 Gone", "301 Moved Permanently", "302 Found", "308 Permanent Redirect"] {
        let odd = site.get_with("/", &format!("Cache-Control: no-cache\r\nX-Odd: {status}\r\n"));
        assert_eq!(odd.status.to_string(), status[..3], "{odd:?}");
        assert_eq!(site.get("/").is_hit(200).text(), "well", "{status}");
    }
    site.stop();
}

#[test]
fn head_and_conditions_and_ranges_are_answered_with_the_application_gone() {
    let is_gone = Arc::new(AtomicBool::new(false));
    let gone = Arc::clone(&is_gone);
    let app = Upstream::start(move |peer| {
        while let Some(request) = peer.request() {
            assert!(!gone.load(Ordering::SeqCst), "it is asked: {request:?}");
            peer.send(page(
                "Cache-Control: max-age=600\r\nETag: \"a\"\r\nContent-Type: text/x\r\n\
                 Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n",
                "0123456789",
            ));
        }
    });
    let site = Site::of(&app, "");
    site.get("/").is_asked(200);
    is_gone.store(true, Ordering::SeqCst);

    let mut wire = site.wire();
    wire.send("HEAD / HTTP/1.1\r\nHost: test\r\n\r\n");
    let head = wire.next(true).is_hit(200);
    assert_eq!(head.field("content-length"), Some("10"));

    for condition in [
        "If-None-Match: \"a\"",
        "If-None-Match: \"b\", W/\"a\"",
        "If-None-Match: *",
        "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT",
        "If-Modified-Since: Mon, 07 Nov 1994 08:49:37 GMT",
        // The tag counts, and the date does not.
        "If-None-Match: \"a\"\r\nIf-Modified-Since: Sat, 05 Nov 1994 08:49:37 GMT",
    ] {
        let answer = wire.ask(get("/", &format!("{condition}\r\n"))).is_hit(304);
        assert_eq!((answer.field("etag"), answer.field("content-type")), (Some("\"a\""), None), "{condition}");
        assert_eq!(answer.field("cache-control"), Some("max-age=600"), "{condition}");
    }
    for condition in [
        "If-None-Match: \"b\"",
        "If-None-Match: \"b\"\r\nIf-Modified-Since: Mon, 07 Nov 1994 08:49:37 GMT",
        "If-Modified-Since: Sat, 05 Nov 1994 08:49:37 GMT",
        "If-Modified-Since: yesterday",
        "If-Match: \"a\"",
    ] {
        let answer = wire.ask(get("/", &format!("{condition}\r\n"))).is_hit(200);
        assert_eq!(answer.text(), "0123456789", "{condition}");
    }
    let failed = wire.ask(get("/", "If-Match: \"b\"\r\n")).is(412);
    // RFC 9110, section 6.6.1.
    assert!(failed.field("date").is_some(), "{failed:?}");

    for (range, told, body) in [
        ("0-3", "0-3", "0123"),
        ("7-", "7-9", "789"),
        ("-2", "8-9", "89"),
        ("2-100", "2-9", "23456789"),
        ("1-2,3-4", "1-4", "1234"),
    ] {
        let answer = wire.ask(get("/", &format!("Range: bytes={range}\r\n"))).is_hit(206);
        assert_eq!(answer.field("content-range"), Some(format!("bytes {told}/10").as_str()));
        assert_eq!((answer.text().as_str(), answer.field("content-type")), (body, Some("text/x")));
    }
    let several = wire.ask(get("/", "Range: bytes=0-1,5-6\r\n")).is_hit(206);
    let kind = several.field("content-type").expect("a type").to_owned();
    let boundary = kind.strip_prefix("multipart/byteranges; boundary=").expect("several parts");
    assert_eq!(
        several.text().trim_start_matches("\r\n"),
        format!(
            "--{boundary}\r\nContent-Type: text/x\r\nContent-Range: bytes 0-1/10\r\n\r\n01\r\n\
             --{boundary}\r\nContent-Type: text/x\r\nContent-Range: bytes 5-6/10\r\n\r\n56\r\n--{boundary}--\r\n"
        )
    );
    let beyond = wire.ask(get("/", "Range: bytes=10-\r\n"));
    assert_eq!((beyond.status, beyond.field("content-range")), (416, Some("bytes */10")));
    // A cache in front would keep it as everybody's page.
    assert_eq!((beyond.field("cache-control"), beyond.field("etag")), (None, None), "{beyond:?}");
    for whole in ["Range: lines=1-2", "Range: bytes=4-2", "Range: bytes=0-1\r\nIf-Range: \"b\"", "Range: bytes=x"] {
        assert_eq!(wire.ask(get("/", &format!("{whole}\r\n"))).is_hit(200).text(), "0123456789", "{whole}");
    }
    assert_eq!(wire.ask(get("/", "Range: bytes=0-1\r\nIf-Range: \"a\"\r\n")).is_hit(206).text(), "01");
    assert_eq!(wire.ask(get("/", "If-None-Match: \"a\"\r\nRange: bytes=0-1\r\n")).status, 304);

    let unknown = wire.ask(get("/unknown", "Cache-Control: only-if-cached\r\n"));
    unknown.refuses(504, "only_if_cached");
    wire.ask(get("/", "Cache-Control: only-if-cached\r\n")).is_hit(200);
    site.stop();
}

#[test]
fn clients_of_http_1_0_1_1_and_2_share_what_is_kept() {
    let app = counting(FRESH);
    let site = Site::of(&app, "");
    let mut old = site.wire();
    let first = old.ask("GET /old HTTP/1.0\r\nHost: test\r\n\r\n").is(200);
    assert_eq!((first.text().as_str(), first.field("transfer-encoding")), ("0", None));
    assert_eq!(old.rest().1, Ending::Short);
    assert_eq!(
        site.wire().ask("GET /old HTTP/1.0\r\nHost: test\r\nConnection: keep-alive\r\n\r\n").is_hit(200).text(),
        "0"
    );
    assert_eq!(site.get("/old").is_hit(200).text(), "0");

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let client = h2::H2Client::unix(&site.socket()).await;
        for path in ["/old", "/new", "/new"] {
            let answer = client.get(path).await.is(200);
            let hit = answer.head.headers["cache-status"].to_str().is_ok_and(|said| said.contains("hit"));
            assert_eq!(
                (answer.body.as_slice(), hit),
                if path == "/old" { (&b"0"[..], true) } else { (&b"1"[..], hit) }
            );
        }
    });
    assert_eq!(site.get("/new").is_hit(200).text(), "1");
    assert_eq!(app.seen().len(), 2);
    site.stop();
}

#[test]
fn variants_are_told_apart_by_what_they_mean() {
    let app = app(|request| {
        let (name, vary) = match request.target.as_str() {
            "/language" => ("accept-language", "Accept-Language"),
            "/cookie" => ("cookie", "Cookie"),
            "/coding" => ("accept-encoding", "Accept-Encoding"),
            _ => ("x-theme", "X-Theme"),
        };
        page(&format!("{FRESH}Vary: {vary}\r\n"), request.field(name).unwrap_or("none"))
    });
    let site = Site::of(&app, "[site.cache]\nlanguages = [\"de\", \"en\"]\nignore_cookies = [\"_ga*\"]");
    let ask = |path: &str, line: &str| {
        let answer = site.get_with(path, line);
        (answer.cache().starts_with("hit"), answer.text())
    };
    let is = |path, line, hit, text: &str| assert_eq!(ask(path, line), (hit, text.to_owned()), "{path} {line}");

    is("/language", "Accept-Language: de-AT,de;q=0.9\r\n", false, "de");
    is("/language", "Accept-Language: de\r\n", true, "de");
    is("/language", "Accept-Language: fr;q=0.3, de;q=0.2\r\n", true, "de");
    is("/language", "Accept-Language: en-GB\r\n", false, "en");
    is("/cookie", "", false, "none");
    is("/cookie", "Cookie: _ga=1; _ga_X=2\r\n", true, "none");
    is("/cookie", "Cookie: theme=dark; _ga=1\r\n", false, "theme=dark");
    is("/cookie", "Cookie: _ga=7; theme=dark\r\n", true, "theme=dark");
    is("/cookie", "Cookie: theme=light\r\n", false, "theme=light");
    is("/coding", "Accept-Encoding: gzip, br\r\n", false, "gzip, br");
    is("/coding", "Accept-Encoding: br;q=1.0,gzip\r\n", true, "gzip, br");
    is("/coding", "Accept-Encoding: gzip\r\n", false, "gzip");
    is("/coding", "", false, "none");
    is("/theme", "X-Theme: a, b\r\n", false, "a, b");
    is("/theme", "x-theme:  a,b \r\n", true, "a, b");
    is("/theme", "", false, "none");
    is("/theme", "X-Theme: \r\n", false, "");
    assert_eq!(site.get_with("/theme", "X-Theme: c\r\n").cache(), "fwd=vary-miss; fwd-status=200; stored");
    site.stop();
}

#[test]
fn stale_pages_answer_while_one_request_fetches_them_anew() {
    let count = Arc::new(AtomicUsize::new(0));
    let (asked, is_held) = (Arc::clone(&count), Arc::new(AtomicBool::new(true)));
    let held = Arc::clone(&is_held);
    let app = app(move |_| match asked.fetch_add(1, Ordering::SeqCst) {
        0 => page(STALE, "old"),
        _ => {
            while held.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(2));
            }
            page(FRESH, "new")
        }
    });
    let site = Site::of(&app, "");
    site.get("/").is_asked(200);
    for _ in 0..20 {
        let answer = site.get("/").is_hit(200);
        assert_eq!(answer.text(), "old");
        assert!(answer.cache().contains("ttl=-"), "{}", answer.cache());
    }
    // Who says that it wants nothing stale waits for what is on its way.
    app.wait("the page is fetched anew", |app| app.seen().len() == 2);
    let mut waiting = site.wire();
    waiting.send(get("/", "Cache-Control: max-age=5\r\n"));
    assert!(waiting.is_quiet(Duration::from_millis(100)));
    is_held.store(false, Ordering::SeqCst);
    assert_eq!(waiting.answer().text(), "new");
    site.get_until("/", |answer| answer.text() == "new");
    assert_eq!(count.load(Ordering::SeqCst), 2);
    site.stop();
}

#[test]
fn stale_pages_answer_where_the_application_fails_if_they_may() {
    for failure in ["500", "502", "503", "504", "break", "close", "reset"] {
        let count = AtomicUsize::new(0);
        let app = Upstream::start(move |peer| {
            while let Some(request) = peer.request() {
                let is_first = count.fetch_add(1, Ordering::SeqCst) < 2;
                let limit = if request.target == "/may" { "stale-if-error=60" } else { "must-revalidate" };
                let old = page(&format!("Cache-Control: max-age=10, {limit}\r\nAge: 20\r\nETag: \"a\"\r\n"), "old");
                match failure {
                    _ if is_first => peer.send(old),
                    "break" => {
                        peer.send("HTTP/1.1 200");
                        return;
                    }
                    "close" => return,
                    "reset" => return peer.reset(),
                    status => peer.send(format!("HTTP/1.1 {status} So\r\nContent-Length: 3\r\n\r\nbad")),
                };
            }
        });
        let site = Site::of(&app, "");
        site.get("/may").is_asked(200);
        site.get("/must").is_asked(200);
        let stale = site.get("/may");
        assert_eq!((stale.status, stale.text().as_str()), (200, "old"), "{failure}: {stale:?}");
        assert!(stale.cache().starts_with("hit") && stale.cache().contains("detail="), "{failure}: {}", stale.cache());
        let failed = site.get("/must");
        assert!(failed.status >= 500, "{failure}: {failed:?}");
        site.stop();
    }
}

#[test]
fn stale_pages_answer_where_the_application_is_down() {
    let refused = "http://127.0.0.1:1";
    let app = counting(STALE);
    let site = Site::start(&format!(
        "upstream = [\"{}\", {{ url = \"{refused}\", weight = 1 }}]\nbalance = \"round-robin\"",
        app.url()
    ));
    site.get_until("/", |answer| answer.status == 200);
    for _ in 0..4 {
        site.get_with("/", "Cache-Control: max-stale=0\r\n").is_hit(200);
    }
    site.stop();
}

#[test]
fn what_is_for_one_user_is_never_kept_for_others() {
    for (lines, asked, why) in [
        ("Cache-Control: no-store\r\n", "", "no-store"),
        ("Cache-Control: private\r\n", "", "private"),
        ("Cache-Control: max-age=60, PRIVATE\r\n", "", "private"),
        ("Cache-Control: max-age=60\r\nCache-Control: private\r\n", "", "private"),
        ("CDN-Cache-Control: private\r\nCache-Control: max-age=60\r\n", "", "private"),
        ("Cache-Control: max-age=60\r\nSet-Cookie: a=1\r\n", "", "set-cookie"),
        ("Cache-Control: public, max-age=60\r\nSet-Cookie: a=1\r\n", "", "set-cookie"),
        ("Cache-Control: max-age=60\r\n", "Authorization: Basic YTpi\r\n", "authorization"),
        ("Cache-Control: max-age=60\r\nVary: *\r\n", "", "vary-all"),
        ("ETag: \"a\"\r\n", "Cookie: user=a\r\n", "cookies"),
        ("Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n", "Cookie: user=a\r\n", "cookies"),
        ("", "", "no-lifetime"),
    ] {
        let app = counting(lines);
        let site = Site::of(&app, "");
        let first = site.get_with("/", asked).is(200);
        assert!(first.cache().ends_with(&format!("detail={why}")), "{lines:?} {asked:?}: {}", first.cache());
        for other in ["Cookie: user=b\r\nAuthorization: Basic Yjpi\r\n", asked, ""] {
            let answer = site.get_with("/", other).is_asked(200);
            assert_ne!(answer.text(), first.text(), "{lines:?} {asked:?} {other:?}");
        }
        site.stop();
    }
}
