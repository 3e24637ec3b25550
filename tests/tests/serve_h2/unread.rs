//! Clients that ask and do not read: the memory that is held for them is bounded, they are ended, and others are served
//! meanwhile.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use unladen_tests::frames::{Frame, Http2, code, flag, kind};
use unladen_tests::h2::H2Client;
use unladen_tests::site::page;
use unladen_tests::{Site, Upstream};

use crate::support::{LONG, request};

const MIB: u64 = 1 << 20;
/// What a process may take besides what it has when nobody calls: with `client_memory` as it is by default.
const BOUND: u64 = 64 * MIB;
const CONNECTIONS: u32 = 60;
const STREAMS: u32 = 128;
const LENGTH: usize = 1 << 20;

/// Answers `/stored` with a page that may be stored, and anything else with one that may not, of a megabyte each;
/// `/long` is of 64.
fn application() -> Upstream {
    Upstream::forgetful(|peer| {
        let body = "x".repeat(LENGTH);
        while let Some(request) = peer.request() {
            if request.target == "/long" {
                // More than the buffers of sockets hold.
                let head =
                    format!("HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: {}\r\n\r\n", 64 * LENGTH);
                if !peer.send(head) || !(0..64).all(|_| peer.send(&body)) {
                    return;
                }
                continue;
            }
            let lines = if request.target.starts_with("/stored") {
                "max-age=600"
            } else {
                "no-store\r\nContent-Type: text/html"
            };
            if !peer.send(page(&format!("Cache-Control: {lines}\r\n"), &body)) {
                return;
            }
        }
    })
}

fn connect(site: &Site) -> TcpStream {
    let stream = TcpStream::connect(site.address()).expect("it listens");
    stream.set_read_timeout(Some(LONG)).expect("an option");
    stream.set_write_timeout(Some(LONG)).expect("an option");
    stream
}

/// A client of HTTP/2 with windows as wide as can be.
fn wide(site: &Site) -> Http2<TcpStream> {
    wide_on(connect(site))
}

fn wide_on<S: Read + Write>(stream: S) -> Http2<S> {
    let mut client = Http2::client(stream);
    client.send(&Frame::settings(&[(4, 0x7fff_ffff)]));
    client.send(&Frame::window(0, 0x7fff_ffff - 65_535));
    client
}

/// Somebody else gets a stored page, by either HTTP.
#[track_caller]
fn others_are_served(site: &Site, context: &str) {
    let answer = site.get("/stored").is(200);
    assert_eq!(answer.body.len(), LENGTH, "{context}");
    let mut client = wide(site);
    client.send(&request(1, "GET", "/stored", true));
    let mut length = 0;
    loop {
        let frame = client.wait(|frame| frame.stream == 1).expect(context);
        assert_ne!(frame.kind, kind::RST_STREAM, "{context}: {frame:?}");
        if frame.kind == kind::DATA {
            length += frame.payload.len();
        }
        if frame.ends() {
            break;
        }
    }
    assert_eq!(length, LENGTH, "{context}");
}

/// Looks at the memory until it grows no more, with others served meanwhile: the most that it was.
#[track_caller]
fn most(site: &Site, context: &str) -> u64 {
    let (mut most, mut same) = (0, 0);
    while same < 10 {
        let now = site.memory();
        (most, same) = if now > most + MIB / 4 { (now, 0) } else { (most.max(now), same + 1) };
        others_are_served(site, context);
        std::thread::sleep(Duration::from_millis(100));
    }
    most
}

/// Most of what was taken is given back in time.
#[track_caller]
fn is_given_back(site: &Site, before: u64, context: &str) {
    let begun = Instant::now();
    while site.memory() > before + BOUND / 2 {
        let (now, late) = (site.memory() / 1024, begun.elapsed() > LONG * 2);
        assert!(!late, "{context}: {now} KiB of {} KiB stay, {} of them held", before / 1024, held(site));
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A site that has worked, what it takes then, and its application.
fn settled(settings: &str) -> (Upstream, Site, u64) {
    let app = application();
    let site = Site::of(&app, settings);
    for _ in 0..20 {
        others_are_served(&site, "nothing");
    }
    let before = site.memory();
    (app, site, before)
}

#[test]
fn clients_of_http_2_that_do_not_read_take_no_more_than_they_may() {
    for (path, context) in [("/stored", "a stored page"), ("/new", "a page that passes")] {
        let (_app, site, before) = settled("");
        let mut clients = Vec::new();
        for _ in 0..CONNECTIONS {
            let mut client = wide(&site);
            let asked = (0..STREAMS).flat_map(|number| request(number * 2 + 1, "GET", path, true).bytes());
            client.say(&asked.collect::<Vec<_>>());
            clients.push(client);
        }
        let most = most(&site, context);
        println!("{context}: {} KiB became {} KiB", before / 1024, most / 1024);
        // What is configured, and what a process takes besides: not only when nobody calls, but for thousands of
        // streams too.
        let configured = client_memory(&site)["limit_bytes"].as_u64().expect("bytes") + LENGTH as u64;
        let held = held(&site);
        let bound = configured + BOUND / 2;
        assert!(most <= bound, "{context}: {} KiB became {}, {held} held", before / 1024, most / 1024);
        drop(clients);
        is_given_back(&site, before, context);
        site.stop();
    }
}

#[test]
fn clients_of_http_1_that_do_not_read_take_no_more_than_they_may() {
    let (_app, site, before) = settled("[site.clients]\nconnections = 1000");
    let mut clients = Vec::new();
    for number in 0..600 {
        let mut stream = connect(&site);
        let path = if number % 2 == 0 { "/stored" } else { "/new" };
        let coding = ["br", "zstd", "gzip", "identity"][number % 4];
        let asked = format!("GET {path} HTTP/1.1\r\nHost: test\r\nAccept-Encoding: {coding}\r\n\r\n");
        stream.write_all(asked.repeat(20).as_bytes()).expect("it reads");
        clients.push(stream);
    }
    let most = most(&site, "HTTP/1");
    println!("{} KiB became {} KiB", before / 1024, most / 1024);
    assert!(most <= before + BOUND, "{} KiB became {} KiB", before / 1024, most / 1024);
    drop(clients);
    is_given_back(&site, before, "HTTP/1");
    site.stop();
}

/// Each has pages of its own, which are stored, and make room for others while they are sent.
#[test]
fn pages_that_are_no_longer_stored_take_no_more_than_they_may() {
    let (_app, site, before) =
        settled("[site.clients]\nconnections = 1000\n[site.cache]\nmemory = \"16MiB\"\nlargest = \"1MiB\"");
    let mut clients = Vec::new();
    for number in 0..300 {
        let path = format!("/stored/{number}");
        site.get(&path).is(200);
        // While it is stored.
        let mut client = wide(&site);
        client.send(&request(1, "GET", &path, true));
        let mut stream = connect(&site);
        stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: test\r\n\r\n").repeat(20).as_bytes()).expect("it reads");
        clients.push((client, stream));
    }
    let most = most(&site, "pages that are no longer stored");
    println!("{} KiB became {} KiB", before / 1024, most / 1024);
    assert!(most <= before + 16 * MIB + BOUND, "{} KiB became {} KiB", before / 1024, most / 1024);
    drop(clients);
    is_given_back(&site, before, "pages that are no longer stored");
    site.stop();
}

#[test]
fn heads_of_requests_that_are_under_way_take_no_more_than_they_may() {
    // It takes the requests, and answers those for the page alone.
    let app = Upstream::forgetful(|peer| {
        while let Some(request) = peer.request() {
            if !request.target.starts_with("/stored") {
                peer.wait_for_end();
                return;
            }
            peer.send(page("Cache-Control: max-age=600\r\n", &"x".repeat(LENGTH)));
        }
    });
    let site = Site::of(&app, "");
    for _ in 0..20 {
        others_are_served(&site, "nothing");
    }
    let before = site.memory();
    let long = [b'y'; 15_000];
    let mut clients = Vec::new();
    for _ in 0..CONNECTIONS {
        let mut client = wide(&site);
        for number in 0..STREAMS {
            let fields: [(&[u8], &[u8]); 5] = [
                (b":method", b"GET"),
                (b":scheme", b"http"),
                (b":path", b"/never"),
                (b":authority", b"a"),
                (b"x-long", &long),
            ];
            // What is refused need not be read.
            if !client.send(&Frame::head(number * 2 + 1, &fields, true)) {
                break;
            }
        }
        clients.push(client);
    }
    let most = most(&site, "heads");
    println!("{} KiB became {} KiB", before / 1024, most / 1024);
    assert!(most <= before + BOUND, "{} KiB became {} KiB", before / 1024, most / 1024);
    drop(clients);
    site.stop();
}

/// Heads of answers waited where nobody counted them, as many as a client may have streams; and those longer than a
/// block were read all at the same time, before any was counted.
#[test]
fn heads_of_answers_that_are_not_read_were_held_by_nobody() {
    // 307 MB of heads, and 115 of such as fit into a block.
    for length in [40_000, 15_000] {
        let long = format!("Cache-Control: no-store\r\nX-Long: {}\r\n", "~".repeat(length));
        let app = Upstream::forgetful(move |peer| {
            while let Some(request) = peer.request() {
                let stored = page("Cache-Control: max-age=600\r\n", &"x".repeat(LENGTH));
                let sent = if request.target == "/stored" { stored } else { page(&long, "") };
                if !peer.send(sent) {
                    return;
                }
            }
        });
        let site = Site::of(&app, "");
        for _ in 0..20 {
            others_are_served(&site, "nothing");
        }
        let before = site.memory();
        let mut clients = Vec::new();
        for _ in 0..CONNECTIONS {
            // The system holds little of what is sent by a Unix socket.
            let mut client = wide_on(site.serve().connect("a.sock"));
            let asked = (0..STREAMS).flat_map(|number| request(number * 2 + 1, "GET", "/long", true).bytes());
            client.say(&asked.collect::<Vec<_>>());
            clients.push(client);
        }
        let most = most(&site, "heads that are not read");
        let memory = client_memory(&site);
        println!("heads of {length}: {} KiB became {} KiB: {memory}", before / 1024, most / 1024);
        // They are counted, or have been: who takes least is ended where memory is short.
        assert!(held(&site) > 1024 || ended(&site, "slow") > 0, "{memory}");
        // The memory of clients and half of it besides.
        assert!(most <= before + BOUND + BOUND / 2, "{length}: {} KiB became {} KiB", before / 1024, most / 1024);
        drop(clients);
        is_given_back(&site, before, "heads that are not read");
        site.stop();
    }
}

/// Of a head that does not end, a block is kept until it does.
#[test]
fn heads_of_http_1_that_do_not_end_take_no_more_than_they_may() {
    let (_app, site, before) = settled("[site.clients]\nconnections = 5000\nnetwork_connections = 5000");
    let begun = format!("GET /stored HTTP/1.1\r\nHost: test\r\nX-Long: {}", "y".repeat(60_000));
    let mut clients = Vec::new();
    for _ in 0..1500 {
        let mut stream = connect(&site);
        stream.write_all(begun.as_bytes()).expect("it takes it");
        clients.push(stream);
    }
    let most = most(&site, "heads that do not end");
    println!("{} KiB became {} KiB", before / 1024, most / 1024);
    assert!(most <= before + BOUND, "{} KiB became {} KiB", before / 1024, most / 1024);
    drop(clients);
    site.stop();
}

/// A stream that announces a body has a part of its client's memory for it, and none of what others have.
#[test]
fn bodies_that_are_announced_and_do_not_come_keep_nobody_out() {
    let (_app, site, _) = settled("");
    let mut clients = Vec::new();
    for _ in 0..200 {
        let mut client = wide(&site);
        client.send(&request(1, "POST", "/new", false));
        clients.push(client);
    }
    // All have been read: what they hold grows no more.
    let held = || client_memory(&site)["held_bytes"].as_u64().expect("a count");
    let mut before = 0;
    while held() > before {
        before = held();
        std::thread::sleep(Duration::from_millis(200));
    }
    let limit = client_memory(&site)["limit_bytes"].as_u64().expect("a count");
    assert!(before <= limit / 2, "{before} of {limit}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        // By a Unix socket comes somebody else.
        let other = H2Client::unix(&site.socket()).await;
        for _ in 0..5 {
            other.get("/stored").await.is(200);
            other.post("/new", &[0; 300_000]).await.is(200);
        }
    });
    drop(clients);
    site.stop();
}

/// A stream that waits for room goes on when there is some, with the capacity that it was given before.
#[test]
fn answers_that_had_to_wait_for_room_arrive_whole() {
    const ANSWERS: u32 = 24;
    let (_app, site, _) = settled("[site.buffer]\nanswers = false");
    let mut client = wide(&site);
    let asked = (0..ANSWERS).flat_map(|number| request(number * 2 + 1, "GET", "/new", true).bytes());
    client.say(&asked.collect::<Vec<_>>());
    let begun = Instant::now();
    while client_memory(&site)["reached"]["connection"].as_u64() == Some(0) {
        assert!(begun.elapsed() < LONG, "{}", client_memory(&site));
        std::thread::sleep(Duration::from_millis(20));
    }
    let (mut length, mut ended) = (0, 0);
    while ended < ANSWERS {
        let frame = client.wait(|frame| frame.stream != 0).expect("the answers go on");
        assert_ne!(frame.kind, kind::RST_STREAM, "{frame:?} after {length} bytes and {ended} answers");
        if frame.kind == kind::DATA {
            length += frame.payload.len();
        }
        ended += u32::from(frame.ends());
    }
    assert_eq!(length, LENGTH * ANSWERS as usize);
    site.stop();
}

#[test]
fn a_window_that_opens_by_a_byte_at_a_time_takes_no_more_than_it_may() {
    let (_app, site, before) = settled("");
    let mut clients = Vec::new();
    for _ in 0..20 {
        let mut client = Http2::client(connect(&site));
        client.send(&Frame::settings(&[(4, 0)]));
        client.send(&Frame::window(0, 0x7fff_0000));
        for number in 0..STREAMS {
            client.send(&request(number * 2 + 1, "GET", "/stored", true));
        }
        clients.push(client);
    }
    for _ in 0..20 {
        for client in &mut clients {
            let more = (0..STREAMS).flat_map(|number| Frame::window(number * 2 + 1, 1).bytes());
            client.say(&more.collect::<Vec<_>>());
        }
        others_are_served(&site, "a byte at a time");
    }
    let most = most(&site, "a byte at a time");
    assert!(most <= before + BOUND, "{} KiB became {} KiB", before / 1024, most / 1024);
    drop(clients);
    site.stop();
}

fn client_memory(site: &Site) -> serde_json::Value {
    let stats = unladen_tests::Wire::unix(&site.path("admin.sock")).get("/stats").is(200).text();
    let stats: serde_json::Value = serde_json::from_str(&stats).expect("JSON");
    stats["client_memory"].clone()
}

fn ended(site: &Site, reason: &str) -> u64 {
    client_memory(site)["ended"][reason].as_u64().expect("a count")
}

fn held(site: &Site) -> u64 {
    client_memory(site)["held_bytes"].as_u64().expect("bytes") / 1024
}

#[test]
fn who_takes_nothing_of_what_waits_is_ended() {
    let (_app, site, _) = settled("timeouts = { idle = \"1s\" }");
    // Its windows stay shut.
    let mut client = Http2::client(connect(&site));
    client.send(&Frame::settings(&[(4, 0)]));
    client.send(&request(1, "GET", "/stored", true));
    assert!(client.wait(|frame| frame.kind == kind::HEADERS).is_some());
    // What is said meanwhile is no progress.
    let mut pings = Http2::new(client.stream.try_clone().expect("a handle"));
    let pinging = std::thread::spawn(move || {
        while pings.send(&Frame::new(kind::PING, 0, 0, [0; 8])) {
            std::thread::sleep(Duration::from_millis(50));
        }
    });
    while client.frame().is_some() {}
    drop(client);
    pinging.join().expect("it ends");
    assert_eq!(ended(&site, "stalled"), 1);
    others_are_served(&site, "afterwards");
    site.stop();
}

#[test]
fn who_does_not_take_that_a_request_was_malformed_is_reset() {
    let app = application();
    let site = Site::of(&app, "timeouts = { idle = \"1s\" }");
    // Its windows stay shut.
    let mut client = Http2::client(connect(&site));
    client.send(&Frame::settings(&[(4, 0)]));
    let fields: [(&[u8], &[u8]); 5] =
        [(b":method", b"GET"), (b":scheme", b"http"), (b":path", b"/"), (b":authority", b"a"), (b"host", b"b")];
    client.send(&Frame::head(1, &fields, true));
    let head = client.wait(|frame| frame.kind == kind::HEADERS).expect("it is refused");
    assert_eq!(head.status(), Some(400));
    assert!(client.wait(|frame| frame.kind == kind::RST_STREAM && frame.stream == 1).is_some(), "it is kept");
    drop(client);
    let metrics = unladen_tests::Wire::unix(&site.path("admin.sock")).get("/metrics").is(200).text();
    let is_of_it =
        |line: &&str| line.starts_with("http_server_request_duration_seconds_count{") && line.contains("=\"400\"");
    assert!(metrics.lines().find(is_of_it).is_some_and(|line| line.ends_with(" 1")), "{metrics}");
    site.stop();
}

#[test]
fn who_takes_least_is_ended_while_memory_is_short() {
    let (_app, site, _) = settled("limits = { connections = 400 }\nper_client = 10000");
    let mut config = std::fs::read_to_string(site.path("unladen.toml")).expect("its file");
    config.insert_str(0, "client_memory = \"4MiB\"\n");
    std::fs::write(site.path("unladen.toml"), config).expect("its file");
    site.serve().running().signal(nix::sys::signal::Signal::SIGHUP);
    let mut clients = Vec::new();
    for _ in 0..40 {
        // The system holds little of what is sent by a Unix socket.
        let mut client = wide_on(site.serve().connect("a.sock"));
        for number in 0..4 {
            client.send(&request(number * 2 + 1, "GET", "/long", true));
        }
        clients.push(client);
    }
    let begun = Instant::now();
    while ended(&site, "slow") == 0 {
        others_are_served(&site, "while memory is short");
        assert!(begun.elapsed() < LONG * 2, "nobody is ended");
        std::thread::sleep(Duration::from_millis(50));
    }
    others_are_served(&site, "afterwards");
    drop(clients);
    site.stop();
}

/// Whether the connection ends, after this was said.
fn ends(site: &Site, said: &[u8]) -> bool {
    let mut stream = connect(site);
    stream.write_all(said).expect("it reads");
    let mut bytes = [0; 4096];
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => return true,
            Ok(_) => (),
            Err(error) => {
                return !matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut);
            }
        }
    }
}

#[test]
fn a_head_of_http_2_has_to_end_in_time_as_one_of_http_1_has() {
    let (_app, site, _) = settled("[site.client]\nhead_timeout = \"1s\"");
    let preface = unladen_tests::frames::PREFACE;
    let begins = [preface, &Frame::settings(&[]).bytes()].concat();
    let head = request(1, "GET", "/stored", true);
    let unended = Frame::new(kind::HEADERS, flag::END_STREAM, 1, head.payload.clone()).bytes();
    let goes_on = Frame::new(kind::CONTINUATION, 0, 1, []).bytes();
    for (name, said) in [
        ("no preface", preface[..10].to_vec()),
        ("no settings", preface.to_vec()),
        ("half of the settings", begins[..preface.len() + 5].to_vec()),
        ("HEADERS without END_HEADERS", [&begins[..], &unended].concat()),
        ("CONTINUATION without END_HEADERS", [&begins[..], &unended, &goes_on].concat()),
        ("half of HEADERS", [&begins[..], &head.bytes()[..12]].concat()),
    ] {
        assert!(ends(&site, &said), "{name}: the connection stays");
    }
    // Who has said all that he wants to say is left in peace.
    let mut client = wide(&site);
    client.send(&request(1, "GET", "/stored", true));
    assert!(client.wait(Frame::ends).is_some());
    std::thread::sleep(Duration::from_millis(2500));
    client.send(&request(3, "GET", "/stored", true));
    assert!(client.wait(|frame| frame.stream == 3 && frame.ends()).is_some());
    site.stop();
}

#[test]
fn http_2_that_is_switched_off_is_not_spoken() {
    let app = application();
    let site = Site::of(&app, "http2 = false");
    let said = [unladen_tests::frames::PREFACE, &Frame::settings(&[]).bytes()].concat();
    let mut stream = connect(&site);
    stream.write_all(&said).expect("it reads");
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.starts_with("HTTP/1.1 505 "), "{answer}");
    assert_eq!(site.get("/stored").is(200).body.len(), LENGTH);
    site.stop();
    // Beside an application too.
    let serve = crate::support::serve(&app.url(), "http2 = false\n");
    let mut client = crate::support::client(&serve);
    assert_eq!(client.wait(|frame| frame.code() == Some(code::NO_ERROR)), None);
    assert!(crate::support::ask(&serve, "GET", "/stored", "").starts_with("HTTP/1.1 200 OK\r\n"));
    serve.stop();
}
