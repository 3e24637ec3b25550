//! What `unladen serve` does is the same on every path through it: at an outbound, at a site with a cache and at one
//! without, by HTTP/1 and by HTTP/2. Each row is a way for an application to answer, each column a path.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;

use unladen_tests::{Serve, Upstream, free_address};

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
