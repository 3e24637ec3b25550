//! Answers of an upstream that readers have been made to read in two ways: the client gets one answer or none, and
//! nobody gets what was meant for another (response splitting, a queue of answers that has slipped by one).

use std::time::Duration;

use unladen_tests::{Part, Recorder, good};

use crate::support::{Contact, bytes, hear_of, say};
use Gives::{Broken, Given, Refused, Spent};

/// What the client is given.
#[derive(Debug, Clone, Copy)]
enum Gives {
    /// This status and body; the connection to the upstream goes on.
    Given(u16, &'static str),
    /// The same; the connection does not go on.
    Spent(u16, &'static str),
    /// 502; the connection does not go on.
    Refused,
    /// A part, and then the end of its own connection too; or 502, if that part had not gone out yet.
    Broken,
}

/// A name, a method, what the upstream says, whether it then closes, and what the client is given.
type Case = (&'static str, &'static str, &'static str, bool, Gives);

const CASES: &[Case] = &[
    ("an answer", "GET", "HTTP/1.1 200 OK¶Content-Length: 2¶¶ok", false, Given(200, "ok")),
    ("chunks", "GET", "HTTP/1.1 200 OK¶Transfer-Encoding: chunked¶¶2;x=y¶ok¶0¶X: y¶¶", false, Given(200, "ok")),
    (
        "a length and a coding",
        "GET",
        "HTTP/1.1 200 OK¶Content-Length: 2¶Transfer-Encoding: chunked¶¶2¶ok¶0¶¶",
        false,
        Refused,
    ),
    (
        "a coding and a length",
        "GET",
        "HTTP/1.1 200 OK¶Transfer-Encoding: chunked¶Content-Length: 2¶¶2¶ok¶0¶¶",
        false,
        Refused,
    ),
    ("two lengths", "GET", "HTTP/1.1 200 OK¶Content-Length: 2¶Content-Length: 9¶¶ok", false, Refused),
    ("equal lengths", "GET", "HTTP/1.1 200 OK¶Content-Length: 2¶Content-Length: 02¶¶ok", false, Given(200, "ok")),
    ("a list of lengths", "GET", "HTTP/1.1 200 OK¶Content-Length: 2, 2¶¶ok", false, Refused),
    ("a length with a sign", "GET", "HTTP/1.1 200 OK¶Content-Length: +2¶¶ok", false, Refused),
    ("an invalid length", "GET", "HTTP/1.1 200 OK¶Content-Length:¶¶ok", true, Refused),
    ("an unknown coding", "GET", "HTTP/1.1 200 OK¶Transfer-Encoding: gzip, chunked¶¶0¶¶", false, Refused),
    (
        "a coding twice",
        "GET",
        "HTTP/1.1 200 OK¶Transfer-Encoding: chunked¶Transfer-Encoding: chunked¶¶0¶¶",
        false,
        Refused,
    ),
    ("chunks in HTTP/1.0", "GET", "HTTP/1.0 200 OK¶Transfer-Encoding: chunked¶¶0¶¶", true, Refused),
    ("a folded line", "GET", "HTTP/1.1 200 OK¶X: y¶ z¶Content-Length: 2¶¶ok", false, Refused),
    ("a folded length", "GET", "HTTP/1.1 200 OK¶X: y¶ Content-Length: 9¶Content-Length: 2¶¶ok", false, Refused),
    ("line feeds alone", "GET", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", false, Refused),
    ("a line feed within", "GET", "HTTP/1.1 200 OK¶X: y\nContent-Length: 9¶Content-Length: 2¶¶ok", false, Refused),
    (
        "a carriage return within",
        "GET",
        "HTTP/1.1 200 OK¶X: y\rContent-Length: 9¶Content-Length: 2¶¶ok",
        false,
        Refused,
    ),
    ("a space before a colon", "GET", "HTTP/1.1 200 OK¶Content-Length : 2¶¶ok", false, Refused),
    ("NUL in a value", "GET", "HTTP/1.1 200 OK¶X: a\0b¶Content-Length: 2¶¶ok", false, Refused),
    ("no colon", "GET", "HTTP/1.1 200 OK¶X¶Content-Length: 2¶¶ok", false, Refused),
    ("another protocol", "GET", "SSH-2.0-OpenSSH_9.2p1¶", false, Refused),
    ("HTTP/0.9", "GET", "<html>ok</html>", true, Refused),
    ("ICY", "GET", "ICY 200 OK¶Content-Length: 2¶¶ok", false, Refused),
    ("HTTP/2 by its number", "GET", "HTTP/2.0 200 OK¶Content-Length: 2¶¶ok", false, Refused),
    ("a status of two digits", "GET", "HTTP/1.1 99 x¶Content-Length: 2¶¶ok", false, Refused),
    ("a status of four digits", "GET", "HTTP/1.1 2000 x¶Content-Length: 2¶¶ok", false, Refused),
    ("a status beyond 599", "GET", "HTTP/1.1 600 x¶Content-Length: 2¶¶ok", false, Refused),
    ("a reason with NUL", "GET", "HTTP/1.1 200 a\0b¶Content-Length: 2¶¶ok", false, Refused),
    (
        "interim answers",
        "GET",
        "HTTP/1.1 100 Continue¶¶HTTP/1.1 103 Early Hints¶Link: x¶¶HTTP/1.1 200 OK¶Content-Length: 2¶¶ok",
        false,
        Given(200, "ok"),
    ),
    (
        "an interim answer with a length",
        "GET",
        "HTTP/1.1 103 Early Hints¶Content-Length: 5¶¶helloHTTP/1.1 200 OK¶Content-Length: 2¶¶ok",
        false,
        Refused,
    ),
    (
        "an interim answer with a coding",
        "GET",
        "HTTP/1.1 100 Continue¶Transfer-Encoding: chunked¶¶0¶¶HTTP/1.1 200 OK¶Content-Length: 2¶¶ok",
        false,
        Refused,
    ),
    ("an interim answer alone", "GET", "HTTP/1.1 103 Early Hints¶¶", true, Refused),
    (
        "101 unasked",
        "GET",
        "HTTP/1.1 101 Switching Protocols¶Connection: upgrade¶Upgrade: x¶¶HTTP/1.1 200 OK¶Content-Length: 4¶¶evil",
        false,
        Refused,
    ),
    ("204", "GET", "HTTP/1.1 204 No Content¶¶", false, Given(204, "")),
    ("204 with a length of 0", "GET", "HTTP/1.1 204 No Content¶Content-Length: 0¶¶", false, Given(204, "")),
    ("204 with a length", "GET", "HTTP/1.1 204 No Content¶Content-Length: 5¶¶hello", false, Refused),
    ("204 with chunks", "GET", "HTTP/1.1 204 No Content¶Transfer-Encoding: chunked¶¶0¶¶", false, Refused),
    (
        "204 with a body",
        "GET",
        "HTTP/1.1 204 No Content¶¶HTTP/1.1 200 OK¶Content-Length: 4¶¶evil",
        false,
        Spent(204, ""),
    ),
    ("304 with a length", "GET", "HTTP/1.1 304 Not Modified¶Content-Length: 5¶¶", false, Given(304, "")),
    ("304 with a body", "GET", "HTTP/1.1 304 Not Modified¶Content-Length: 5¶¶hello", false, Spent(304, "")),
    ("HEAD", "HEAD", "HTTP/1.1 200 OK¶Content-Length: 5¶¶", false, Given(200, "")),
    ("HEAD with a body", "HEAD", "HTTP/1.1 200 OK¶Content-Length: 5¶¶hello", false, Spent(200, "")),
    ("HEAD with chunks", "HEAD", "HTTP/1.1 200 OK¶Transfer-Encoding: chunked¶¶5¶hello¶0¶¶", false, Spent(200, "")),
    (
        "HEAD with another answer",
        "HEAD",
        "HTTP/1.1 200 OK¶¶HTTP/1.1 200 OK¶Content-Length: 4¶¶evil",
        false,
        Spent(200, ""),
    ),
    (
        "two answers",
        "GET",
        "HTTP/1.1 200 OK¶Content-Length: 2¶¶okHTTP/1.1 200 OK¶Content-Length: 4¶¶evil",
        false,
        Spent(200, "ok"),
    ),
    (
        "an interim answer after the last",
        "GET",
        "HTTP/1.1 200 OK¶Content-Length: 2¶¶okHTTP/1.1 100 Continue¶¶",
        false,
        Spent(200, "ok"),
    ),
    ("more than the length", "GET", "HTTP/1.1 200 OK¶Content-Length: 2¶¶okay", false, Spent(200, "ok")),
    ("less than the length", "GET", "HTTP/1.1 200 OK¶Content-Length: 5¶¶ok", true, Broken),
    (
        "an empty line after chunks",
        "GET",
        "HTTP/1.1 200 OK¶Transfer-Encoding: chunked¶¶2¶ok¶0¶¶¶",
        false,
        Spent(200, "ok"),
    ),
    ("a size that is none", "GET", "HTTP/1.1 200 OK¶Transfer-Encoding: chunked¶¶2¶ok¶0x0¶¶", false, Broken),
    (
        "a size that ends with a line feed",
        "GET",
        "HTTP/1.1 200 OK¶Transfer-Encoding: chunked¶¶2¶ok¶0\n\n",
        false,
        Broken,
    ),
    ("chunks without an end", "GET", "HTTP/1.1 200 OK¶Transfer-Encoding: chunked¶¶2¶ok¶", true, Broken),
    (
        "a length in trailers",
        "GET",
        "HTTP/1.1 200 OK¶Transfer-Encoding: chunked¶¶2¶ok¶0¶Content-Length: 9¶¶",
        false,
        Broken,
    ),
    ("a body until the end", "GET", "HTTP/1.1 200 OK¶¶ok", true, Spent(200, "ok")),
    ("HTTP/1.0", "GET", "HTTP/1.0 200 OK¶Content-Length: 2¶¶ok", true, Spent(200, "ok")),
    (
        "HTTP/1.0 that goes on",
        "GET",
        "HTTP/1.0 200 OK¶Connection: keep-alive¶Content-Length: 2¶¶ok",
        false,
        Given(200, "ok"),
    ),
    (
        "the last of its connection",
        "GET",
        "HTTP/1.1 200 OK¶Connection: close¶Content-Length: 2¶¶ok",
        true,
        Spent(200, "ok"),
    ),
    (
        "Connection names the length",
        "GET",
        "HTTP/1.1 200 OK¶Connection: content-length¶Content-Length: 2¶¶ok",
        false,
        Given(200, "ok"),
    ),
    (
        "Connection names the coding",
        "GET",
        "HTTP/1.1 200 OK¶Connection: transfer-encoding¶Transfer-Encoding: chunked¶¶2¶ok¶0¶¶",
        false,
        Given(200, "ok"),
    ),
    (
        "names of CGI",
        "GET",
        "HTTP/1.1 200 OK¶Content_Length: 9¶Transfer_Encoding: chunked¶Content-Length: 2¶¶ok",
        false,
        Given(200, "ok"),
    ),
];

/// Sent at once after the first: its answer must be its own, if the connection goes on.
const AFTER: &str = "GET /after HTTP/1.1¶Host: a¶¶";

fn answering(request: &[u8]) -> Vec<Part> {
    let target = request.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
    let number = target.strip_prefix(b"/case/").and_then(|number| str::from_utf8(number).ok()?.parse::<usize>().ok());
    let Some((_, _, text, closes, _)) = number.and_then(|number| CASES.get(number)) else {
        return vec![Part::Bytes(good(request))];
    };
    let mut parts = vec![Part::Bytes(bytes(text))];
    parts.extend(closes.then_some(Part::Close));
    parts
}

#[test]
fn each_is_one_answer_or_none() {
    let place = Contact::new(Recorder::start(answering), "[outbound.retry]\nattempts = 0\n");
    for (number, (name, method, _, _, gives)) in CASES.iter().enumerate() {
        place.canary(name);
        let before = place.upstream.connections();
        let mut stream = place.connect();
        say(&mut stream, &bytes(&format!("{method} /case/{number} HTTP/1.1¶Host: a¶¶{AFTER}")), usize::MAX);
        let said = hear_of(&mut stream, 2, |at| if at == 0 { method } else { "GET" });
        let answers: Vec<_> =
            said.answers.iter().map(|answer| (answer.status, String::from_utf8_lossy(&answer.body))).collect();
        let (status, body, goes_on) = match gives {
            Given(status, body) => (*status, *body, true),
            Spent(status, body) => (*status, *body, false),
            Broken if said.closed => {
                assert!(answers.is_empty(), "{name}: {said:?}");
                assert!(!said.rest.ends_with(b"\r\n0\r\n\r\n"), "{name}: it looks whole: {said:?}");
                place.canary(name);
                continue;
            }
            Refused | Broken => (502, "502 upstream_malformed\n", false),
        };
        let is_closed = status == 502 && answers[0].1 == "502 upstream_closed\n";
        let body = if is_closed { "502 upstream_closed\n" } else { body };
        assert_eq!(answers, [(status, body.into()), (200, "/after".into())], "{name}");
        assert_eq!(said.rest, b"", "{name}");
        place.canary(name);
        let made = place.upstream.connections() - before;
        assert_eq!(made == 0, goes_on, "{name}: {made} connections were made");
    }
    place.end();
}

#[test]
fn a_length_or_a_coding_does_not_come_twice() {
    let place = Contact::new(Recorder::start(answering), "");
    for (number, (name, method, _, _, gives)) in CASES.iter().enumerate() {
        if let Given(..) | Spent(..) = gives {
            let mut stream = place.connect();
            say(&mut stream, &bytes(&format!("{method} /case/{number} HTTP/1.1¶Host: a¶¶")), usize::MAX);
            let said = hear_of(&mut stream, 1, |_| method);
            let count = |name: &str| said.answers[0].head.split("\r\n").filter(|line| line.starts_with(name)).count();
            let lengths = count("content-length:") + count("transfer-encoding:");
            let has_none = matches!(said.answers[0].status, 204 | 304) || *method == "HEAD";
            assert!(lengths == 1 || (lengths == 0 && has_none), "{name}: {said:?}");
            assert!(said.answers[0].status != 204 || lengths == 0, "{name}: {said:?}");
            assert_eq!(count("connection:") + count("keep-alive:") + count("upgrade:"), 0, "{name}: {said:?}");
        }
    }
    place.end();
}

#[test]
fn what_comes_after_an_answer_is_nobodys() {
    for late in ["HTTP/1.1 200 OK¶Content-Length: 4¶¶evil", "¶", "evil", "HTTP/1.1 408 Request Timeout¶¶"] {
        let (tell, told) = std::sync::mpsc::channel();
        let place = Contact::new(
            Recorder::start(move |request| {
                let mut parts = vec![Part::Bytes(good(request))];
                if request.starts_with(b"GET /late") {
                    let pause = Part::Pause(Duration::from_millis(20));
                    parts.extend([pause, Part::Bytes(bytes(late)), Part::Tell(tell.clone())]);
                }
                parts
            }),
            "",
        );
        for _ in 0..10 {
            let mut stream = place.connect();
            say(&mut stream, &bytes("GET /late HTTP/1.1¶Host: a¶¶"), usize::MAX);
            assert_eq!(hear_of(&mut stream, 1, |_| "GET").answers[0].body, b"/late");
            told.recv().unwrap();
            place.canary(late);
        }
        place.end();
    }
}

#[test]
fn interim_answers_and_heads_have_their_bounds() {
    let place = Contact::new(
        Recorder::start(|request| {
            let text = match request.get(..6) {
                Some(b"GET /i") => "HTTP/1.1 103 Early Hints¶Link: x¶¶".repeat(1000),
                Some(b"GET /f") => format!("HTTP/1.1 200 OK¶{}¶", "X: y¶".repeat(1000)),
                Some(b"GET /b") => format!("HTTP/1.1 200 OK¶X: {}¶Content-Length: 0¶¶", "y".repeat(100_000)),
                _ => return vec![Part::Bytes(good(request))],
            };
            vec![Part::Bytes(bytes(&text)), Part::Close]
        }),
        "[outbound.retry]\nattempts = 0\n",
    );
    for target in ["/interim", "/fields", "/bytes"] {
        let mut stream = place.connect();
        say(&mut stream, &bytes(&format!("GET {target} HTTP/1.1¶Host: a¶¶")), usize::MAX);
        let said = hear_of(&mut stream, 1, |_| "GET");
        assert_eq!(
            (said.answers[0].status, &*said.answers[0].body),
            (502, &b"502 upstream_malformed\n"[..]),
            "{target}"
        );
        place.canary(target);
    }
    place.end();
}
