//! What takes more than one message to try: bodies that are answered before they are sent, connections that become
//! another protocol's, clients that leave in the middle, and the bounds of what a client may send.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use unladen_tests::{Part, Recorder, good};

use crate::support::{Contact, bytes, hear, hear_of, say};

/// An upstream that answers as soon as it has read a head, and hands out all that comes on each connection, when that
/// has ended.
pub(crate) fn hasty(answer: &'static str) -> (String, Receiver<Vec<u8>>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (send, receive) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let send = send.clone();
            std::thread::spawn(move || send.send(serve_hastily(stream, answer)));
        }
    });
    (url, receive)
}

fn serve_hastily(mut stream: TcpStream, answer: &str) -> Vec<u8> {
    let (mut all, mut answered, mut piece) = (Vec::new(), 0, [0; 4096]);
    while let Ok(count) = stream.read(&mut piece) {
        all.extend_from_slice(&piece[..count]);
        if count == 0 {
            break;
        }
        // The first head alone: what follows is its body.
        if answered == 0 && all.windows(4).any(|four| four == b"\r\n\r\n") {
            answered = 1;
            let _ = stream.write_all(&bytes(answer));
        }
    }
    all
}

/// Reads so many bytes, which have to come.
fn read(stream: &mut UnixStream, count: usize) -> String {
    let mut bytes = vec![0; count];
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.read_exact(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_body_that_is_answered_before_it_is_sent_is_no_request() {
    let asks = [
        "POST /1 HTTP/1.1¶Host: a¶Content-Length: 31¶¶",
        "POST /1 HTTP/1.1¶Host: a¶Expect: 100-continue¶Content-Length: 31¶¶",
        "GET /1 HTTP/1.1¶Host: a¶Expect: 100-continue¶Content-Length: 31¶¶",
        "POST /1 HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶",
    ];
    for ask in asks {
        for answer in ["HTTP/1.1 200 OK¶Content-Length: 2¶¶ok", "HTTP/1.1 417 Expectation Failed¶Content-Length: 2¶¶no"]
        {
            let (url, arrived) = hasty(answer);
            let place = Contact::at(&url, "");
            let mut stream = place.connect();
            say(&mut stream, &bytes(ask), usize::MAX);
            let said = hear(&mut stream, 1);
            assert!(said.answers[0].head.contains("\r\nconnection: close\r\n"), "{ask}: {said:?}");
            // What the client says now was to be a body, whatever it looks like.
            say(&mut stream, &bytes("GET /in HTTP/1.1¶Host: a¶¶xx"), usize::MAX);
            let after = hear(&mut stream, 0);
            assert!(after.answers.is_empty() && after.rest.is_empty(), "{ask}: {after:?}");
            let mut other = place.connect();
            say(&mut other, b"GET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", usize::MAX);
            assert_eq!(hear(&mut other, 1).answers.len(), 1);
            drop((stream, other));
            place.serve.stop();
            let all: Vec<_> = (0..2).map(|_| arrived.recv_timeout(Duration::from_secs(20)).unwrap()).collect();
            let heads = |of: &Vec<u8>| of.windows(11).filter(|eleven| eleven.starts_with(b" HTTP/1.1\r\n")).count();
            // A connection each: nothing follows a body that did not come.
            assert!(all.iter().any(|one| one.starts_with(b"GET /2 ") && heads(one) == 1), "{ask}");
            assert!(all.iter().any(|one| !one.starts_with(b"GET /2 ") && heads(one) == 1), "{ask}");
        }
    }
}

#[test]
fn what_is_expected_comes_before_the_body() {
    let (url, arrived) = hasty("HTTP/1.1 100 Continue¶¶");
    let place = Contact::at(&url, "");
    let mut stream = place.connect();
    say(&mut stream, &bytes("POST /1 HTTP/1.1¶Host: a¶Expect: 100-continue¶Content-Length: 2¶¶"), usize::MAX);
    assert_eq!(read(&mut stream, 25), "HTTP/1.1 100 Continue\r\n\r\n");
    say(&mut stream, b"ok", usize::MAX);
    drop(stream);
    assert!(arrived.recv_timeout(Duration::from_secs(20)).unwrap().ends_with(b"\r\n\r\nok"));
    place.serve.stop();
}

const UPGRADE: &str = "GET /ws HTTP/1.1¶Host: a¶Connection: Upgrade¶Upgrade: websocket¶¶";
const SWITCHED: &str = "HTTP/1.1 101 Switching Protocols¶Upgrade: websocket¶Connection: Upgrade¶¶";

#[test]
fn a_tunnel_begins_with_101_and_not_before() {
    let place = Contact::plain(Recorder::start(|request| {
        let has_switched = request.starts_with(b"GET /ws ");
        vec![Part::Bytes(if has_switched { bytes(&format!("{SWITCHED}hello")) } else { good(request) })]
    }));
    let mut stream = place.connect();
    // To the upstream's own reader, what goes through the tunnel is a request; none that was checked, and nobody's but
    // this client's.
    say(&mut stream, &bytes(&format!("{UPGRADE}GET /raw HTTP/1.1¶host: x¶¶")), usize::MAX);
    let said = hear(&mut stream, 1);
    assert_eq!(said.answers[0].status, 101);
    assert!(said.answers[0].head.ends_with("\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n"), "{said:?}");
    let mut through = String::from_utf8(said.rest).unwrap();
    let whole = "helloHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n/raw";
    through += &read(&mut stream, whole.len() - through.len());
    assert_eq!(through, whole);
    drop(stream);
    place.canary("a tunnel");
    assert_eq!(place.upstream.connections(), 2, "a tunnel's connection is not used again");
    // Refused: HTTP goes on, and what follows is a request like any other.
    let mut stream = place.connect();
    let ask = UPGRADE.replace("/ws", "/no");
    say(&mut stream, &bytes(&format!("{ask}GET /2 HTTP/1.1¶Host: a b¶¶")), usize::MAX);
    let statuses: Vec<_> = hear(&mut stream, 0).answers.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [200, 400]);
    place.end();
}

#[test]
fn a_tunnel_does_not_begin_within_a_body() {
    let (url, arrived) = hasty(SWITCHED);
    let place = Contact::at(&url, "[outbound.retry]\nattempts = 0\n");
    for framing in ["Content-Length: 31", "Transfer-Encoding: chunked"] {
        let mut stream = place.connect();
        say(&mut stream, &bytes(&UPGRADE.replace("¶¶", &format!("¶{framing}¶¶"))), usize::MAX);
        let said = hear(&mut stream, 1);
        assert_eq!(
            (said.answers[0].status, &*said.answers[0].body),
            (502, &b"502 upstream_malformed\n"[..]),
            "{framing}"
        );
        say(&mut stream, &bytes("GET /in HTTP/1.1¶Host: a¶¶xx"), usize::MAX);
        assert!(hear(&mut stream, 0).answers.is_empty(), "{framing}");
        let all = arrived.recv_timeout(Duration::from_secs(20)).unwrap();
        assert!(!all.windows(3).any(|three| three == b"/in"), "{framing}: {}", all.escape_ascii());
    }
    place.serve.stop();
}

#[test]
fn a_client_that_leaves_in_a_body_leaves_nothing_to_the_next() {
    let place = Contact::plain(Recorder::good());
    for (ask, rest) in [
        ("POST /1 HTTP/1.1¶Host: a¶Content-Length: 100¶¶abc", "Content-Length: 100"),
        ("POST /1 HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶3¶abc¶", "transfer-encoding: chunked"),
        ("POST /1 HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶3¶abc¶0¶X: y¶", "transfer-encoding: chunked"),
    ] {
        for _ in 0..3 {
            let mut stream = place.connect();
            say(&mut stream, &bytes(ask), usize::MAX);
            // The other is under way before the first has left, and after.
            place.canary(ask);
            drop(stream);
            place.canary(ask);
        }
        let (whole, parts) = place.arrived();
        assert!(whole.is_empty(), "{ask}: {whole:?}");
        for part in parts {
            assert!(String::from_utf8(part).unwrap().contains(rest), "{ask}");
        }
    }
    place.end();
}

#[test]
fn what_a_client_may_send_has_its_bounds() {
    let place = Contact::new(
        Recorder::good(),
        "host = \"keep\"\nvia = false\nrequest_id = false\n[outbound.client]\nbody_bytes = \"10KiB\"\nhead_timeout = \"1s\"\n",
    );
    let head = "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶";
    let long = |count: usize| "x".repeat(count);
    for (name, ask, status) in [
        ("the head's bytes", format!("GET / HTTP/1.1¶Host: a¶X: {}¶¶", long(70_000)), 431),
        ("the target's bytes", format!("GET /{} HTTP/1.1¶Host: a¶¶", long(70_000)), 431),
        ("fields", format!("GET / HTTP/1.1¶Host: a¶{}¶", "X: y¶".repeat(128)), 431),
        ("a head without an end", format!("GET / HTTP/1.1¶Host: a¶{}", "X: y¶".repeat(20_000)), 431),
        ("a first line without an end", long(70_000), 431),
        ("an extension of a chunk", format!("{head}1;{}¶x¶0¶¶", long(5_000)), 400),
        ("zeros in front of a size", format!("{head}{}1¶x¶0¶¶", "0".repeat(17)), 400),
        ("trailers", format!("{head}0¶X: {}¶¶", long(17_000)), 400),
        ("the number of trailers", format!("{head}0¶{}¶", "X: y¶".repeat(65)), 400),
        ("a body's length", format!("POST / HTTP/1.1¶Host: a¶Content-Length: 10241¶¶{}", long(10_241)), 413),
        ("a body's chunks", format!("{head}2801¶{}¶0¶¶", long(10_241)), 413),
        ("a head's time", "GET / HTTP/1.1¶Host: a¶X: ".to_owned(), 408),
    ] {
        let mut stream = place.connect();
        let after = if status == 408 { "" } else { "GET /after HTTP/1.1¶Host: a¶¶" };
        say(&mut stream, &bytes(&format!("{ask}{after}")), usize::MAX);
        let said = hear(&mut stream, 0);
        let statuses: Vec<_> = said.answers.iter().map(|answer| answer.status).collect();
        assert_eq!((statuses, &*said.rest), (vec![status], &b""[..]), "{name}");
        assert!(said.answers[0].head.contains("\r\nconnection: close\r\n"), "{name}: {said:?}");
        place.canary(name);
        assert!(place.arrived().0.is_empty(), "{name}");
    }
    // At the bound.
    let fields = "X: y¶".repeat(127);
    let mut stream = place.connect();
    say(&mut stream, &bytes(&format!("GET /{} HTTP/1.1¶Host: a¶{fields}¶", long(60_000))), usize::MAX);
    assert_eq!(hear(&mut stream, 1).answers[0].status, 200);
    say(&mut stream, &bytes(&format!("POST / HTTP/1.1¶Host: a¶Content-Length: 10240¶¶{}", long(10_240))), usize::MAX);
    assert_eq!(hear(&mut stream, 1).answers[0].status, 200);
    place.end();
}

#[test]
fn who_sent_it_is_told_once() {
    for (mode, sent, arrives) in [
        (
            "x-forwarded",
            "X-Forwarded-For: 10.0.0.1",
            "x-forwarded-for: 10.0.0.1, unknown¶x-forwarded-host: a¶x-forwarded-proto: http¶",
        ),
        (
            "x-forwarded",
            "Connection: X-Forwarded-For¶X-Forwarded-For: 10.0.0.1¶x-forwarded-for: 10.0.0.2",
            "x-forwarded-for: 10.0.0.1, 10.0.0.2, unknown¶x-forwarded-host: a¶x-forwarded-proto: http¶",
        ),
        (
            "x-forwarded",
            "Connection: close, x-forwarded-host, x-forwarded-proto",
            "x-forwarded-for: unknown¶x-forwarded-host: a¶x-forwarded-proto: http¶",
        ),
        ("forwarded", "Forwarded: for=10.0.0.1", "forwarded: for=10.0.0.1, for=unknown;proto=http;host=\"a\"¶"),
        ("forwarded", "Forwarded: for=\"a, \\\"b\"", "forwarded: for=\"a, \\\"b\", for=unknown;proto=http;host=\"a\"¶"),
        // Ours would be within its text.
        ("forwarded", "Forwarded: for=\"10.0.0.1", "forwarded: for=unknown;proto=http;host=\"a\"¶"),
        ("forwarded", "Forwarded: for=\"10.0.0.1\\\"", "forwarded: for=unknown;proto=http;host=\"a\"¶"),
        ("strip", "X-Forwarded-For: 10.0.0.1¶Forwarded: for=x¶x-FORWARDED-host: b¶X-Forwarded-Proto: https", ""),
        ("pass", "X-Forwarded-For: 10.0.0.1¶Forwarded: for=x", "X-Forwarded-For: 10.0.0.1¶Forwarded: for=x¶"),
    ] {
        let settings = format!("host = \"keep\"\nvia = false\nrequest_id = false\nforwarded = \"{mode}\"\n");
        let place = Contact::new(Recorder::good(), &settings);
        let mut stream = place.connect();
        say(&mut stream, &bytes(&format!("GET / HTTP/1.1¶Host: a¶{sent}¶¶")), usize::MAX);
        assert_eq!(hear_of(&mut stream, 1, |_| "GET").answers[0].status, 200);
        let arrived = String::from_utf8(place.arrived().0.remove(0)).unwrap().replace("\r\n", "¶");
        assert_eq!(arrived, format!("GET / HTTP/1.1¶host: a¶{arrives}¶"), "{mode}: {sent}");
        place.end();
    }
}
