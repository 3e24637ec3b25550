//! What `unladen serve` does is the same on every path through it: at an outbound, at a site with a cache and at one
//! without, by HTTP/1 and by HTTP/2. Each row is a way for an application to answer, each column a path.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;

use unladen_tests::site::{app, page};
use unladen_tests::{Answer, Serve, Site, Upstream, free_address, wait};

/// What a client saw.
#[derive(Debug)]
struct Seen {
    status: u16,
    head: String,
    body: Vec<u8>,
    /// Whether the answer was whole.
    is_whole: bool,
}

/// A way to answer: what is sent at first, what after a moment, and what every client has to see.
struct Row {
    name: &'static str,
    first: &'static str,
    later: &'static str,
    /// Options of curl.
    asked: &'static [&'static str],
    expected: Expected,
}

#[derive(Debug, Clone, Copy)]
enum Expected {
    /// This status and body, whole.
    Whole(u16, &'static str),
    /// An answer of our own: the status and the reason.
    Refused(u16, &'static str),
    /// What had begun, if anything, and no end that looks like one; or, where nothing had been sent, the answer of our
    /// own. HTTP/2 forgets what waits to be sent on a stream that is reset.
    Broken(u16, &'static str),
}

use Expected::{Broken, Refused, Whole};

const ROWS: [Row; 15] = [
    row(
        "a chunk that is none at once",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n",
        "",
        Refused(502, "upstream_malformed"),
    ),
    // As old servers write it; a chunk's size has no blanks after it (RFC 9112, section 7.1).
    row(
        "a chunk's size with blanks",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nCache-Control: max-age=60\r\n\r\n2  \r\nok\r\n0\r\n\r\n",
        "",
        Refused(502, "upstream_malformed"),
    ),
    row("an end before the body", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "", Broken(502, "upstream_closed")),
    row(
        "an end in the middle",
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nCache-Control: max-age=60\r\n\r\nabc",
        "",
        Broken(502, "upstream_closed"),
    ),
    row(
        "a chunk that is none later",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
        "nonsense\r\n",
        Broken(502, "upstream_malformed"),
    ),
    row("a body that comes later", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "hello", Whole(200, "hello")),
    row(
        "a body that comes later, to be kept",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nCache-Control: max-age=60\r\n\r\n",
        "hello",
        Whole(200, "hello"),
    ),
    row("no body", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "", Whole(200, "")),
    row("a body until the end", "HTTP/1.1 200 OK\r\n\r\nhello", "", Whole(200, "hello")),
    row("bytes after a 204", "HTTP/1.1 204 No Content\r\n\r\nhello", "", Whole(204, "")),
    row(
        "an interim answer",
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        "",
        Whole(200, "ok"),
    ),
    row("no HTTP", "nonsense\r\n\r\n", "", Refused(502, "upstream_malformed")),
    row("nothing at all", "", "", Refused(502, "upstream_closed")),
    row(
        "two lengths",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "",
        Refused(502, "upstream_malformed"),
    ),
    Row {
        name: "a HEAD",
        first: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
        later: "",
        asked: &["--head"],
        expected: Whole(200, ""),
    },
];

const fn row(name: &'static str, first: &'static str, later: &'static str, expected: Expected) -> Row {
    Row { name, first, later, asked: &[], expected }
}

/// Answers `/N` as row N says, on a connection of its own.
fn application() -> Upstream {
    Upstream::start(|peer| {
        let Some(request) = peer.request() else { return };
        let number = request.target.trim_start_matches('/').split('?').next().unwrap_or_default();
        let row = &ROWS[number.parse::<usize>().expect("the number of a row")];
        peer.send(row.first);
        if !row.later.is_empty() {
            // Long enough for whoever waits for the first byte of the body to have noticed that it is yet to come.
            std::thread::sleep(Duration::from_millis(150));
            peer.send(row.later);
        }
    })
}

/// All paths, by name: where each begins, and the options by which curl speaks its HTTP.
fn paths(upstream: &Upstream) -> (Serve, Vec<(String, SocketAddr, &'static str)>) {
    let mut config = String::from("threads = 1\n");
    let mut paths = Vec::new();
    for (name, table, settings) in
        [("outbound", "outbound", ""), ("site", "site", ""), ("site with a cache", "site", "cache = {}\n")]
    {
        let address = free_address();
        let _ = write!(
            config,
            "[[{table}]]\nname = \"{}\"\nlisten = \"{address}\"\nupstream = \"{}\"\nbreaker = false\noutlier = false\n\
             retry = {{ attempts = 0 }}\n{settings}",
            name.replace(' ', "-"),
            upstream.url(),
        );
        for http in ["--http1.1", "--http2-prior-knowledge"] {
            paths.push((format!("{name} {http}"), address, http));
        }
    }
    (Serve::start(&config), paths)
}

/// What curl sees.
fn ask(address: SocketAddr, target: &str, options: &[&str]) -> Seen {
    let folder = tempfile::tempdir().expect("a folder");
    let [head, body] = ["head", "body"].map(|name| folder.path().join(name));
    let mut curl = Command::new("curl");
    curl.args(["-sS", "-m", "20", "-w", "%{http_code}", "-D"]).arg(&head).arg("-o").arg(&body);
    let done = curl.args(options).arg(format!("http://{address}{target}")).output().expect("curl");
    let text = |path| std::fs::read(path).unwrap_or_default();
    Seen {
        status: String::from_utf8_lossy(&done.stdout).trim().parse().unwrap_or_default(),
        head: String::from_utf8_lossy(&text(&head)).to_lowercase(),
        body: if options.contains(&"--head") { Vec::new() } else { text(&body) },
        is_whole: done.status.success(),
    }
}

/// What is wrong with what was seen, if something is.
fn mistake(expected: Expected, seen: &Seen) -> Option<String> {
    let is_refusal = |status, reason: &str| {
        seen.is_whole && seen.status == status && seen.head.contains(&format!("x-unladen-reason: {reason}\r\n"))
    };
    let is_right = match expected {
        Whole(status, body) => {
            seen.is_whole
                && seen.status == status
                && seen.body == body.as_bytes()
                && !seen.head.contains("x-unladen-reason")
        }
        Refused(status, reason) => is_refusal(status, reason),
        Broken(status, reason) => is_refusal(status, reason) || (matches!(seen.status, 0 | 200) && !seen.is_whole),
    };
    (!is_right).then(|| format!("expected {expected:?}, seen {seen:?}"))
}

/// An answer whose body broke off before its first byte was a 502 at an outbound, and nothing at all through a site's
/// cache, or by HTTP/2.
#[test]
fn every_path_does_the_same_with_what_an_application_answers() {
    let upstream = application();
    let (serve, paths) = paths(&upstream);
    let mut mistakes = Vec::new();
    for (number, row) in ROWS.iter().enumerate() {
        for (column, (path, address, http)) in paths.iter().enumerate() {
            // Nothing that one client was sent is kept for the next.
            let target = format!("/{number}?{column}");
            let options: Vec<&str> = row.asked.iter().copied().chain([*http]).collect();
            if let Some(mistake) = mistake(row.expected, &ask(*address, &target, &options)) {
                mistakes.push(format!("{}, {path}: {mistake}", row.name));
            }
        }
    }
    assert!(mistakes.is_empty(), "{} of {}:\n{}", mistakes.len(), ROWS.len() * paths.len(), mistakes.join("\n"));
    drop(serve.stop());
}

/// RFC 5861, section 4: in place of an answer that breaks off before any of it was sent, as in place of a 502.
#[test]
fn a_stale_page_stands_in_for_an_answer_that_breaks_off_before_its_first_byte() {
    let upstream = Upstream::start(|peer| {
        let is_first = peer.number == 0;
        let Some(_) = peer.request() else { return };
        peer.send(match is_first {
            true => {
                "HTTP/1.1 200 OK\r\nCache-Control: max-age=1, stale-if-error=600\r\nContent-Length: 4\r\n\
                 Connection: close\r\n\r\nkept"
            }
            false => "HTTP/1.1 200 OK\r\nCache-Control: s-maxage=1\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n",
        });
    });
    let (serve, paths) = paths(&upstream);
    let (_, address, _) = paths.iter().find(|(name, ..)| name.starts_with("site with a cache")).expect("a path");
    assert_eq!(ask(*address, "/", &[]).body, b"kept");
    std::thread::sleep(Duration::from_millis(2100));
    for http in ["--http1.1", "--http2-prior-knowledge"] {
        let seen = ask(*address, "/", &[http]);
        assert!(seen.is_whole && seen.status == 200 && seen.body == b"kept", "{http}: {seen:?}");
    }
    drop(serve.stop());
}

/// An application that answers each request with a page that may be kept.
fn keeps() -> Upstream {
    app(|request| page("Cache-Control: max-age=600\r\n", &request.target))
}

/// RFC 9110, section 7.6.2: neither looked at nor counted, at sites and outbounds.
#[test]
fn hops_of_trace_and_options_are_counted_on_every_path() {
    let upstream = keeps();
    let (serve, paths) = paths(&upstream);
    for (path, address, http) in &paths {
        for (method, hops, status, left) in [
            ("OPTIONS", "0", 200, None),
            ("TRACE", "0", 405, None),
            ("OPTIONS", "3", 200, Some("2")),
            ("GET", "0", 200, Some("0")),
        ] {
            let before = upstream.seen().len();
            let field = format!("Max-Forwards: {hops}");
            let seen = ask(*address, &format!("/{before}"), &["-X", method, "-H", &field, http]);
            assert!(seen.is_whole && seen.status == status, "{path} {method} {hops}: {seen:?}");
            let asked: Vec<_> = upstream.seen().split_off(before);
            let passed = asked.first().map(|request| request.field("max-forwards").unwrap_or_default().to_owned());
            assert_eq!(passed.as_deref(), left, "{path} {method} {hops}");
        }
    }
    drop(serve.stop());
}

/// It was empty for a request of HTTP/1.0 without Host, which Django answers with 400.
#[test]
fn a_field_is_not_made_of_a_host_that_is_not_there() {
    let upstream = keeps();
    for forwarded in ["x-forwarded", "forwarded"] {
        let site = Site::of(&upstream, &format!("forwarded = \"{forwarded}\""));
        site.wire().ask("GET /old HTTP/1.0\r\n\r\n").is(200);
        let seen = upstream.seen();
        let last = seen.last().expect("it was asked");
        assert_eq!(last.field("x-forwarded-host"), None, "{last:?}");
        assert!(!last.field("forwarded").is_some_and(|value| value.contains("host")), "{last:?}");
        site.stop();
    }
}

/// Behind a front that says the target once more (Azure Application Gateway, IIS) nothing was ever kept.
#[test]
fn what_a_trusted_front_says_of_the_target_does_not_keep_pages_out_of_the_cache() {
    let upstream = keeps();
    let disguise = "X-Original-URL: /azure\r\nX-Original-Host: shop.example\r\n";
    let asked = |site: &Site| {
        let before = upstream.seen().len();
        for _ in 0..3 {
            site.get_with("/azure", disguise).is(200);
        }
        upstream.seen().split_off(before)
    };
    let trusted = Site::of(&upstream, "trusted.proxies = [\"127.0.0.1\"]\n[site.cache]");
    let seen = asked(&trusted);
    assert_eq!(seen.len(), 1, "it was kept");
    assert_eq!(seen[0].field("x-original-url"), None);
    trusted.stop();
    // Of whom nobody is known to be trusted, a route can say so.
    let removed = "[site.cache]\n[[site.route]]\nname = \"all\"\n\
                   request.remove = [\"X-Original-URL\", \"X-Original-Host\"]";
    let site = Site::of(&upstream, removed);
    assert_eq!(asked(&site).len(), 1, "it was kept");
    site.stop();
    // Else it may be a client that wants another page.
    let site = Site::of(&upstream, "[site.cache]");
    let seen = asked(&site);
    assert!(
        seen.len() == 3 && seen.iter().all(|request| request.field("x-original-url") == Some("/azure")),
        "{seen:?}"
    );
    site.stop();
}

/// What may be asked of a page that is there: options of curl.
const ASKED: &[&[&str]] = &[
    &[],
    &["--head"],
    // RFC 9110, section 13: TAG and DATE are the page's.
    &["-H", "If-None-Match: TAG"],
    &["-H", "If-None-Match: W/TAG"],
    &["-H", "If-None-Match: \"other\", TAG"],
    &["-H", "If-None-Match: \"other\"", "-H", "If-None-Match: TAG"],
    &["-H", "If-None-Match: *"],
    &["-H", "If-None-Match: \"other\""],
    &["-H", "If-None-Match: other"],
    &["-H", "If-None-Match;"],
    &["--head", "-H", "If-None-Match: TAG"],
    &["-H", "If-None-Match: \"other\"", "-H", "If-Modified-Since: DATE"],
    &["-H", "If-Match: TAG"],
    &["-H", "If-Match: W/TAG"],
    &["-H", "If-Match: *"],
    &["-H", "If-Match: \"other\""],
    &["--head", "-H", "If-Match: \"other\""],
    &["-H", "If-Match: \"other\"", "-H", "If-None-Match: TAG"],
    &["-H", "If-Modified-Since: DATE"],
    &["-H", "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT"],
    &["-H", "If-Modified-Since: Sunday, 06-Nov-94 08:49:37 GMT"],
    &["-H", "If-Modified-Since: Sat, 06 Nov 2094 08:49:37 GMT"],
    &["-H", "If-Modified-Since: yesterday"],
    &["-H", "If-Unmodified-Since: DATE"],
    &["-H", "If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT"],
    &["-H", "If-Unmodified-Since: never"],
    // Section 14.
    &["-H", "Range: bytes=0-0"],
    &["-H", "Range: bytes=5-"],
    &["-H", "Range: bytes=-5"],
    &["-H", "Range: bytes=-0"],
    &["-H", "Range: bytes=-9999"],
    &["-H", "Range: bytes=0-9999"],
    &["-H", "Range: bytes=0-18446744073709551616"],
    &["-H", "Range: bytes=9999-"],
    &["-H", "Range: bytes=5-2"],
    &["-H", "Range: bytes="],
    &["-H", "Range: bytes=a-b"],
    &["-H", "Range: BYTES=0-3"],
    &["-H", "Range: bytes = 0-3"],
    &["-H", "Range: bytes=0-3,"],
    &["-H", "Range: lines=0-3"],
    &["-H", "Range;"],
    &["-H", "Range: bytes=0-3", "-H", "Range: bytes=5-7"],
    &["-H", "Range: bytes=0-3,5-7"],
    &["-H", "Range: bytes=5-7, 0-3"],
    &["-H", "Range: bytes=0-3,2-7"],
    &["-H", "Range: bytes=0-3,9999-"],
    &["-H", "Range: bytes=9999-,8888-"],
    &["-H", "Range: bytes=0-0,1-1,2-2,3-3,4-4,5-5,6-6,7-7,8-8,9-9,10-10,11-11,12-12,13-13,14-14,15-15,16-16"],
    &["-H", "Range: bytes=0-,0-,0-,0-,0-,0-"],
    &["--head", "-H", "Range: bytes=0-3"],
    &["-H", "Range: bytes=0-3", "-H", "If-Range: TAG"],
    &["-H", "Range: bytes=0-3", "-H", "If-Range: W/TAG"],
    &["-H", "Range: bytes=0-3", "-H", "If-Range: \"other\""],
    &["-H", "Range: bytes=0-3", "-H", "If-Range: DATE"],
    &["-H", "Range: bytes=0-3", "-H", "If-Range: Sun, 06 Nov 1994 08:49:37 GMT"],
    &["-H", "Range: bytes=0-3", "-H", "If-Range: TAG, TAG"],
    &["-H", "Range: bytes=9999-", "-H", "If-Range: \"other\""],
    &["-H", "If-Range: TAG"],
    &["-H", "Range: bytes=0-3", "-H", "If-None-Match: TAG"],
    &["-H", "Range: bytes=0-3", "-H", "If-Match: \"other\""],
    &["-H", "Range: bytes=9999-", "-H", "If-None-Match: TAG"],
    // What has no meaning here.
    &["-H", "Accept: image/png"],
    &["-H", "Accept-Language: de"],
    &["-H", "Accept-Encoding: gzip, br"],
    &["-H", "Accept-Encoding: gzip"],
    &["-H", "Accept-Encoding: zstd, gzip;q=0.5"],
    &["-H", "Accept-Encoding: br;q=0.1, gzip"],
    &["-H", "Accept-Encoding: GZIP"],
    &["-H", "Accept-Encoding: x-gzip"],
    &["-H", "Accept-Encoding: gzip;q=0, br;q=0"],
    &["-H", "Accept-Encoding: *"],
    &["-H", "Accept-Encoding: deflate"],
    &["-H", "Accept-Encoding;"],
    &["--head", "-H", "Accept-Encoding: br"],
    &["-H", "Accept-Encoding: br", "-H", "If-None-Match: TAG"],
    &["-H", "Accept-Encoding: br", "-H", "If-None-Match: W/TAG"],
    &["-H", "Accept-Encoding: br", "-H", "If-None-Match: \"other\""],
    &["-H", "Accept-Encoding: br", "-H", "If-Match: TAG"],
    &["-H", "Accept-Encoding: br", "-H", "If-Match: \"other\""],
    &["-H", "Accept-Encoding: br", "-H", "If-Modified-Since: DATE"],
    &["-H", "Accept-Encoding: br", "-H", "Range: bytes=0-3"],
    &["-H", "Accept-Encoding: br", "-H", "Range: bytes=9999-"],
    &["-H", "Accept-Encoding: br", "-H", "Range: lines=0-3"],
    &["-H", "Accept-Encoding: br", "-H", "Range: bytes=0-3", "-H", "If-Range: \"other\""],
    &["-H", "Accept-Encoding: br", "-H", "Cache-Control: no-transform"],
    &["-H", "Accept-Encoding: identity;q=0"],
    &["-H", "Accept-Encoding: *;q=0"],
    &["-H", "Cache-Control: max-stale"],
    &["-H", "Cache-Control: only-if-cached"],
    &["-H", "Cache-Control: no-transform"],
    &["-H", "Max-Forwards: 0"],
    &["-H", "TE: trailers"],
    &["-H", "Origin: https://other.example"],
    &["-H", "Content-Length: 0"],
    &["--http1.0"],
];

/// Without what tells when and whence it came, and whether it was coded on its way; and a boundary, which is made anew
/// each time.
fn alike(seen: &Seen) -> (u16, Vec<String>, String) {
    let boundary = seen.head.split("boundary=").nth(1).and_then(|rest| rest.lines().next()).unwrap_or("no boundary");
    let plain = |text: &str| text.replace(boundary.trim(), "BOUNDARY");
    let is_coded = seen.head.contains("content-encoding:");
    // A file may have coded forms beside it, and has parts in any case.
    let of_time = ["date:", "age:", "cache-status:", "vary: accept-encoding", "accept-ranges:"];
    let of_coding: &[&str] = if is_coded { &["content-length:", "transfer-encoding:"] } else { &[] };
    let left_out = [&of_time[..], of_coding].concat();
    let mut lines: Vec<String> = seen.head.lines().skip(1).map(|line| plain(line.trim())).collect();
    lines.retain(|line| !line.is_empty() && !left_out.iter().any(|name| line.starts_with(name)));
    lines.sort();
    (seen.status, lines, if is_coded { String::new() } else { plain(&String::from_utf8_lossy(&seen.body)) })
}

#[test]
fn a_file_and_a_stored_page_are_answered_alike() {
    for text in ["0123456789 a page of some length".to_owned(), "0123456789 a page that is coded\n".repeat(200)] {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("page.txt"), &text).expect("written");
        let lifetime = "files.max_age = { \"*.txt\" = \"1h\" }";
        let files = Site::start(&format!("root = {:?}\ncompress = true\n{lifetime}", folder.path()));
        // Until some time after it was written, a file's tag is weak.
        let is_strong = |answer: &Answer| answer.field("etag").is_some_and(|tag| tag.starts_with('"'));
        let told = files.get_until("/page.txt", is_strong);
        let [tag, date, kind] = ["etag", "last-modified", "content-type"].map(|name| told.field(name).expect(name));
        let lines = format!("ETag: {tag}\r\nLast-Modified: {date}\r\nContent-Type: {kind}\r\n");
        let upstream = app(move |_| page(&format!("{lines}Cache-Control: max-age=3600\r\n"), &text));
        let stored = Site::of(&upstream, "compress = true\n[site.cache]");
        let is_kept = |seen: &Seen| seen.head.contains("cache-status: unladen; hit");
        wait::until("it is kept, and coded", || {
            let codings = ["gzip", "br", "zstd"].map(|coding| format!("Accept-Encoding: {coding}"));
            let asked = codings.map(|coding| ask(stored.address(), "/page.txt", &["-H", &coding]));
            asked.iter().all(|seen| is_kept(seen) && (told.body.len() < 100 || seen.head.contains("content-encoding")))
        });
        let mut wrong = Vec::new();
        for (options, http) in
            ASKED.iter().flat_map(|row| ["--http1.1", "--http2-prior-knowledge"].map(|http| (row, http)))
        {
            let filled = options.iter().map(|option| option.replace("TAG", tag).replace("DATE", date));
            let filled: Vec<String> = std::iter::once(http.to_owned()).chain(filled).collect();
            let options: Vec<&str> = filled.iter().map(String::as_str).collect();
            let [file, page] = [&files, &stored].map(|site| alike(&ask(site.address(), "/page.txt", &options)));
            if file != page {
                wrong.push(format!("{options:?}:\n  file:   {file:?}\n  stored: {page:?}"));
            }
        }
        assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), 2 * ASKED.len(), wrong.join("\n"));
        assert_eq!(upstream.seen().len(), 1, "it was stored: {:?}", upstream.seen());
        files.stop();
        stored.stop();
    }
}
