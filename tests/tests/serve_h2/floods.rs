//! Clients that send far more than they are entitled to, or take far less: memory stays within bounds, and others are
//! served.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use unladen_tests::frames::{Frame, Http2, block, code, flag, kind};
use unladen_tests::{Recorder, Serve};

use crate::support::{LONG, client, connect, is_alive, is_served, memory, ping, request, serve};

/// What a flood may cost, in MiB: the floods below are of 10 to 30 MB, and what they are made to be kept as is many
/// times that.
const MEMORY: u64 = 24;

/// For a peer that is not expected to take all.
const SHORT: Duration = Duration::from_millis(500);

/// How a flood ends.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Ends {
    /// It is not read to its end: the connection is closed, or nothing more is taken.
    Cut,
    /// It is read, and amounts to nothing.
    Read,
}

/// Sends `each` so many times, until the peer takes no more for a while: whether it took all.
fn pour(client: &mut Http2<UnixStream>, each: &[u8], count: usize, patience: Duration) -> bool {
    client.stream.set_write_timeout(Some(patience)).unwrap();
    let many = (60_000 / each.len()).clamp(1, count);
    let piece = each.repeat(many);
    (0..count / many).all(|_| client.stream.write_all(&piece).is_ok())
}

#[track_caller]
fn costs_little(serve: &Serve, before: u64, name: &str) {
    is_served(serve, name);
    let now = memory(serve);
    assert!(now <= before + MEMORY, "{name}: {before} MiB became {now} MiB");
}

#[test]
fn frames_without_end() {
    let upstream = Recorder::good();
    let serve = serve(&upstream.url(), "");
    is_served(&serve, "nothing");
    let before = memory(&serve);
    let head = Frame::new(kind::HEADERS, 0, 1, block(&[(b":method", b"GET")])).bytes();
    let more = |payload: Vec<u8>| Frame::new(kind::CONTINUATION, 0, 1, payload).bytes();
    let post = request(1, "POST", "/", false).bytes();
    for (name, first, each, count, ends) in [
        ("heads that go on with nothing", head.clone(), more(Vec::new()), 1_000_000, Ends::Cut),
        ("heads that go on with little", head.clone(), more(block(&[(b"x", b"y")])), 1_000_000, Ends::Cut),
        ("heads that go on with much", head, more(block(&[(b"x", &[b'y'; 16_000])])), 1000, Ends::Cut),
        ("PINGs, and no answer read", Vec::new(), ping(0).bytes(), 1_000_000, Ends::Cut),
        ("settings, and no answer read", Vec::new(), Frame::settings(&[(3, 100), (1, 0)]).bytes(), 500_000, Ends::Cut),
        ("empty pieces of a body", post.clone(), Frame::data(1, [], false).bytes(), 1_000_000, Ends::Cut),
        (
            "pieces that are padding",
            post,
            Frame::new(kind::DATA, flag::PADDED, 1, [200; 201]).bytes(),
            50_000,
            Ends::Cut,
        ),
        ("more window", Vec::new(), Frame::window(0, 1).bytes(), 500_000, Ends::Read),
        ("priorities", Vec::new(), Frame::new(kind::PRIORITY, 0, 3, [0, 0, 0, 0, 1]).bytes(), 500_000, Ends::Read),
        ("unknown frames", Vec::new(), Frame::new(0xee, 0xff, 3, [0; 1000]).bytes(), 10_000, Ends::Read),
    ] {
        let mut client = client(&serve);
        client.say(&first);
        let patience = if ends == Ends::Cut { SHORT } else { LONG };
        let took_all = pour(&mut client, &each, count, patience);
        costs_little(&serve, before, name);
        assert_eq!(took_all, ends == Ends::Read, "{name}");
        assert!(ends == Ends::Cut || is_alive(&mut client), "{name}");
    }
    serve.stop();
}

#[test]
fn others_are_served_meanwhile() {
    let upstream = Recorder::good();
    let serve = serve(&upstream.url(), "");
    for each in [Frame::window(0, 1).bytes(), Frame::new(0xee, 0, 3, [0; 100]).bytes(), b"\r\n".repeat(1000)] {
        let ended = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let flooding = scope.spawn(|| {
                while !ended.load(Ordering::Relaxed) {
                    let mut client = client(&serve);
                    for _ in 0..10 {
                        if ended.load(Ordering::Relaxed) || !pour(&mut client, &each, 10_000, SHORT) {
                            break;
                        }
                    }
                }
            });
            (0..20).for_each(|_| is_served(&serve, "a flood that goes on"));
            ended.store(true, Ordering::Relaxed);
            flooding.join().unwrap();
        });
    }
    serve.stop();
}

/// How a connection that is cut off ends: the code of its GOAWAY.
fn goaway(client: &mut Http2<UnixStream>) -> Option<u32> {
    client.wait(|frame| frame.kind == kind::GOAWAY)?.code()
}

#[test]
fn requests_that_are_taken_back() {
    let upstream = Recorder::good();
    let serve = serve(&upstream.url(), "");
    is_served(&serve, "nothing");
    let before = memory(&serve);
    // By the client itself, or by what makes us reset them.
    let backs: [fn(u32) -> Frame; 3] = [
        |stream| Frame::reset(stream, code::CANCEL),
        |stream| Frame::window(stream, 0),
        |stream| Frame::new(kind::PRIORITY, 0, stream, [0; 4]),
    ];
    for (number, back) in backs.into_iter().enumerate() {
        upstream.take();
        let mut client = client(&serve);
        let mut sent = 0;
        while sent < 10_000 {
            let stream = sent * 2 + 1;
            if !client.say(&[request(stream, "GET", "/", true).bytes(), back(stream).bytes()].concat()) {
                break;
            }
            sent += 1;
        }
        assert!(sent < 10_000, "{number}: all are taken");
        let code = goaway(&mut client);
        // What is malformed may end the connection at once.
        let is_known = matches!(code, Some(code::ENHANCE_YOUR_CALM | code::PROTOCOL_ERROR | code::FRAME_SIZE_ERROR));
        assert!(code == Some(code::ENHANCE_YOUR_CALM) || (number > 0 && is_known), "{number}: {code:?}");
        costs_little(&serve, before, "requests that are taken back");
        let asked: usize = upstream.take().iter().map(|recorded| recorded.requests.len()).sum();
        assert!(asked < 2000, "{number}: the upstream is asked {asked} times");
    }
    serve.stop();
}

#[test]
fn heads_that_grow_when_they_are_unpacked() {
    let upstream = Recorder::good();
    let serve = serve(&upstream.url(), "");
    is_served(&serve, "nothing");
    let before = memory(&serve);
    // A field of 4,000 bytes is kept in the table, and named 16,000 times by a byte each: 64 MB.
    let mut packed = block(&[(b":method", b"GET"), (b":scheme", b"http"), (b":path", b"/"), (b":authority", b"a")]);
    packed.extend([0x40, 1, b'x', 0x7f, 0xa1, 0x1e]);
    packed.extend([b'y'; 4000]);
    packed.extend([0xbe; 10_000]);
    for _ in 0..10 {
        let mut client = client(&serve);
        client.send(&Frame::new(kind::HEADERS, flag::END_HEADERS | flag::END_STREAM, 1, packed.clone()));
        let ended = client.wait(|frame| matches!(frame.kind, kind::GOAWAY | kind::HEADERS)).expect("an answer");
        assert!(ended.kind == kind::GOAWAY || ended.status() == Some(431), "{ended:?}");
    }
    costs_little(&serve, before, "heads that grow");
    assert!(upstream.take().iter().flat_map(|recorded| &recorded.requests).all(|request| request.len() < 500));
    serve.stop();
}

/// An upstream that answers each connection with a body of 64 MB, as far as it is taken.
fn generous() -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let _ = stream.read(&mut [0; 4096]);
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 67108864\r\n\r\n");
                while stream.write_all(&[b'x'; 65_536]).is_ok() {}
            });
        }
    });
    url
}

#[test]
fn answers_that_are_not_taken() {
    let serve = serve(&generous(), "");
    let before = memory(&serve);
    let mut clients = Vec::new();
    for window in [0, 1, 65_535, 0x7fff_ffff] {
        let mut client = Http2::client(connect(&serve));
        client.send(&Frame::settings(&[(4, window)]));
        client.send(&Frame::window(0, 0x7fff_0000));
        for number in 0..100 {
            client.send(&request(number * 2 + 1, "GET", "/", true));
        }
        // Nothing of it is read from now on.
        clients.push(client);
    }
    std::thread::sleep(Duration::from_millis(1500));
    let now = memory(&serve);
    // Of 400 answers of 64 MB each, so much at a time: what is read of each, and what waits to be sent.
    assert!(now <= before + 64, "{before} MiB became {now} MiB");
    drop(clients);
    serve.stop();
}

/// Takes connections, and never reads from them.
pub(crate) fn deaf() -> (String, TcpListener) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    (format!("http://{}", listener.local_addr().unwrap()), listener)
}

#[test]
fn bodies_that_the_upstream_does_not_take() {
    let (url, _listener) = deaf();
    let serve = serve(&url, "");
    let before = memory(&serve);
    let mut clients = Vec::new();
    for size in [1, 16, 100, 16_384] {
        let mut client = client(&serve);
        // Windows are as wide as the settings say when those have been acknowledged.
        assert!(is_alive(&mut client));
        for number in 0..20 {
            client.send(&request(number * 2 + 1, "POST", "/", false));
        }
        // As much as the windows allow, and far beyond.
        for number in 0..20 {
            let piece = Frame::data(number * 2 + 1, vec![b'x'; size], false).bytes();
            if !pour(&mut client, &piece, (400_000 / size).min(30_000), SHORT) {
                break;
            }
        }
        clients.push(client);
    }
    let now = memory(&serve);
    assert!(now <= before + MEMORY, "{before} MiB became {now} MiB");
    drop(clients);
    serve.stop();
}

#[test]
fn small_pieces_may_wait_for_a_slow_upstream() {
    let (url, _listener) = deaf();
    let serve = serve(&url, "");
    let mut client = client(&serve);
    // Windows are as wide as the settings say when those have been acknowledged.
    assert!(is_alive(&mut client));
    client.send(&request(1, "POST", "/", false));
    let piece = Frame::data(1, [b'x'; 20], false).bytes();
    assert!(pour(&mut client, &piece, 256 * 1024 / 20, LONG));
    assert!(is_alive(&mut client), "a window full of small pieces ends the connection");
    drop(client);
    serve.stop();
}
