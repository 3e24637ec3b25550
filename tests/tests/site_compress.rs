//! What passes a site is compressed on its way, as each client takes it: by curl, which has decoders of its own.

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use unladen_tests::site::{app, get, page};
use unladen_tests::{Answer, Site, Upstream, wait};

fn text() -> String {
    (0..3000).map(|number| format!("<li>All work and no play makes page {number} dull.\n")).collect()
}

/// An application that says how long its page is, or `/chunked` in pieces; nothing of it may be stored.
fn application() -> Upstream {
    app(|request| match request.target.as_str() {
        "/chunked" => {
            let pieces = text()
                .as_bytes()
                .chunks(5000)
                .map(|piece| format!("{:x}\r\n{}\r\n", piece.len(), str::from_utf8(piece).expect("text")))
                .collect::<String>();
            format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nCache-Control: no-store\r\nTransfer-Encoding: chunked\r\n\r\n{pieces}0\r\n\r\n"
            )
        }
        _ => page("Content-Type: text/html; charset=utf-8\r\nCache-Control: no-store\r\nETag: \"a\"\r\n", &text()),
    })
}

/// What curl makes of it, and the head that it was sent.
#[track_caller]
fn curl(site: &Site, path: &str, arguments: &[&str]) -> (String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let (head, body) = (folder.path().join("head"), folder.path().join("body"));
    let done = Command::new("curl")
        .args(["-sS", "-m", "40", "--compressed", "-D"])
        .arg(&head)
        .arg("-o")
        .arg(&body)
        .args(arguments)
        .arg(format!("http://{}{path}", site.address()))
        .output()
        .expect("curl is installed");
    assert!(done.status.success(), "{arguments:?}: {done:?}");
    let read = |file| std::fs::read_to_string(file).unwrap_or_default();
    (read(&head).to_lowercase(), read(&body))
}

#[test]
fn what_passes_is_compressed_as_each_client_takes_it() {
    let app = application();
    let site = Site::of(&app, "");
    let (text, plain) = (text(), page("", &text()).len());
    for (accepts, coding) in [
        // Chrome and Firefox; Safari; Googlebot; a client that says what it would rather have.
        ("gzip, deflate, br, zstd", "zstd"),
        ("gzip, deflate, br", "br"),
        ("gzip,deflate", "gzip"),
        ("br;q=0.2, gzip;q=0.9, zstd;q=0.1", "gzip"),
    ] {
        for http in ["--http1.1", "--http1.0", "--http2-prior-knowledge"] {
            for path in ["/", "/chunked"] {
                let (head, body) = curl(&site, path, &["-H", &format!("Accept-Encoding: {accepts}"), http]);
                let context = format!("{accepts} {http} {path}: {head}");
                assert_eq!(body.len(), text.len(), "{context}");
                assert_eq!(body, text, "{context}");
                assert!(head.contains(&format!("content-encoding: {coding}\r\n")), "{context}");
                assert!(head.contains("vary: accept-encoding\r\n"), "{context}");
                assert!(!head.contains("content-length"), "{context}");
                assert!(path != "/" || head.contains("etag: w/\"a\"\r\n"), "{context}");
            }
        }
    }
    // As curl asks by itself.
    let (head, body) = curl(&site, "/", &[]);
    assert!(head.contains("content-encoding: ") && body == text, "{head}");
    let answer = site.get_with("/", "Accept-Encoding: gzip\r\n");
    assert!(answer.body.len() < plain / 5, "{} of {plain} bytes", answer.body.len());
    site.stop();
}

#[test]
fn a_page_on_its_way_into_the_cache_is_compressed_for_who_asks_first() {
    let app = app(|_| page("Content-Type: text/html\r\nCache-Control: max-age=600\r\n", &text()));
    let site = Site::of(&app, "");
    let (head, body) = curl(&site, "/", &["-H", "Accept-Encoding: zstd", "-H", "Host: test"]);
    assert!(head.contains("content-encoding: zstd\r\n"), "{head}");
    assert!(head.contains("vary: accept-encoding\r\n"), "{head}");
    assert_eq!(body, text());
    // What is kept is what the application sent.
    assert_eq!(site.get("/").is_hit(200).text(), text());
    assert_eq!(app.seen().len(), 1);
    site.stop();
}

#[test]
fn a_page_that_is_asked_about_still_depends_on_the_codings_that_a_client_takes() {
    let lines = "Content-Type: text/html\r\nCache-Control: no-cache\r\nETag: \"a\"\r\nVary: X-Kind\r\n";
    let app = app(move |request| match request.field("if-none-match").is_some() {
        // Apache, and most that PHP writes, says here again what the page depends on.
        true => format!("HTTP/1.1 304 Not Modified\r\n{lines}\r\n"),
        false => page(lines, &text()),
    });
    let site = Site::of(&app, "");
    site.get("/");
    // Until it has been put into the coding, beside a request.
    let coded = |answer: &Answer| answer.field("content-encoding") == Some("gzip");
    let mut wire = site.wire();
    wait::until("it is sent in a coding", || coded(&wire.ask(get("/", "Accept-Encoding: gzip\r\n"))));
    for accepts in ["Accept-Encoding: gzip\r\n", ""] {
        let answer = site.get_with("/", accepts);
        let vary = answer.field("vary").unwrap_or_default().to_ascii_lowercase();
        assert!(vary.contains("x-kind") && vary.contains("accept-encoding"), "{accepts:?}: {vary}");
    }
    site.stop();
}

#[test]
fn who_takes_no_coding_gets_the_page_as_it_is() {
    let app = application();
    let site = Site::of(&app, "");
    for lines in [
        "",
        "Accept-Encoding: identity\r\n",
        "Accept-Encoding: gzip;q=0\r\n",
        "Accept-Encoding: identity, gzip;q=0.5\r\n",
    ] {
        let answer = site.get_with("/", lines);
        assert_eq!((answer.field("content-encoding"), answer.text()), (None, text()), "{lines:?}");
        assert_eq!(answer.field("vary"), Some("accept-encoding"), "{lines:?}");
        assert_eq!(answer.field("etag"), Some("\"a\""), "{lines:?}");
    }
    let answer = site.get_with("/", "Accept-Encoding: gzip\r\nCache-Control: no-transform\r\n");
    assert_eq!((answer.field("content-encoding"), answer.text()), (None, text()));
    site.stop();
    let site = Site::of(&app, "compress = false");
    let answer = site.get_with("/", "Accept-Encoding: gzip, br, zstd\r\n");
    assert_eq!((answer.field("content-encoding"), answer.field("vary"), answer.text()), (None, None, text()));
    site.stop();
    let site = Site::of(&app, "cache = false");
    let answer = site.get_with("/", "Accept-Encoding: gzip, br, zstd\r\n");
    assert_eq!(answer.field("content-encoding"), Some("zstd"));
    site.stop();
}

#[test]
fn the_head_alone_says_the_same_as_with_its_body() {
    let app = app(|request| {
        let body = if request.method == "HEAD" { String::new() } else { text() };
        let length = text().len();
        format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nCache-Control: no-store\r\nContent-Length: {length}\r\n\r\n{body}"
        )
    });
    let site = Site::of(&app, "");
    let mut wire = site.wire();
    let whole = wire.ask(get("/", "Accept-Encoding: gzip\r\n"));
    wire.send("HEAD / HTTP/1.1\r\nHost: test\r\nAccept-Encoding: gzip\r\n\r\n");
    let head = wire.next(true);
    for name in ["content-encoding", "content-length", "vary", "content-type"] {
        assert_eq!(whole.field(name), head.field(name), "{name}");
    }
    assert_eq!(head.field("content-encoding"), Some("gzip"));
    site.stop();
}

#[test]
fn a_page_that_comes_bit_by_bit_is_not_held_up() {
    const FIRST: &str = "<p>the first of two pieces</p>\n";
    let goes_on = Arc::new(AtomicBool::new(false));
    let may = Arc::clone(&goes_on);
    let app = Upstream::start(move |peer| {
        while peer.request().is_some() {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nCache-Control: no-store\r\nTransfer-Encoding: chunked\r\n\r\n";
            peer.send(format!("{head}{:x}\r\n{FIRST}\r\n", FIRST.len()));
            while !may.load(Ordering::SeqCst) {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            peer.send("4\r\nlast\r\n0\r\n\r\n");
        }
    });
    let site = Site::of(&app, "");
    for coding in ["gzip", "br", "zstd"] {
        goes_on.store(false, Ordering::SeqCst);
        let mut curl = Command::new("curl")
            .args(["-sSN", "-m", "60", "--compressed", "-H", &format!("Accept-Encoding: {coding}")])
            .arg(format!("http://{}/", site.address()))
            .stdout(Stdio::piped())
            .spawn()
            .expect("curl is installed");
        let mut out = curl.stdout.take().expect("its output");
        let mut first = vec![0; FIRST.len()];
        // Before the application has said more.
        out.read_exact(&mut first).expect(coding);
        assert_eq!(first, FIRST.as_bytes(), "{coding}");
        goes_on.store(true, Ordering::SeqCst);
        let mut rest = String::new();
        out.read_to_string(&mut rest).expect(coding);
        assert_eq!(rest, "last", "{coding}");
        assert!(curl.wait().expect("it ends").success(), "{coding}");
    }
    site.stop();
}

#[test]
fn events_are_passed_on_as_they_are() {
    let app =
        app(|_| page("Content-Type: text/event-stream\r\nCache-Control: no-store\r\n", &"data: x\n\n".repeat(1000)));
    let site = Site::of(&app, "");
    let answer = site.get_with("/", "Accept-Encoding: gzip, br, zstd\r\n");
    assert_eq!((answer.field("content-encoding"), answer.field("vary")), (None, None));
    site.stop();
}
