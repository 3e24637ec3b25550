//! One client, or one network, with much of everything leaves something for the others.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use unladen_tests::frames::{Frame, Http2, kind};
use unladen_tests::h2::H2Client;
use unladen_tests::site::{app, get, page};
use unladen_tests::{Site, Upstream, Wire, wait};

/// Far above what any wait of the tests takes.
const LIMIT: Duration = Duration::from_secs(40);

fn telling() -> Upstream {
    app(|request| page("Cache-Control: max-age=600\r\n", &request.target))
}

/// A metric by its name, of the site.
fn metric(site: &Site, name: &str) -> f64 {
    let text = Wire::unix(&site.path("admin.sock")).get("/metrics").is(200).text();
    let line = text.lines().find(|line| line.starts_with(&format!("{name}{{"))).unwrap_or_default();
    line.rsplit(' ').next().and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("no {name} in {text}"))
}

#[test]
fn two_hundred_idle_connections_keep_nobody_out() {
    let app = telling();
    let site = Site::of(&app, "[site.client]\nconnections = 20");
    let mut idle = Vec::new();
    // More than may be, each of which has been answered, or says nothing at all.
    for number in 0..200 {
        let mut wire = site.wire();
        if number % 2 == 0 {
            assert_eq!(wire.get("/idle").is(200).text(), "/idle");
        }
        idle.push(wire);
    }
    for number in 0..20 {
        let path = format!("/honest/{number}");
        assert_eq!(site.get(&path).is(200).text(), path);
    }
    assert!(metric(&site, "unladen_site_connections_closed_for_room_total") > 0.0);
    drop(idle);
    site.stop();
}

#[tokio::test]
async fn idle_connections_of_http2_make_room_too_and_busy_ones_stay() {
    let app = telling();
    let site = Site::of(&app, "[site.client]\nconnections = 10");
    let mut busy = site.unix();
    busy.send("POST /busy HTTP/1.1\r\nHost: test\r\nContent-Length: 4\r\n\r\nx");
    let mut idle = Vec::new();
    for _ in 0..40 {
        // Until it has asked, a connection is as idle as others: who is told to go before that asks again (RFC 9113,
        // section 6.8).
        let begun = Instant::now();
        loop {
            assert!(begun.elapsed() < LIMIT, "there is never room");
            let Ok(client) = H2Client::try_unix(&site.socket()).await else { continue };
            if let Some(answer) = client.try_get("/idle").await {
                assert_eq!(answer.is(200).text(), "/idle");
                idle.push(client);
                break;
            }
        }
    }
    busy.send("xyz");
    assert_eq!(busy.answer().is(200).text(), "/busy");
    site.stop();
}

#[test]
fn a_client_has_no_more_connections_than_it_may() {
    let app = telling();
    let site = Site::of(&app, "[site.clients]\nconnections = 3");
    let mut kept: Vec<Wire> = (0..3).map(|_| site.wire()).collect();
    for wire in &mut kept {
        wire.get("/").is(200);
    }
    let mut beyond = site.wire();
    let answer = beyond.answer();
    assert_eq!((answer.status, answer.reason()), (429, Some("too_many_connections")), "{answer:?}");
    assert!(answer.field("retry-after").is_some(), "{answer:?}");
    // Who comes by a Unix socket has no address.
    assert_eq!(site.unix().get("/unix").is(200).text(), "/unix");
    assert!(metric(&site, "unladen_site_connections_refused_total") >= 1.0);
    drop(kept.pop());
    wait::until("there is room again", || {
        let mut wire = site.wire();
        let _ = wire.try_send(get("/again", ""));
        wire.try_head().is_some_and(|answer| answer.status == 200)
    });
    site.stop();
}

#[test]
fn connections_are_counted_for_whom_a_proxy_names() {
    let app = telling();
    let site = Site::of(
        &app,
        "[site.trusted]\nproxies = [\"127.0.0.1\"]\nproxy_protocol = true\n[site.clients]\nconnections = 2\nnetwork_connections = 3",
    );
    let of = |address: &str| {
        let mut wire = site.wire();
        wire.send(format!("PROXY TCP4 {address} 192.0.2.254 4000 80\r\n{}", get("/", "")));
        wire
    };
    let mut kept: Vec<Wire> = Vec::new();
    for (address, is_taken) in [
        ("192.0.2.1", true),
        ("192.0.2.1", true),
        ("192.0.2.1", false),
        ("192.0.2.2", true),
        ("192.0.2.3", false),
        ("198.51.100.1", true),
    ] {
        let mut wire = of(address);
        assert_eq!(wire.try_head().is_some(), is_taken, "{address}");
        kept.push(wire);
    }
    site.stop();
}

#[test]
fn a_client_has_no_more_uploads_under_way_than_it_may() {
    let app = telling();
    let site = Site::of(&app, "retry_after = \"7s\"\n[site.clients]\nuploads = 2");
    let begin = || {
        let mut wire = site.wire();
        wire.send("POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 4\r\n\r\nx");
        wire
    };
    let mut wires: Vec<Wire> = (0..6).map(|_| begin()).collect();
    let mut waiting = Vec::new();
    for mut wire in wires.drain(..) {
        if wire.is_quiet(Duration::from_millis(50)) {
            waiting.push(wire);
        } else {
            let answer = wire.answer();
            assert_eq!(answer.field("retry-after"), Some("7"), "{answer:?}");
            answer.refuses(429, "too_many_uploads");
        }
    }
    assert!(waiting.len() >= 2, "{}", waiting.len());
    // What comes with its head takes no time.
    let at_once = "POST /at-once HTTP/1.1\r\nHost: test\r\nContent-Length: 4\r\n\r\nbody";
    assert_eq!(site.wire().ask(at_once).is(200).text(), "/at-once");
    let mut answered = 0;
    for mut wire in waiting {
        wire.send("xyz");
        answered += usize::from(wire.answer().status == 200);
    }
    assert_eq!(answered, 2);
    site.stop();
}

#[test]
fn a_rate_of_a_client_counts_hits_where_that_is_asked() {
    for hits in [false, true] {
        let app = telling();
        let site = Site::of(&app, &format!("[site.clients]\nrate = 0.001\nhits = {hits}"));
        site.get("/page");
        let mut refused = 0;
        for _ in 0..30 {
            let answer = site.get("/page");
            if answer.status == 429 {
                assert!(answer.field("retry-after").is_some(), "{answer:?}");
                answer.refuses(429, "rate_limited");
                refused += 1;
            }
        }
        // Twenty may come at once.
        assert_eq!(refused > 0, hits, "{refused}");
        site.stop();
    }
}

#[test]
fn who_is_refused_and_does_not_read_that_holds_nobody_up() {
    let app = telling();
    let site = Site::of(&app, "[site.clients]\nrate = 0.001");
    let is_refused = |number| site.get(&format!("/before/{number}")).status == 429;
    assert!((0..100).any(is_refused), "it may ask for all");
    // Its windows stay shut.
    let stream = TcpStream::connect(site.address()).expect("it listens");
    stream.set_read_timeout(Some(LIMIT)).expect("an option");
    let mut client = Http2::client(stream);
    client.send(&Frame::settings(&[(4, 0)]));
    let fields: [(&[u8], &[u8]); 4] =
        [(b":method", b"GET"), (b":scheme", b"http"), (b":path", b"/page"), (b":authority", b"test")];
    client.send(&Frame::head(1, &fields, true));
    let head = client.wait(|frame| frame.kind == kind::HEADERS).expect("it is answered");
    assert_eq!(head.status(), Some(429));
    // Who comes by a Unix socket has no address, and may ask for as much as it likes.
    assert_eq!(site.unix().get("/page").is(200).text(), "/page");
    drop(client);
    site.stop();
}
