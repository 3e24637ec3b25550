//! What is purged from `unladen serve` is gone before the purge is answered, and only those who may can purge.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use unladen_tests::site::{app, get, page};
use unladen_tests::{Answer, Site, Upstream, Wire};

const FRESH: &str = "Cache-Control: max-age=600\r\n";
const MAY: &str = "[site.cache]\npurge = [\"127.0.0.1\", \"unix\"]";

/// Answers with a number that grows, and tags by the path.
fn counting() -> Upstream {
    let count = AtomicUsize::new(0);
    app(move |request| {
        let tags = match request.target.as_str() {
            "/a/1" => "Cache-Tag: red, blue\r\n",
            "/a/2" => "xkey: red green\r\n",
            "/b/1" => "Surrogate-Key: blue\r\n",
            _ => "",
        };
        page(&format!("{FRESH}{tags}ETag: \"a\"\r\n"), &count.fetch_add(1, Ordering::SeqCst).to_string())
    })
}

fn purge(wire: &mut Wire, path: &str, lines: &str) -> Answer {
    wire.ask(format!("PURGE {path} HTTP/1.1\r\nHost: test\r\n{lines}\r\n"))
}

/// Which of these are in memory.
fn kept(site: &Site, paths: &[&'static str]) -> Vec<&'static str> {
    let is_kept = |path: &&&str| {
        let answer = site.get_with(path, "Cache-Control: only-if-cached\r\n");
        assert!(matches!(answer.status, 200 | 504), "{answer:?}");
        answer.status == 200
    };
    paths.iter().filter(is_kept).copied().collect()
}

#[test]
fn what_is_meant_is_gone_and_nothing_else() {
    const ALL: [&str; 5] = ["/a/1", "/a/1?x", "/a/2", "/b/1", "/b"];
    let app = counting();
    let site = Site::of(&app, MAY);
    for (path, lines, said, left) in [
        ("/a/1", "", "1", &["/a/1?x", "/a/2", "/b/1", "/b"][..]),
        ("/a/1?x", "", "1", &["/a/1", "/a/2", "/b/1", "/b"]),
        ("/a/", "X-Purge: prefix\r\n", "3", &["/b/1", "/b"]),
        ("/b", "X-Purge: prefix\r\n", "2", &["/a/1", "/a/1?x", "/a/2"]),
        ("/", "X-Purge: prefix\r\n", "5", &[]),
        ("/", "Cache-Tag: red\r\n", "2", &["/a/1?x", "/b/1", "/b"]),
        ("/", "xkey: blue\r\n", "2", &["/a/1?x", "/a/2", "/b"]),
        ("/", "Surrogate-Key: green blue\r\n", "3", &["/a/1?x", "/b"]),
        ("/none", "", "0", &ALL),
        ("/", "Cache-Tag: none\r\n", "0", &ALL),
    ] {
        for path in ALL {
            site.get(path).is(200);
        }
        assert_eq!(kept(&site, &ALL), ALL);
        let answer = purge(&mut site.wire(), path, lines).is(200);
        assert_eq!(answer.text(), format!("{said} purged\n"), "{path} {lines}");
        assert_eq!(kept(&site, &ALL), left, "{path} {lines}");
    }
    // Of another host nothing.
    site.get("/a/1").is(200);
    site.wire().ask("PURGE /a/1 HTTP/1.1\r\nHost: other\r\n\r\n").is(200);
    assert_eq!(kept(&site, &["/a/1"]), ["/a/1"]);
    // It is not the application's.
    assert!(app.seen().iter().all(|request| request.method != "PURGE"));
    site.stop();
}

#[test]
fn what_is_purged_softly_is_asked_about() {
    let app = app(|request| match request.field("if-none-match") {
        Some("\"a\"") => format!("HTTP/1.1 304 Not Modified\r\n{FRESH}\r\n"),
        _ => page("Cache-Control: max-age=600, stale-if-error=600\r\nETag: \"a\"\r\nCache-Tag: t\r\n", "page"),
    });
    let site = Site::of(&app, MAY);
    site.get("/").is_asked(200);
    for lines in ["X-Purge: soft\r\n", "X-Purge: soft, prefix\r\n", "X-Purge: soft\r\nCache-Tag: t\r\n"] {
        site.get("/").is_hit(200);
        assert_eq!(purge(&mut site.wire(), "/", lines).is(200).text(), "1 purged\n");
        let answer = site.get("/").is(200);
        assert!(answer.cache().starts_with("fwd=stale; fwd-status=304"), "{lines:?}: {}", answer.cache());
    }
    site.stop();
}

#[test]
fn who_may_not_purges_nothing() {
    let app = counting();
    for (settings, tcp, unix) in [
        ("", false, false),
        ("[site.cache]\npurge = [\"10.0.0.0/8\", \"::1\"]", false, false),
        ("[site.cache]\npurge = [\"127.0.0.0/8\"]", true, false),
        ("[site.cache]\npurge = [\"unix\"]", false, true),
    ] {
        let site = Site::of(&app, settings);
        site.get("/").is(200);
        for (mut wire, may) in [(site.wire(), tcp), (site.unix(), unix)] {
            site.get("/").is_hit(200);
            for lines in ["", "X-Forwarded-For: 10.0.0.1\r\n", "Forwarded: for=10.0.0.1\r\n", "X-Real-IP: 10.0.0.1\r\n"]
            {
                let answer = purge(&mut wire, "/", lines);
                assert_eq!(answer.status, if may { 200 } else { 403 }, "{settings} {lines}");
            }
            assert_eq!(kept(&site, &["/"]).is_empty(), may, "{settings}");
            site.get("/").is(200);
        }
        site.stop();
    }
}

#[test]
fn a_purge_by_a_trusted_proxy_counts_for_whom_it_asks() {
    let app = counting();
    let by_clients = "trusted.proxies = [\"127.0.0.1\"]\n[site.cache]\npurge = [\"10.0.0.0/8\"]";
    let by_itself = "trusted.proxies = [\"127.0.0.1\"]\n[site.cache]\npurge = [\"127.0.0.1\"]";
    for (settings, lines, may) in [
        (by_clients, "X-Forwarded-For: 10.0.0.1\r\n", true),
        (by_clients, "X-Forwarded-For: 8.8.8.8, 10.0.0.1\r\n", true),
        (by_clients, "X-Forwarded-For: 10.0.0.1, 8.8.8.8\r\n", false),
        (by_clients, "X-Forwarded-For: 8.8.8.8\r\n", false),
        (by_clients, "X-Real-IP: 10.0.0.1\r\n", false),
        (by_clients, "", false),
        (by_itself, "", true),
        (by_itself, "X-Forwarded-For: 8.8.8.8\r\n", false),
        (by_itself, "X-Forwarded-For: 127.0.0.1, 8.8.8.8\r\n", false),
    ] {
        let site = Site::of(&app, settings);
        site.get("/").is(200);
        let answer = purge(&mut site.wire(), "/", lines);
        assert_eq!(answer.status, if may { 200 } else { 403 }, "{settings} {lines}");
        assert_eq!(kept(&site, &["/"]).is_empty(), may, "{settings} {lines}");
        site.stop();
    }
}

#[test]
fn who_asks_after_a_purge_was_answered_never_gets_what_was_before_it() {
    let version = Arc::new(AtomicUsize::new(0));
    let current = Arc::clone(&version);
    let app = app(move |request| {
        let number = current.load(Ordering::SeqCst);
        let vary = if request.target == "/vary" { "Vary: X-Theme\r\n" } else { "" };
        page(&format!("{FRESH}{vary}Cache-Tag: t\r\n"), &number.to_string())
    });
    let site = Arc::new(Site::of(&app, MAY));
    let is_over = Arc::new(AtomicBool::new(false));
    let (purged, asked) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let clients: Vec<_> = (0..8)
        .map(|client| {
            let (site, is_over, purged) = (Arc::clone(&site), Arc::clone(&is_over), Arc::clone(&purged));
            let asked = Arc::clone(&asked);
            std::thread::spawn(move || {
                let mut wire = site.wire();
                let path = if client % 2 == 0 { "/" } else { "/vary" };
                let request = get(path, &format!("X-Theme: {client}\r\n"));
                while !is_over.load(Ordering::SeqCst) {
                    let least = purged.load(Ordering::SeqCst);
                    let text = wire.ask(&request).is(200).text();
                    assert!(text.parse::<usize>().is_ok_and(|number| number >= least), "{text} after {least}");
                    asked.fetch_add(1, Ordering::SeqCst);
                }
            })
        })
        .collect();
    let mut wire = site.wire();
    for number in 1..=300 {
        version.store(number, Ordering::SeqCst);
        match number % 3 {
            0 => drop(purge(&mut wire, "/", "X-Purge: prefix\r\n").is(200)),
            1 => drop(purge(&mut wire, "/", "Cache-Tag: t\r\n").is(200)),
            _ => {
                purge(&mut wire, "/", "").is(200);
                purge(&mut wire, "/vary", "").is(200);
            }
        }
        purged.store(number, Ordering::SeqCst);
        let before = asked.load(Ordering::SeqCst);
        while asked.load(Ordering::SeqCst) < before + 10 && clients.iter().all(|client| !client.is_finished()) {
            std::thread::yield_now();
        }
    }
    is_over.store(true, Ordering::SeqCst);
    clients.into_iter().for_each(|client| client.join().expect("no old page"));
    Arc::into_inner(site).expect("nobody else has it").stop();
}
