//! Upstreams of HTTP/2: what they are told, and what becomes of answers that are none. The client speaks HTTP/1.1,
//! which has no place for what HTTP/2 leaves open.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use unladen_tests::Serve;
use unladen_tests::frames::{Frame, Http2, block, code, flag, kind};

use crate::support::{LONG, ask, connect, is_served, ping, serve};
use Gives::{Broken, Given, Refused};

/// An upstream that speaks HTTP/2 at once. Each connection has a thread.
struct Upstream {
    url: String,
    connections: Arc<AtomicUsize>,
}

impl Upstream {
    /// `talk` is given each connection and its number, counted from 0.
    fn start(talk: impl Fn(&mut Http2<TcpStream>, usize) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let connections = Arc::new(AtomicUsize::new(0));
        let (counter, talk) = (connections.clone(), Arc::new(talk));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let number = counter.fetch_add(1, Ordering::SeqCst);
                let talk = talk.clone();
                std::thread::spawn(move || {
                    let _ = stream.set_nodelay(true);
                    talk(&mut Http2::server(stream), number);
                });
            }
        });
        Self { url, connections }
    }

    fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

/// The next request's stream; none when the client has gone.
fn next(peer: &mut Http2<TcpStream>) -> Option<u32> {
    peer.wait(|frame| frame.kind == kind::HEADERS).map(|frame| frame.stream)
}

/// 200 and `ok`.
fn good(stream: u32) -> Vec<u8> {
    [status(stream, "200", &[("content-length", "2")], false), Frame::data(stream, *b"ok", true).bytes()].concat()
}

fn status(stream: u32, status: &str, more: &[(&str, &str)], ends: bool) -> Vec<u8> {
    let mut fields = vec![(&b":status"[..], status.as_bytes())];
    fields.extend(more.iter().map(|(name, value)| (name.as_bytes(), value.as_bytes())));
    Frame::head(stream, &fields, ends).bytes()
}

/// A head of these fields alone.
fn fields(stream: u32, list: &[(&str, &str)], ends: bool) -> Vec<u8> {
    let list: Vec<_> = list.iter().map(|(name, value)| (name.as_bytes(), value.as_bytes())).collect();
    Frame::head(stream, &list, ends).bytes()
}

fn data(stream: u32, bytes: &str, ends: bool) -> Vec<u8> {
    Frame::data(stream, bytes, ends).bytes()
}

/// What a client of HTTP/1.1 is given.
#[derive(Debug, Clone, Copy)]
enum Gives {
    /// A status, what else its head has, and all that follows the head.
    Given(u16, &'static str, &'static str),
    /// 502.
    Refused,
    /// A part, and the connection's end; or 502, if that part had not gone out yet.
    Broken,
}

/// A name, a method, the frames on a stream, and what the client is given.
type Case = (&'static str, &'static str, fn(u32) -> Vec<u8>, Gives);

#[rustfmt::skip]
const CASES: &[Case] = &[
    ("an answer", "GET", good, Given(200, "content-length: 2\r\n", "ok")),
    ("no length", "GET", |s| [status(s, "200", &[], false), data(s, "ok", true)].concat(), Given(200, "transfer-encoding: chunked\r\n", "2\r\nok\r\n0\r\n\r\n")),
    ("no body", "GET", |s| status(s, "200", &[], true), Given(200, "content-length: 0\r\n", "")),
    ("zeros in front of a length", "GET", |s| [status(s, "200", &[("content-length", "0002")], false), data(s, "ok", true)].concat(), Given(200, "content-length: 2\r\n", "ok")),
    ("equal lengths", "GET", |s| [status(s, "200", &[("content-length", "2"), ("content-length", "2")], false), data(s, "ok", true)].concat(), Given(200, "content-length: 2\r\n", "ok")),
    ("lengths that differ", "GET", |s| [status(s, "200", &[("content-length", "2"), ("content-length", "3")], false), data(s, "ok", true)].concat(), Refused),
    ("a list of lengths", "GET", |s| [status(s, "200", &[("content-length", "2, 2")], false), data(s, "ok", true)].concat(), Refused),
    ("a length without a body", "GET", |s| status(s, "200", &[("content-length", "5")], true), Refused),
    ("less than the length", "GET", |s| [status(s, "200", &[("content-length", "5")], false), data(s, "ok", true)].concat(), Broken),
    ("more than the length", "GET", |s| [status(s, "200", &[("content-length", "2")], false), data(s, "okay", true)].concat(), Broken),
    ("HEAD", "HEAD", |s| status(s, "200", &[("content-length", "5")], true), Given(200, "content-length: 5\r\n", "")),
    ("HEAD with a body", "HEAD", |s| [status(s, "200", &[("content-length", "5")], false), data(s, "hello", true)].concat(), Given(200, "content-length: 5\r\n", "")),
    ("204", "GET", |s| status(s, "204", &[], true), Given(204, "", "")),
    ("204 with a body", "GET", |s| [status(s, "204", &[], false), data(s, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", true)].concat(), Given(204, "", "")),
    ("204 with a length", "GET", |s| status(s, "204", &[("content-length", "5")], true), Refused),
    ("204 with a length of 0", "GET", |s| status(s, "204", &[("content-length", "0")], true), Given(204, "", "")),
    ("304 with a length", "GET", |s| status(s, "304", &[("content-length", "5")], true), Given(304, "content-length: 5\r\n", "")),
    ("304 with a body", "GET", |s| [status(s, "304", &[], false), data(s, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", true)].concat(), Given(304, "", "")),
    ("interim answers", "GET", |s| [status(s, "103", &[("link", "x")], false), good(s)].concat(), Given(200, "content-length: 2\r\n", "ok")),
    ("an interim answer with a length", "GET", |s| [status(s, "103", &[("content-length", "5")], false), good(s)].concat(), Refused),
    ("an interim answer that is the end", "GET", |s| status(s, "103", &[], true), Refused),
    ("interim answers without end", "GET", |s| [status(s, "103", &[], false).repeat(1000), good(s)].concat(), Refused),
    ("101", "GET", |s| [status(s, "101", &[], false), data(s, "evil", true)].concat(), Refused),
    ("no status", "GET", |s| fields(s, &[("content-length", "0")], true), Refused),
    ("a status that is none", "GET", |s| status(s, "abc", &[], true), Refused),
    ("a status of two digits", "GET", |s| status(s, "99", &[], true), Refused),
    ("a status beyond 599", "GET", |s| status(s, "600", &[], true), Refused),
    ("two statuses", "GET", |s| fields(s, &[(":status", "200"), (":status", "204")], true), Refused),
    ("a status after fields", "GET", |s| fields(s, &[("x", "y"), (":status", "200")], true), Refused),
    ("a name in capitals", "GET", |s| status(s, "200", &[("X-Own", "y")], true), Refused),
    ("Connection", "GET", |s| status(s, "200", &[("connection", "close")], true), Refused),
    ("a coding", "GET", |s| [status(s, "200", &[("transfer-encoding", "chunked")], false), data(s, "0\r\n\r\n", true)].concat(), Refused),
    ("CRLF in a value", "GET", |s| status(s, "200", &[("x", "y\r\n\r\nHTTP/1.1 200 OK")], true), Refused),
    ("NUL in a value", "GET", |s| status(s, "200", &[("x", "a\0b")], true), Refused),
    ("trailers", "GET", |s| [status(s, "200", &[], false), data(s, "ok", false), fields(s, &[("x-sum", "1")], true)].concat(), Given(200, "transfer-encoding: chunked\r\n", "2\r\nok\r\n0\r\nx-sum: 1\r\n\r\n")),
    ("a length in trailers", "GET", |s| [status(s, "200", &[], false), data(s, "ok", false), fields(s, &[("content-length", "9")], true)].concat(), Broken),
    ("a cookie in trailers", "GET", |s| [status(s, "200", &[], false), data(s, "ok", false), fields(s, &[("set-cookie", "a=b")], true)].concat(), Broken),
    ("trailers that are not the end", "GET", |s| [status(s, "200", &[], false), data(s, "ok", false), fields(s, &[("x-sum", "1")], false)].concat(), Broken),
    ("a body before its head", "GET", |s| data(s, "ok", true), Refused),
    ("a body after the end", "GET", |s| [good(s), data(s, "evil", true)].concat(), Given(200, "content-length: 2\r\n", "ok")),
    ("a reset", "POST", |s| Frame::reset(s, code::INTERNAL_ERROR).bytes(), Refused),
    ("a reset in a body", "GET", |s| [status(s, "200", &[], false), data(s, "ok", false), Frame::reset(s, code::CANCEL).bytes()].concat(), Broken),
    ("a reset after the end", "GET", |s| [good(s), Frame::reset(s, code::NO_ERROR).bytes()].concat(), Given(200, "content-length: 2\r\n", "ok")),
    ("a promise", "GET", |s| [Frame::new(kind::PUSH_PROMISE, flag::END_HEADERS, s, [&[0, 0, 0, 2][..], &block(&[(b":method", b"GET")])].concat()).bytes(), good(s)].concat(), Refused),
    ("a frame that is too large", "GET", |s| [status(s, "200", &[], false), Frame::data(s, vec![b'x'; 16_385], true).bytes()].concat(), Broken),
    ("a head that cannot be unpacked", "GET", |s| Frame::new(kind::HEADERS, 5, s, [0xc6]).bytes(), Refused),
    ("a head that is too large", "GET", |s| [Frame::new(kind::HEADERS, 0, s, block(&[(b":status", b"200")])).bytes(), Frame::new(kind::CONTINUATION, 0, s, block(&[(b"x", &[b'y'; 16_000])])).bytes().repeat(5), Frame::new(kind::CONTINUATION, flag::END_HEADERS, s, []).bytes(), data(s, "ok", true)].concat(), Refused),
    ("a head without end", "GET", |s| [Frame::new(kind::HEADERS, 0, s, block(&[(b":status", b"200")])).bytes(), Frame::new(kind::CONTINUATION, 0, s, []).bytes().repeat(100_000)].concat(), Refused),
    ("more than the window", "GET", |s| [status(s, "200", &[], false), Frame::data(s, vec![b'x'; 16_384], false).bytes().repeat(400)].concat(), Broken),
    ("settings that are none", "GET", |s| [Frame::settings(&[(4, 0x8000_0000)]).bytes(), good(s)].concat(), Refused),
    ("no window", "GET", |s| [Frame::window(0, 0).bytes(), good(s)].concat(), Refused),
    ("HTTP/1.1", "GET", |_| b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".to_vec(), Refused),
];

#[test]
fn each_is_one_answer_or_none() {
    let current = Arc::new(AtomicUsize::new(usize::MAX));
    let asked = current.clone();
    let upstream = Upstream::start(move |peer, _| {
        while let Some(stream) = next(peer) {
            let frames =
                CASES.get(asked.swap(usize::MAX, Ordering::SeqCst)).map_or(good as fn(u32) -> _, |case| case.2);
            peer.say(&frames(stream));
        }
    });
    let serve = serve(&upstream.url, "http = \"2\"\nvia = false\n[outbound.retry]\nattempts = 0\n");
    let mut wrong = Vec::new();
    for (number, (name, method, _, gives)) in CASES.iter().enumerate() {
        is_served(&serve, name);
        current.store(number, Ordering::SeqCst);
        let all = ask(&serve, method, "/", "");
        // Interim ones are passed on.
        let mut rest = all.as_str();
        while let Some(("HTTP/1.1 103 Early Hints" | "HTTP/1.1 103 Early Hints\r\nlink: x", after)) =
            rest.split_once("\r\n\r\n")
        {
            rest = after;
        }
        let (head, body) = rest.split_once("\r\n\r\n").unwrap_or((rest, ""));
        let lines: Vec<_> = head.split("\r\n").filter(|line| !line.starts_with("date: ")).collect();
        let is_as_told = match gives {
            Given(status, more, rest) => {
                lines[0].starts_with(&format!("HTTP/1.1 {status} "))
                    && lines[1..].join("\r\n") + "\r\n" == format!("{more}connection: close\r\n")
                    && body == *rest
            }
            Broken if lines[0] != "HTTP/1.1 502 Bad Gateway" => {
                // Neither the length nor the last chunk is there.
                !all.contains("\r\n0\r\n") && !all.ends_with("\r\n\r\nok")
            }
            Refused | Broken => lines[0] == "HTTP/1.1 502 Bad Gateway" && body.starts_with("502 upstream_"),
        };
        if !is_as_told {
            wrong.push(format!(
                "{name}: {gives:?} was to be, and it was {:?}",
                all.chars().take(500).collect::<String>()
            ));
        }
    }
    is_served(&serve, "all");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    serve.stop();
}

/// Sends a request of HTTP/1.1 without waiting for what comes of it.
fn begin(serve: &Serve, method: &str, more: &str, body: &[u8]) -> std::os::unix::net::UnixStream {
    let mut stream = connect(serve);
    let head = format!("{method} / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{more}\r\n");
    stream.write_all(&[head.as_bytes(), body].concat()).unwrap();
    stream
}

fn end(mut stream: std::os::unix::net::UnixStream) -> Vec<u8> {
    let mut all = Vec::new();
    stream.read_to_end(&mut all).unwrap();
    all
}

#[test]
fn what_an_upstream_is_told_is_in_order() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let frames = told.clone();
    let upstream = Upstream::start(move |peer, _| {
        peer.send(&Frame::new(kind::PING, 0, 0, *b"are you?"));
        peer.send(&Frame::settings(&[(4, 10), (0xee, 1)]));
        while let Some(frame) = peer.frame() {
            let (kind, ends, stream) = (frame.kind, frame.ends(), frame.stream);
            if kind == kind::DATA {
                // The first request may have come before the settings went.
                assert!(stream == 1 || frame.payload.len() <= 10, "more than the window");
                if !frame.payload.is_empty() {
                    peer.send(&Frame::window(stream, frame.payload.len() as u32));
                }
            }
            frames.lock().unwrap().push(frame);
            if ends {
                // More than the window of a stream; it is taken, and way is given to the rest.
                peer.say(&status(stream, "200", &[], false));
                let mut window: i64 = 256 * 1024;
                for _ in 0..100 {
                    while window < 16_384 {
                        let Some(more) = peer.frame() else { return };
                        frames.lock().unwrap().push(more.clone());
                        if more.kind == kind::WINDOW_UPDATE && more.stream == stream {
                            window += i64::from(u32::from_be_bytes(more.payload[..].try_into().unwrap()));
                        }
                    }
                    window -= 16_384;
                    peer.send(&Frame::data(stream, vec![b'x'; 16_384], false));
                }
                peer.send(&Frame::data(stream, [], true));
            }
        }
    });
    let serve = serve(&upstream.url, "http = \"2\"\n");
    for _ in 0..2 {
        let all = end(begin(&serve, "POST", "Content-Length: 45\r\n", &[b'y'; 45]));
        assert_eq!(all.iter().filter(|byte| **byte == b'x').count(), 1_638_400);
    }
    serve.stop();
    let told = told.lock().unwrap();
    let settings = &told[0];
    assert_eq!((settings.kind, settings.flags), (kind::SETTINGS, 0));
    assert!(
        settings.payload.chunks(6).any(|setting| *setting == [0, 2, 0, 0, 0, 0]),
        "it takes promises: {settings:?}"
    );
    let count = |is_it: &dyn Fn(&&Frame) -> bool| told.iter().filter(is_it).count();
    assert_eq!(count(&|frame| frame.kind == kind::PING && frame.flags == flag::ACK && frame.payload == b"are you?"), 1);
    assert_eq!(count(&|frame| frame.kind == kind::SETTINGS && frame.flags == flag::ACK), 2);
    let streams: Vec<_> = told.iter().filter(|frame| frame.kind == kind::HEADERS).map(|frame| frame.stream).collect();
    assert_eq!(streams, [1, 3], "one connection, and odd numbers");
    let body: Vec<_> = told.iter().filter(|frame| frame.kind == kind::DATA && frame.stream == 3).collect();
    assert_eq!(body.iter().map(|frame| frame.payload.len()).sum::<usize>(), 45);
    assert_eq!(body.iter().filter(|frame| frame.ends()).count(), 1);
    assert_eq!(upstream.connections(), 1);
}

#[test]
fn no_more_streams_are_opened_than_the_upstream_allows() {
    let upstream = Upstream::start(|peer, _| {
        peer.send(&Frame::settings(&[(3, 2)]));
        let mut waiting = std::collections::VecDeque::new();
        while let Some(frame) = peer.frame() {
            if frame.kind == kind::HEADERS {
                waiting.push_back(frame.stream);
                assert!(waiting.len() <= 2, "more streams than allowed");
                // Answered when this has come back; others may come meanwhile.
                std::thread::sleep(Duration::from_millis(5));
                peer.send(&ping(7));
            } else if frame.kind == kind::PING && frame.flags == flag::ACK {
                let stream = waiting.pop_front().unwrap();
                peer.say(&good(stream));
            }
        }
    });
    let serve = serve(&upstream.url, "http = \"2\"\n");
    // The first one learns of the bound.
    let asked: Vec<_> = (0..2).map(|_| begin(&serve, "GET", "", b"")).collect();
    asked.into_iter().for_each(|stream| assert!(end(stream).starts_with(b"HTTP/1.1 200 ")));
    let asked: Vec<_> = (0..12).map(|_| begin(&serve, "GET", "", b"")).collect();
    asked.into_iter().for_each(|stream| assert!(end(stream).starts_with(b"HTTP/1.1 200 ")));
    serve.stop();
}

#[test]
fn what_was_not_looked_at_is_sent_again() {
    // The first connection refuses in this way; the others answer.
    let ways: [fn(u32) -> Vec<u8>; 3] = [
        |stream| Frame::reset(stream, code::REFUSED_STREAM).bytes(),
        // GOAWAY that covers no stream, or all before this one.
        |_| Frame::new(kind::GOAWAY, 0, 0, [0; 8]).bytes(),
        |stream| Frame::new(kind::GOAWAY, 0, 0, [(stream - 2).to_be_bytes(), [0; 4]].concat()).bytes(),
    ];
    for (number, way) in ways.into_iter().enumerate() {
        let refused = Arc::new(AtomicUsize::new(0));
        let counter = refused.clone();
        let upstream = Upstream::start(move |peer, _| {
            while let Some(stream) = next(peer) {
                if stream == 3 && counter.fetch_add(1, Ordering::SeqCst) == 0 {
                    peer.say(&way(stream));
                } else {
                    peer.say(&good(stream));
                }
            }
        });
        let serve = serve(&upstream.url, "http = \"2\"\n[outbound.retry]\nattempts = 0\n");
        is_served(&serve, "the first");
        // Not one that may be sent twice.
        let answer = end(begin(&serve, "POST", "Content-Length: 1\r\n", b"x"));
        assert!(answer.starts_with(b"HTTP/1.1 200 "), "{number}: {}", answer.escape_ascii());
        assert!(refused.load(Ordering::SeqCst) >= 1);
        is_served(&serve, "the next");
        serve.stop();
    }
}

#[test]
fn a_connection_that_is_to_end_takes_no_more() {
    let upstream = Upstream::start(|peer, _| {
        let Some(stream) = next(peer) else { return };
        let after = Frame::new(kind::GOAWAY, 0, 0, [stream.to_be_bytes(), [0; 4]].concat());
        peer.send(&after);
        std::thread::sleep(Duration::from_millis(30));
        peer.say(&good(stream));
        assert_eq!(next(peer), None, "a request after GOAWAY");
    });
    let serve = serve(&upstream.url, "http = \"2\"\n[outbound.retry]\nattempts = 0\n");
    for _ in 0..5 {
        is_served(&serve, "GOAWAY");
    }
    assert!(upstream.connections() >= 5);
    serve.stop();
}

#[test]
fn one_slow_client_costs_the_others_nothing() {
    let upstream = Upstream::start(|peer, _| {
        while let Some(stream) = next(peer) {
            if stream == 1 {
                // Small events, one after the other, until the window is full.
                peer.say(&status(stream, "200", &[], false));
                peer.say(&Frame::data(stream, *b"an event", false).bytes().repeat(256 * 1024 / 8));
            } else {
                peer.say(&good(stream));
            }
        }
    });
    let serve = serve(&upstream.url, "http = \"2\"\n");
    let mut slow = begin(&serve, "GET", "", b"");
    slow.set_read_timeout(Some(LONG)).unwrap();
    slow.read_exact(&mut [0; 100]).unwrap();
    for _ in 0..50 {
        is_served(&serve, "a slow client");
    }
    assert_eq!(upstream.connections(), 1);
    drop(slow);
    serve.stop();
}

#[test]
fn a_target_is_taken_or_refused() {
    let upstream = Upstream::start(|peer, _| {
        while let Some(stream) = next(peer) {
            peer.say(&good(stream));
        }
    });
    let serve = serve(&upstream.url, "http = \"2\"\n");
    for byte in (0x21..0x7f).map(char::from).filter(|byte| *byte != '#') {
        for (target, refused) in [(format!("/a{byte}b"), "<>`"), (format!("/?{byte}"), "<>\"")] {
            // No target has them (RFC 3986), and its library does not send them; HTTP/1 sends on what comes.
            let status = if refused.contains(byte) { "400 Bad Request" } else { "200 OK" };
            let answer = ask(&serve, "GET", &target, "");
            assert!(answer.starts_with(&format!("HTTP/1.1 {status}\r\n")), "{target}: {answer}");
        }
    }
    assert!(ask(&serve, "OPTIONS", "*", "").starts_with("HTTP/1.1 200 OK\r\n"));
    serve.stop();
}
