//! What `unladen serve` keeps stays within its bound, whatever is asked for and however answers come.
//!
//! Where blocks of other lengths come in the place of what has to go, malloc keeps the holes: some more is allowed
//! then.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use unladen_tests::site::page;
use unladen_tests::{Site, Upstream};

const MIB: u64 = 1 << 20;
const BOUND: u64 = 64 * MIB;
/// What it may hold besides: a tenth; and what a process takes anyway that has worked at all, with its connections.
const MOST: u64 = BOUND + BOUND / 10;

/// An application that answers at once, as the path says.
fn application() -> Upstream {
    Upstream::forgetful(|peer| {
        let mut sent = true;
        while sent && let Some(request) = peer.request() {
            let what = request.target.split('/').nth(1).unwrap_or_default();
            let answer = match what {
                "fields" => page(&format!("Cache-Control: max-age=600\r\nX-Long: {}\r\n", "x".repeat(20_000)), "x"),
                "tags" => {
                    let tags: Vec<_> = (0..100).map(|tag| format!("{}-{tag}", request.target.len())).collect();
                    page(&format!("Cache-Control: max-age=600\r\nCache-Tag: {}\r\n", tags.join(",")), "x")
                }
                "variants" => page("Cache-Control: max-age=600\r\nVary: X-Theme\r\n", "x"),
                "large" => page("Cache-Control: max-age=600\r\n", &"x".repeat(4 << 20)),
                "text" => {
                    let body = format!("{} and so on. ", request.target).repeat(600);
                    page("Cache-Control: max-age=600\r\nContent-Type: text/html\r\n", &body)
                }
                "none" => page("Cache-Control: no-store\r\n", "x"),
                _ => page("Cache-Control: max-age=600\r\n", "x"),
            };
            sent = peer.send(answer);
        }
    })
}

/// Has several clients ask for what this gives by number, one request behind the other without waiting for answers.
fn ask(site: &Site, count: usize, request: impl Fn(usize) -> String + Send + Sync + 'static) -> u64 {
    const CLIENTS: usize = 4;
    let request = Arc::new(request);
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| {
            let (address, request) = (site.address(), Arc::clone(&request));
            std::thread::spawn(move || {
                let mut stream = TcpStream::connect(address).expect("it listens");
                stream.set_read_timeout(Some(Duration::from_secs(40))).expect("an option");
                let mut out = stream.try_clone().expect("a handle");
                let sending = std::thread::spawn(move || {
                    let mut bytes = String::new();
                    for number in (client..count).step_by(CLIENTS) {
                        bytes += &request(number);
                        if bytes.len() > 16_000 || number + CLIENTS >= count {
                            out.write_all(bytes.as_bytes()).expect("it reads");
                            bytes.clear();
                        }
                    }
                    out.shutdown(std::net::Shutdown::Write).expect("its end");
                });
                let mut read = vec![0; 1 << 18];
                while stream.read(&mut read).expect("it answers") > 0 {}
                sending.join().expect("all is sent");
            })
        })
        .collect();
    let mut most = 0;
    while !clients.iter().all(std::thread::JoinHandle::is_finished) {
        most = most.max(site.memory());
        std::thread::sleep(Duration::from_millis(20));
    }
    clients.into_iter().for_each(|client| client.join().expect("it is answered"));
    most.max(site.memory())
}

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: test\r\n\r\n")
}

#[test]
fn a_hostile_spread_of_keys_takes_no_more_than_it_may() {
    let app = application();
    let site = Site::of(&app, "[site.cache]\nmemory = \"64MiB\"");
    ask(&site, 200, |number| get(&format!("/none/{number}")));
    let idle = site.memory();
    let check = |name: &str, most: u64| {
        let above = most.saturating_sub(idle);
        let holes = if matches!(name, "large" | "compressed" | "uncacheable") { BOUND / 3 } else { 0 };
        assert!(above < MOST + holes, "{name}: {} KiB above {} KiB", above / 1024, idle / 1024);
    };
    check("short keys", ask(&site, 25_000, |number| get(&format!("/?{number}"))));
    check("long keys", ask(&site, 7_000, |number| get(&format!("/?{number}{}", "k".repeat(8_000)))));
    check("long fields", ask(&site, 2_500, |number| get(&format!("/fields/{number}"))));
    check("many tags", ask(&site, 1_500, |number| get(&format!("/tags/{number}"))));
    check(
        "variants",
        ask(&site, 3_000, |number| {
            format!(
                "GET /variants/{} HTTP/1.1\r\nHost: test\r\nX-Theme: {number}{}\r\n\r\n",
                number % 50,
                "v".repeat(900)
            )
        }),
    );
    check("large", ask(&site, 40, |number| get(&format!("/large/{number}"))));
    check(
        "compressed",
        ask(&site, 4_500, |number| {
            format!(
                "GET /text/{} HTTP/1.1\r\nHost: test\r\nAccept-Encoding: {}\r\n\r\n",
                number / 3,
                ["gzip", "br", "zstd"][number % 3]
            )
        }),
    );
    check("uncacheable", ask(&site, 4_000, |number| get(&format!("/none/{number}"))));
    site.stop();
}

#[test]
fn answers_that_never_end_take_no_more_than_they_may() {
    let goes_on = Arc::new(AtomicBool::new(false));
    let may = Arc::clone(&goes_on);
    let app = Upstream::forgetful(move |peer| {
        while peer.request().is_some() {
            let length = 15 << 20;
            peer.send(format!("HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nContent-Length: {length}\r\n\r\n"));
            // All but the last byte.
            peer.send("x".repeat(length - 1));
            while !may.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(5));
            }
            peer.send("x");
        }
    });
    let site = Site::of(&app, "[site.cache]\nmemory = \"64MiB\"");
    let idle = site.memory();
    let clients: Vec<_> = (0..40)
        .map(|number| {
            let mut stream = TcpStream::connect(site.address()).expect("it listens");
            stream.write_all(get(&format!("/{number}")).as_bytes()).expect("it reads");
            let mut reading = stream.try_clone().expect("a handle");
            let reader = std::thread::spawn(move || {
                let (mut bytes, mut count) = (vec![0; 1 << 16], 0);
                while count < 15 << 20 {
                    match reading.read(&mut bytes) {
                        Ok(read @ 1..) => count += read,
                        _ => break,
                    }
                }
                count
            });
            (stream, reader)
        })
        .collect();
    app.wait("all are asked for", |app| app.accepted() >= 40);
    let mut most = 0;
    let mut last = (0, 0);
    // Until nothing more comes.
    while last.1 < 20 {
        let now = site.memory();
        most = most.max(now);
        last = if now > last.0 { (now, 0) } else { (last.0, last.1 + 1) };
        std::thread::sleep(Duration::from_millis(50));
    }
    let above = most.saturating_sub(idle);
    assert!(above < MOST, "{} KiB above {} KiB", above / 1024, idle / 1024);
    goes_on.store(true, Ordering::SeqCst);
    for (stream, reader) in clients {
        assert!(reader.join().expect("it reads") >= 15 << 20);
        drop(stream);
    }
    site.stop();
}
