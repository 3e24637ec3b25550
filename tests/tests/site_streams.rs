//! Long bodies pass through `unladen serve` in front of an application without being held, and slow readers hold up
//! themselves.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use unladen_tests::site::{app, get, page};
use unladen_tests::{Peer, Site, Upstream, wait};

const MIB: u64 = 1 << 20;
/// Far above what any wait of the tests takes.
const LIMIT: Duration = Duration::from_secs(40);

/// So many MiB, by the path: with their length, or in chunks.
fn long(sent: &Arc<AtomicU64>) -> Upstream {
    let sent = Arc::clone(sent);
    Upstream::start(move |peer| {
        while let Some(request) = peer.request() {
            let mut words = request.target.split('/').skip(1);
            let (kind, count) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            let count: u64 = count.parse().expect("a number of MiB");
            let control = if kind.ends_with("kept") { "max-age=600" } else { "no-store" };
            let is_chunked = kind.starts_with("chunked");
            let framing = if is_chunked {
                "Transfer-Encoding: chunked".to_owned()
            } else {
                format!("Content-Length: {}", count * MIB)
            };
            peer.send(format!("HTTP/1.1 200 OK\r\nCache-Control: {control}\r\n{framing}\r\n\r\n"));
            if !stream(peer, count, is_chunked, &sent) {
                return;
            }
        }
    })
}

fn stream(peer: &mut Peer, count: u64, is_chunked: bool, sent: &AtomicU64) -> bool {
    let mut piece = Vec::new();
    if is_chunked {
        piece.extend_from_slice(b"100000\r\n");
    }
    piece.resize(piece.len() + MIB as usize, b'x');
    if is_chunked {
        piece.extend_from_slice(b"\r\n");
    }
    for _ in 0..count {
        if !peer.send(&piece) {
            return false;
        }
        sent.fetch_add(MIB, Ordering::SeqCst);
    }
    !is_chunked || peer.send("0\r\n\r\n")
}

/// A client that reads as a test says.
fn client(site: &Site, path: &str) -> TcpStream {
    let mut stream = TcpStream::connect(site.address()).expect("it listens");
    stream.set_read_timeout(Some(LIMIT)).expect("an option");
    let request = format!("GET {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it reads");
    stream
}

/// Reads to the end: how many bytes, heads and frames included; and the most memory that was held meanwhile.
fn read(site: &Site, mut stream: TcpStream) -> (u64, u64) {
    let mut bytes = vec![0; 1 << 20];
    let (mut count, mut most, mut looked) = (0, 0, 0);
    loop {
        match stream.read(&mut bytes).expect("it goes on") {
            0 => return (count, most),
            read => count += read as u64,
        }
        if count > looked {
            most = most.max(site.memory());
            looked = count + 8 * MIB;
        }
    }
}

#[test]
fn a_gigabyte_passes_through_in_a_few_megabytes() {
    let app = long(&Arc::default());
    let site = Site::of(&app, "[site.cache]\nmemory = \"64MiB\"\nlargest = \"1MiB\"");
    read(&site, client(&site, "/exact/32"));
    let idle = site.memory();
    for path in ["/exact/128", "/chunked/128", "/exact-kept/128", "/chunked-kept/1024"] {
        let (count, most) = read(&site, client(&site, path));
        let length: u64 = path.rsplit('/').next().and_then(|count| count.parse().ok()).expect("MiB");
        assert!(count >= length * MIB, "{path}: {count}");
        assert!(most < idle + 24 * MIB, "{path}: {} KiB above {}", (most.saturating_sub(idle)) / 1024, idle / 1024);
    }
    site.stop();
}

#[test]
fn who_does_not_read_has_the_application_wait_where_answers_are_not_buffered() {
    let sent = Arc::default();
    let app = long(&sent);
    let site = Site::of(&app, "[site.cache]\nmemory = \"64MiB\"\nlargest = \"1MiB\"\n[site.buffer]\nanswers = false");
    site.get("/exact/1");
    let idle = site.memory();
    for path in ["/exact/256", "/chunked/256", "/exact-kept/256", "/chunked-kept/256"] {
        let before = sent.load(Ordering::SeqCst);
        let silent = client(&site, path);
        // As far as it comes: buffers of the system are some megabytes.
        let mut last = (u64::MAX, Instant::now());
        while last.1.elapsed() < Duration::from_millis(300) {
            let now = sent.load(Ordering::SeqCst) - before;
            if now != last.0 {
                last = (now, Instant::now());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(last.0 < 64 * MIB, "{path}: {} MiB were taken for nobody", last.0 / MIB);
        assert!(site.memory() < idle + 24 * MIB, "{path}");
        drop(silent);
        app.wait("its connection is given up", |app| app.open() <= 1);
    }
    site.stop();
}

#[test]
fn who_reads_slowly_holds_up_nobody_who_shares_the_page() {
    let sent = Arc::default();
    let app = long(&sent);
    let site = Site::of(
        &app,
        // They take nothing for as long as the others take all.
        "timeouts = { idle = \"10m\" }\n[site.cache]\nmemory = \"64MiB\"\nlargest = \"16MiB\"",
    );
    let slow: Vec<_> = (0..20).map(|_| client(&site, "/chunked-kept/8")).collect();
    app.wait("it is asked", |app| app.seen().len() == 1);
    let (count, _) = read(&site, client(&site, "/chunked-kept/8"));
    assert!(count > 8 * MIB);
    let idle = site.memory();
    for _ in 0..100 {
        site.get("/chunked-kept/8").is_hit(200);
    }
    // All of them share what is stored.
    let more: Vec<_> = (0..50).map(|_| client(&site, "/chunked-kept/8")).collect();
    assert!(site.memory() < idle + 32 * MIB, "{} KiB", (site.memory() - idle) / 1024);
    for stream in slow.into_iter().chain(more) {
        assert!(read(&site, stream).0 > 8 * MIB);
    }
    assert_eq!(app.seen().len(), 1);
    site.stop();
}

#[test]
fn a_body_that_breaks_off_is_not_kept_and_is_not_whole_for_anyone() {
    let count = Arc::new(AtomicUsize::new(0));
    let asked = Arc::clone(&count);
    let app = Upstream::start(move |peer| {
        while let Some(request) = peer.request() {
            let is_first = asked.fetch_add(1, Ordering::SeqCst).is_multiple_of(2);
            let framing = match request.target.as_str() {
                "/chunked" => "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
                _ => "Content-Length: 10\r\n\r\nhello",
            };
            let rest = if request.target == "/chunked" { "5\r\nworld\r\n0\r\n\r\n" } else { "world" };
            peer.send(format!("HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\n{framing}"));
            if is_first {
                std::thread::sleep(Duration::from_millis(50));
                return;
            }
            peer.send(rest);
        }
    });
    let site = Site::of(&app, "");
    for path in ["/exact", "/chunked"] {
        let broken = site.get(path);
        assert_ne!(broken.ending, unladen_tests::Ending::Whole, "{broken:?}");
        assert_eq!(site.get(path).is_asked(200).text(), "helloworld");
        assert_eq!(site.get(path).is_hit(200).text(), "helloworld");
        assert_eq!(site.wire().ask(get(path, "Range: bytes=5-\r\n")).is_hit(206).text(), "world");
    }
    site.stop();
}

#[test]
fn bodies_are_compressed_once_and_as_each_client_takes_them() {
    let text = "All work and no play makes a dull page. ".repeat(2000);
    let body = text.clone();
    let app = app(move |request| {
        let kind = if request.target == "/image" { "image/png" } else { "text/html" };
        let more = if request.target == "/as-it-is" { ", no-transform" } else { "" };
        page(&format!("Cache-Control: max-age=600{more}\r\nETag: \"a\"\r\nContent-Type: {kind}\r\n"), &body)
    });
    let site = Site::of(&app, "");
    site.get("/").is_asked(200);
    for coding in ["br", "zstd", "gzip"] {
        let answer = wait::until_ok(&format!("it is compressed by {coding}"), || {
            let answer = site.get_with("/", &format!("Accept-Encoding: {coding}\r\n")).is_hit(200);
            if answer.field("content-encoding").is_some() {
                return Ok(answer);
            }
            assert_eq!(answer.text(), text);
            Err("it is not yet")
        });
        assert_eq!((answer.field("content-encoding"), answer.field("etag")), (Some(coding), Some("W/\"a\"")));
        assert!(answer.field("vary").is_some_and(|vary| vary.to_lowercase().contains("accept-encoding")), "{answer:?}");
        assert!(answer.body.len() < text.len() / 20, "{coding}: {} bytes", answer.body.len());
        let same = site.get_with("/", &format!("Accept-Encoding: {coding}\r\nIf-None-Match: W/\"a\"\r\n"));
        assert_eq!(same.status, 304);
    }
    for lines in
        ["", "Accept-Encoding: identity\r\n", "Accept-Encoding: gzip;q=0, br;q=0\r\n", "Accept-Encoding: deflate\r\n"]
    {
        let answer = site.get_with("/", lines).is_hit(200);
        assert_eq!((answer.field("content-encoding"), answer.text().len()), (None, text.len()), "{lines:?}");
    }
    let part = site.get_with("/", "Accept-Encoding: br\r\nRange: bytes=0-2\r\n").is_hit(206);
    assert_eq!((part.text().as_str(), part.field("content-encoding")), ("All", None));
    for path in ["/image", "/as-it-is"] {
        site.get(path).is_asked(200);
        for _ in 0..3 {
            let answer = site.get_with(path, "Accept-Encoding: br, gzip\r\n").is_hit(200);
            assert_eq!(answer.field("content-encoding"), None, "{path}");
        }
    }
    site.stop();
}
