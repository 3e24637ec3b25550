//! Clients that send or read slowly hold up themselves, and not the application: `unladen serve` in front of it reads
//! what they send before it asks, and what they are sent before they take it.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use nix::sys::signal::Signal;
use unladen_tests::h2::{H2Answer, H2Client, request, send_body};
use unladen_tests::site::{app, get, page};
use unladen_tests::{Serve, Site, Upstream, Wire, wait};

const MIB: usize = 1 << 20;
/// Far above what any wait of the tests takes.
const LIMIT: Duration = Duration::from_secs(40);

/// Answers each request with its target and the length and a sum of its body.
fn telling() -> Upstream {
    app(|request| page("Cache-Control: no-store\r\n", &told(&request.target, &request.body)))
}

fn told(target: &str, body: &[u8]) -> String {
    let sum = body.iter().fold(7_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
    format!("{target} {} {sum}", body.len())
}

/// Bytes of which no two neighbouring blocks are alike.
fn bytes(length: usize) -> Vec<u8> {
    let block: Vec<u8> = (0..65_536).map(|at| (at % 251) as u8).collect();
    let mut bytes = block.repeat(length / 65_536 + 1);
    bytes.truncate(length);
    bytes.chunks_mut(65_536).zip(1_u8..=255).for_each(|(block, number)| block[0] = number);
    bytes
}

fn post(path: &str, lines: &str) -> String {
    format!("POST {path} HTTP/1.1\r\nHost: test\r\n{lines}\r\n")
}

/// Waits until a metric is at least this much.
fn wait_for(site: &Site, start: &str, least: f64) {
    wait::until_ok(&format!("it is {least}"), || {
        let text = Wire::unix(&site.path("admin.sock")).get("/metrics").is(200).text();
        let line = text.lines().find(|line| line.starts_with(start)).unwrap_or_default();
        let is_there =
            line.rsplit(' ').next().and_then(|value| value.parse().ok()).is_some_and(|value: f64| value >= least);
        if is_there { Ok(()) } else { Err(line.to_owned()) }
    });
}

/// A POST whose body has begun and does not go on.
fn begun(site: &Site, path: &str, length: usize) -> Wire {
    let mut wire = site.wire();
    wire.send(post(path, &format!("Content-Length: {length}\r\n")));
    wire.send(b"x");
    wire
}

#[test]
fn forty_five_slow_uploads_hold_none_of_the_application() {
    let app = telling();
    let site = Site::of(&app, "[site.limits]\nconnections = 4\npending = 8\nrequests = 16");
    let mut slow: Vec<Wire> = (0..45).map(|number| begun(&site, &format!("/slow/{number}"), 100)).collect();
    for number in 0..20 {
        let (path, body) = (format!("/honest/{number}"), b"all of it");
        assert_eq!(site.wire().post(&path, body).is(200).text(), told(&path, body));
        assert_eq!(site.get(&path).is(200).text(), told(&path, b""));
    }
    assert!(app.seen().iter().all(|seen| seen.target.starts_with("/honest/")), "{:?}", app.seen());
    assert!(app.accepted() <= 4, "{}", app.accepted());
    for (number, wire) in slow.iter_mut().enumerate() {
        wire.send([b'y'; 99]);
        let body = [&b"x"[..], &[b'y'; 99]].concat();
        assert_eq!(wire.answer().is(200).text(), told(&format!("/slow/{number}"), &body));
    }
    site.stop();
}

#[tokio::test]
async fn slow_uploads_by_http2_hold_none_of_it_either() {
    let app = telling();
    let site = Site::of(&app, "[site.limits]\nconnections = 4\npending = 8\nrequests = 16");
    let client = H2Client::unix(&site.socket()).await;
    let mut slow = Vec::new();
    // Of five streams each: a connection has no more of what is held for clients than its share.
    let mut connections = Vec::new();
    for _ in 0..9 {
        connections.push(H2Client::unix(&site.socket()).await);
    }
    for number in 0..45 {
        let (answer, mut send) = connections[number / 5].send(request("POST", &format!("/slow/{number}")), false).await;
        send.send_data(Bytes::from_static(b"x"), false).expect("a stream");
        slow.push((answer, send));
    }
    for number in 0..20 {
        let path = format!("/honest/{number}");
        assert_eq!(client.get(&path).await.is(200).text(), told(&path, b""));
        assert_eq!(client.post(&path, b"all of it").await.is(200).text(), told(&path, b"all of it"));
    }
    assert!(app.seen().iter().all(|seen| seen.target.starts_with("/honest/")), "{:?}", app.seen());
    for (number, (answer, send)) in slow.into_iter().enumerate() {
        // More than a stream's window: it is read on.
        let rest = bytes(600_000);
        let sending = tokio::spawn(send_body(send, Bytes::from(rest.clone()), None));
        let answer = H2Answer::read(answer).await.expect("an answer").is(200);
        assert_eq!(answer.text(), told(&format!("/slow/{number}"), &[&b"x"[..], &rest].concat()));
        sending.await.expect("it ends").expect("all of it was taken");
    }
    site.stop();
}

#[test]
fn a_body_arrives_as_it_was_with_its_length_and_costs_no_memory() {
    let app = telling();
    let site = Site::of(&app, "[site.buffer]\nmemory = \"16KiB\"\nfolder = \".\"");
    site.get("/warm");
    let idle = site.memory();
    for length in [0, 1, 1000, 16_384, 16_385, 200_000, 48 * MIB] {
        let (path, body) = (format!("/{length}"), bytes(length));
        assert_eq!(site.wire().post(&path, &body).is(200).text(), told(&path, &body), "{length}");
        assert!(site.memory() < idle + 24 * MIB as u64, "{length}: {} KiB", (site.memory() - idle) / 1024);
    }
    let body = bytes(150_000);
    let mut wire = site.wire();
    wire.send(post("/chunked", "Transfer-Encoding: chunked\r\n"));
    for chunk in body.chunks(7777) {
        wire.send(format!("{:x}\r\n", chunk.len()));
        wire.send(chunk);
        wire.send("\r\n");
    }
    wire.send("0\r\n\r\n");
    assert_eq!(wire.answer().is(200).text(), told("/chunked", &body));
    wire.send(post("/trailers", "TE: trailers\r\nTransfer-Encoding: chunked\r\n"));
    wire.send("1\r\n");
    wire.send("a\r\n0\r\nX-Sum: 6\r\n\r\n");
    assert_eq!(wire.answer().is(200).text(), told("/trailers", b"a"));
    let seen = app.seen();
    let of = |target: &str| seen.iter().find(|seen| seen.target == target).expect("it was asked");
    assert_eq!(of("/chunked").field("content-length"), Some("150000"));
    assert_eq!(of("/chunked").field("transfer-encoding"), None);
    // What follows a body can only follow chunks.
    assert_eq!(of("/trailers").field("transfer-encoding"), Some("chunked"));
    assert_eq!(of("/trailers").trailers, [("x-sum".to_owned(), "6".to_owned())]);
    let files: Vec<_> =
        std::fs::read_dir(site.path("")).expect("its folder").flatten().map(|file| file.file_name()).collect();
    assert!(files.iter().all(|name| !name.to_string_lossy().contains(".unladen")), "{files:?}");
    site.stop();
}

/// A body with a length and trailers goes on in chunks: with both framings in one head, an application that goes by the
/// length would take what follows for a request.
#[tokio::test]
async fn a_body_of_http2_with_a_length_and_trailers_has_one_framing() {
    let app = telling();
    let site = Site::of(&app, "");
    let client = H2Client::unix(&site.socket()).await;
    let mut head = request("POST", "/both");
    head.headers_mut().insert("content-length", http::HeaderValue::from_static("5"));
    head.headers_mut().insert("te", http::HeaderValue::from_static("trailers"));
    let (answer, mut body) = client.send(head, false).await;
    body.send_data(Bytes::from_static(b"hello"), false).expect("it takes it");
    let mut trailers = http::HeaderMap::new();
    trailers.insert("x-sum", http::HeaderValue::from_static("6"));
    body.send_trailers(trailers).expect("it takes them");
    assert_eq!(H2Answer::read(answer).await.expect("an answer").is(200).text(), told("/both", b"hello"));
    let seen = app.seen();
    let framing = (seen[0].field("transfer-encoding"), seen[0].field("content-length"));
    assert_eq!(framing, (Some("chunked"), None));
    assert_eq!(seen[0].trailers, [("x-sum".to_owned(), "6".to_owned())]);
    site.stop();
}

#[test]
fn who_waits_for_leave_to_send_is_given_it_and_the_application_is_not_asked() {
    let app = telling();
    let site = Site::of(&app, "[site.client]\nbody_bytes = 1000");
    let mut wire = site.wire();
    wire.send(post("/expects", "Expect: 100-continue\r\nContent-Length: 5\r\n"));
    let leave = b"HTTP/1.1 100 Continue\r\n\r\n";
    assert_eq!(String::from_utf8_lossy(&wire.take(leave.len())), String::from_utf8_lossy(leave));
    assert!(app.seen().is_empty());
    wire.send("hello");
    assert_eq!(wire.answer().is(200).text(), told("/expects", b"hello"));
    assert_eq!(app.seen()[0].field("expect"), None);
    // What is refused is not asked for.
    let mut wire = site.wire();
    wire.send(post("/long", "Expect: 100-continue\r\nContent-Length: 1001\r\n"));
    wire.answer().refuses(413, "body_too_large");
    let mut wire = site.wire();
    wire.send(post("/longer", "Transfer-Encoding: chunked\r\n"));
    wire.send(format!("3e8\r\n{}\r\n1\r\nx\r\n", "x".repeat(1000)));
    wire.answer().refuses(413, "body_too_large");
    assert_eq!(app.seen().len(), 1);
    site.stop();
}

#[test]
fn who_leaves_before_the_end_has_asked_nothing() {
    let app = telling();
    let site = Site::of(&app, "");
    begun(&site, "/gone", 100).end();
    let mut broken = site.wire();
    broken.send(post("/broken", "Transfer-Encoding: chunked\r\n"));
    broken.send("5\r\nhello\r\n");
    broken.send("no chunk\r\n");
    broken.answer().refuses(400, "chunk");
    site.get("/after");
    assert_eq!(app.seen().len(), 1, "{:?}", app.seen());
    site.stop();
}

#[test]
fn who_is_slower_than_may_be_is_told_so() {
    let app = telling();
    let site = Site::of(&app, "[site.client]\nbody_grace = \"200ms\"\nbody_rate = \"1MB\"");
    let begun_at = Instant::now();
    let mut wire = begun(&site, "/slow", 100_000);
    let mut twin = wire.twin();
    // It never pauses for as long as `timeouts.idle` allows, and yet does not come to an end.
    let sending = std::thread::spawn(move || {
        while begun_at.elapsed() < LIMIT && twin.try_send(b"x").is_ok() {
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    wire.answer().refuses(408, "client_timeout");
    drop(wire);
    sending.join().expect("it ends");
    assert!(app.seen().is_empty());
    site.stop();
}

#[test]
fn where_there_is_no_room_clients_are_told_when_to_come_again() {
    let app = telling();
    let buffer = "[site.buffer]\nmemory = \"4KiB\"\nall_memory = \"1MiB\"\ndisk = \"512KiB\"\nfolder = \".\"";
    let site = Site::of(&app, buffer);
    // It could never fit into what one client may have: half.
    let mut wire = site.wire();
    wire.send(post("/never", "Content-Length: 10000000\r\n"));
    wire.answer().refuses(413, "body_too_large");
    let mut first = begun(&site, "/first", 250_000);
    first.send(bytes(249_000));
    wait_for(&site, "unladen_site_buffer_disk_bytes{", 196_608.0);
    let mut others: Vec<Wire> = Vec::new();
    let answer = loop {
        // The first one's has been stored some time.
        assert!(others.len() < 50, "there is always room");
        let mut wire = site.wire();
        wire.send(post("/other", "Content-Length: 250000\r\n"));
        let _ = wire.try_send(bytes(249_999));
        if !wire.is_quiet(Duration::from_millis(50)) {
            break wire.answer();
        }
        others.push(wire);
    };
    assert!(answer.field("retry-after").is_some(), "{answer:?}");
    answer.refuses(503, "buffer_full");
    drop(others);
    first.send(bytes(999));
    first.answer().is(200);
    site.stop();
}

#[test]
fn a_disk_that_fails_is_said_at_once_and_to_whoever_runs_it() {
    let app = telling();
    let serve = |folder: &str| {
        Serve::start(&format!(
            "[[site]]\nlisten = \"unix:DIR/a.sock\"\nupstream = \"{}\"\n[site.buffer]\nmemory = 4096\nfolder = \"{folder}\"",
            app.url()
        ))
    };
    // A full disk: /dev/full has no room, and is no folder; a folder that is not there cannot be written to either.
    for folder in ["none", "/dev/full"] {
        let serve = serve(folder);
        let mut wire = Wire::unix(&serve.path("a.sock"));
        assert_eq!(wire.post("/short", b"short").is(200).text(), told("/short", b"short"));
        for _ in 0..3 {
            let mut wire = Wire::unix(&serve.path("a.sock"));
            wire.send(post("/long", "Content-Length: 1000000\r\n"));
            let mut twin = wire.twin();
            let sending = std::thread::spawn(move || drop(twin.try_send(bytes(1_000_000))));
            wire.answer().refuses(507, "disk_failed");
            drop(wire);
            sending.join().expect("it ends");
        }
        let done = serve.stop();
        let told = done.stderr.lines().filter(|line| line.contains("buffer.folder")).count();
        assert_eq!(told, 1, "{}", done.stderr);
    }
    assert!(app.seen().iter().all(|seen| seen.target == "/short"));
}

#[test]
fn what_is_to_be_streamed_is_sent_on_as_it_comes() {
    let app = telling();
    let all = "[site.buffer]\nrequests = false";
    for (settings, path) in [("[site.buffer]\nstreamed = [\"/live/\"]", "/live/1"), (all, "/1")] {
        let before = app.seen().len();
        let site = Site::of(&app, settings);
        let mut wire = begun(&site, path, 5);
        app.wait("its head is there before its end", |app| app.seen().len() > before);
        wire.send("1234");
        assert_eq!(wire.answer().is(200).text(), told(path, b"x1234"));
        site.stop();
    }
}

/// So many MiB for each path; and counts how many such answers it has given whole.
fn big(length: usize, given: &Arc<AtomicUsize>) -> Upstream {
    let given = Arc::clone(given);
    Upstream::start(move |peer| {
        while let Some(request) = peer.request() {
            if request.target == "/small" {
                peer.answer("small");
                continue;
            }
            let control = if request.target.starts_with("/kept") { "max-age=600" } else { "no-store" };
            let head = format!("HTTP/1.1 200 OK\r\nCache-Control: {control}\r\nContent-Length: {length}\r\n\r\n");
            if !peer.send(head) || !peer.send(bytes(length)) {
                return;
            }
            given.fetch_add(1, Ordering::SeqCst);
        }
    })
}

fn client(site: &Site, path: &str) -> TcpStream {
    let mut stream = TcpStream::connect(site.address()).expect("it listens");
    stream.set_read_timeout(Some(LIMIT)).expect("an option");
    stream
        .write_all(format!("GET {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n").as_bytes())
        .expect("it reads");
    stream
}

fn ends_with(mut stream: TcpStream, body: &[u8]) -> bool {
    let mut all = Vec::new();
    stream.read_to_end(&mut all).expect("it goes on");
    all.ends_with(body)
}

#[test]
fn who_does_not_read_its_answer_holds_none_of_the_application() {
    const LENGTH: usize = 12 * MIB;
    let given = Arc::default();
    let app = big(LENGTH, &given);
    // They may be as slow as this machine is.
    let settings = "[site.timeouts]\nidle = \"10m\"\nfirst_byte = \"10m\"\n[site.client]\nanswer_rate = \"none\"\n\
                    [site.buffer]\nfolder = \".\"\n[site.limits]\nconnections = 1\npending = 100\n\
                    [site.cache]\nlargest = \"1MiB\"";
    let site = Site::of(&app, settings);
    site.get("/small").is(200);
    let idle = site.memory();
    let silent: Vec<TcpStream> = ["/a", "/b", "/kept/a", "/kept/b"].map(|path| client(&site, path)).into();
    app.wait("all are given to whoever has asked", |_| given.load(Ordering::SeqCst) == silent.len());
    // Its only connection is free again.
    assert_eq!(site.get("/small").is(200).text(), "small");
    assert!(site.memory() < idle + 40 * MIB as u64, "{} KiB", (site.memory() - idle) / 1024);
    assert!(app.open() <= 1);
    let body = bytes(LENGTH);
    for stream in silent {
        assert!(ends_with(stream, &body));
    }
    site.stop();
}

/// Of a page from memory too, and of a file, which hold nothing else than the connection.
#[test]
fn who_does_not_read_a_stored_page_or_a_file_as_fast_as_it_must_is_left() {
    let body = "x".repeat(32 * MIB);
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("page"), &body).expect("a file");
    let app = app(move |_| page("Cache-Control: max-age=600\r\n", &body));
    let settings = "[site.client]\nanswer_rate = \"1GiB\"\nanswer_grace = \"200ms\"\n[site.cache]\nlargest = \"64MiB\"";
    let stored = Site::of(&app, settings);
    while !stored.get("/page").cache().contains("hit") {}
    for site in [stored, Site::start(&format!("root = {:?}\n{settings}", folder.path()))] {
        let mut stream = client(&site, "/page");
        let mut read = 0;
        let begun = Instant::now();
        let mut piece = vec![0; 1000];
        // Some bytes now and then, as often as no time-out of idleness ends it.
        while let Ok(count @ 1..) = stream.read(&mut piece) {
            read += count;
            assert!(begun.elapsed() < LIMIT, "{read} bytes, and it is still sent");
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(read < 32 * MIB, "{read}");
        site.stop();
    }
}

#[test]
fn a_disk_without_room_has_the_application_wait_and_loses_nothing() {
    const LENGTH: usize = 24 * MIB;
    let given = Arc::default();
    let app = big(LENGTH, &given);
    for folder in [".", "none"] {
        let site = Site::of(&app, &format!("[site.buffer]\ndisk = \"1MiB\"\nfolder = \"{folder}\""));
        let silent = client(&site, "/a");
        assert!(ends_with(silent, &bytes(LENGTH)), "{folder}");
        site.stop();
    }
}

#[test]
fn events_go_on_as_they_come() {
    let app = Upstream::start(|peer| {
        if peer.request().is_none() {
            return;
        }
        peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
        while !peer.waits(Duration::from_millis(20)) {
            peer.send("6\r\ndata\n\n\r\n");
        }
    });
    let site = Site::of(&app, "");
    let mut wire = site.wire();
    wire.send(get("/", ""));
    assert_eq!(wire.head().status, 200);
    for _ in 0..5 {
        assert_eq!(wire.take(11), b"6\r\ndata\n\n\r\n");
    }
    drop(wire);
    app.wait("its end is seen", |app| app.open() == 0);
    site.stop();
}

#[test]
fn uploads_under_way_survive_a_reload_and_a_stop() {
    let app = telling();
    let site = Site::of(&app, "");
    let body = bytes(100_000);
    let begin = |path: &str| {
        let mut wire = site.wire();
        wire.send(post(path, "Content-Length: 100000\r\n"));
        wire.send(&body[..50_000]);
        wire
    };
    let (mut first, mut second) = (begin("/reload"), begin("/stop"));
    // What has come of the head is under way.
    site.get("/");
    site.serve().running().signal(Signal::SIGHUP);
    first.send(&body[50_000..]);
    assert_eq!(first.answer().is(200).text(), told("/reload", &body));
    let address = site.address();
    let stopping = std::thread::spawn(move || site.stop());
    wait::until("it listens no more", || TcpStream::connect(address).is_err());
    second.send(&body[50_000..]);
    assert_eq!(second.answer().is(200).text(), told("/stop", &body));
    stopping.join().expect("it stops well");
}
