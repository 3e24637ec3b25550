//! `unladen serve` between a client and an upstream of HTTP/1: messages arrive as they were meant, however they are
//! framed.

use std::time::Duration;

use unladen_tests::{Answer, Ending, Outbound, Serve, Upstream, Wire, free_address};

/// Bytes that no other offset has alike.
fn pattern(length: usize) -> Vec<u8> {
    (0..length as u32).flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()).take(length).collect()
}

fn chunked(body: &[u8], size: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for chunk in body.chunks(size) {
        bytes.extend_from_slice(format!("{:X}\r\n", chunk.len()).as_bytes());
        bytes.extend_from_slice(chunk);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes
}

/// Answers with the body it was sent: with its length or, for `/chunked`, in chunks, or, for `/close`, until it closes.
fn mirror() -> Upstream {
    Upstream::start(|peer| {
        while let Some(request) = peer.request() {
            let body = request.body;
            let sent = match request.target.as_str() {
                "/chunked" => {
                    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                        && peer.send(chunked(&body, 5000))
                        && peer.send("0\r\n\r\n")
                }
                "/close" => {
                    peer.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
                    peer.send(&body);
                    return;
                }
                _ => {
                    peer.send(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len())) && peer.send(&body)
                }
            };
            if !sent {
                return;
            }
        }
    })
}

#[test]
fn bodies_of_all_sizes_and_framings_are_the_same_on_the_other_side() {
    let upstream = mirror();
    let outbound = Outbound::of(&upstream.url(), "");
    for (mut wire, name) in [(outbound.wire(), "unix"), (outbound.tcp(), "tcp")] {
        for length in [0, 1, 5000, 8191, 8192, 8193, 16_384, 65_535, 65_536, 1_000_003] {
            let body = pattern(length);
            for path in ["/exact", "/chunked", "/close"] {
                let answer = wire.post(path, &body).is(200);
                assert!(answer.body == body, "{name} {path} {length}: {} bytes", answer.body.len());

                wire.send(format!("PUT {path} HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n"));
                let (mut twin, own) = (wire.twin(), body.clone());
                let sending = std::thread::spawn(move || {
                    twin.send(chunked(&own, 3000));
                    twin.send("0\r\n\r\n");
                });
                let answer = wire.answer().is(200);
                sending.join().unwrap();
                assert!(answer.body == body, "{name} {path} {length}, in chunks: {} bytes", answer.body.len());
            }
        }
    }
    // One for the two that close, each time, and one for the others.
    assert!(upstream.accepted() <= 2 * 10 * 2 + 4, "{} connections", upstream.accepted());
    outbound.stop();
}

#[test]
fn what_belongs_to_one_connection_stays_there() {
    let upstream = Upstream::start(|peer| {
        while peer.request().is_some() {
            peer.send(
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: x-hop, keep-alive\r\nX-Hop: 1\r\nKeep-Alive: timeout=9\r\n\
                 Proxy-Connection: keep-alive\r\nX-Kept: 1\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\nok",
            );
        }
    });
    let outbound = Outbound::of(&upstream.url(), "");
    let answer = outbound
        .wire()
        .ask(
            "GET /a?b=c HTTP/1.1\r\nHost: somebody.else\r\nConnection: X-Own, keep-alive, TE\r\nX-Own: 1\r\nTE: trailers, deflate\r\n\
             Keep-Alive: timeout=7\r\nProxy-Connection: close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nX-Kept: 2\r\n\
             X-Forwarded-For: 192.0.2.1\r\nExpect: \r\nCookie: c=d\r\n\r\n",
        )
        .is(200);
    assert_eq!(answer.text(), "ok");
    let names: Vec<&str> = answer.fields.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["content-length", "x-kept", "set-cookie", "set-cookie", "via", "date"]);
    let seen = &upstream.seen()[0];
    assert_eq!(seen.target, "/a?b=c");
    assert_eq!(seen.field("host"), Some(upstream.address().to_string().as_str()));
    for (name, value) in [
        ("x-kept", Some("2")),
        ("x-forwarded-for", Some("192.0.2.1")),
        ("cookie", Some("c=d")),
        ("te", Some("trailers")),
        ("connection", Some("te")),
        ("via", Some("1.1 unladen")),
        ("x-own", None),
        ("keep-alive", None),
        ("proxy-connection", None),
        ("upgrade", None),
        ("http2-settings", None),
        ("transfer-encoding", None),
        ("content-length", None),
    ] {
        assert_eq!(seen.field(name), value, "{name}: {seen:?}");
    }
    assert!(seen.field("x-request-id").is_some());
    outbound.stop();
}

#[test]
fn trailers_are_passed_on_both_ways() {
    let upstream = Upstream::start(|peer| {
        while peer.request().is_some() {
            peer.send(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n3;ext=1\r\nabc\r\n0\r\nX-Sum: 6\r\nX-More: 7\r\n\r\n",
            );
        }
    });
    let outbound = Outbound::of(&upstream.url(), "");
    let mut wire = outbound.wire();
    for _ in 0..2 {
        let answer = wire
            .ask(
                "POST / HTTP/1.1\r\nHost: test\r\nTE: trailers\r\nConnection: te\r\nTransfer-Encoding: chunked\r\n\r\n\
                 2\r\nhi\r\n0\r\nX-Check: 1\r\n\r\n",
            )
            .is(200);
        assert_eq!(answer.text(), "abc");
        assert_eq!(answer.trailers, [("x-sum".into(), "6".into()), ("x-more".into(), "7".into())]);
    }
    for seen in upstream.seen() {
        assert_eq!(
            (seen.body.as_slice(), seen.trailers.as_slice()),
            (&b"hi"[..], &[("x-check".into(), "1".into())][..])
        );
    }
    // HTTP/1.0 has none: the body is there, and ends with the connection.
    let answer = outbound.wire().ask("GET / HTTP/1.0\r\n\r\n");
    assert_eq!((answer.status, answer.text().as_str(), answer.ending), (200, "abc", Ending::Closed));
    outbound.stop();
}

#[test]
fn answers_without_a_body_have_none_and_the_connection_goes_on() {
    let upstream = Upstream::start(|peer| {
        while let Some(request) = peer.request() {
            let head = match request.target.as_str() {
                "/length" => "200 OK\r\nContent-Length: 1000\r\nETag: \"a\"",
                "/chunked" => "200 OK\r\nTransfer-Encoding: chunked",
                "/neither" => "200 OK",
                "/204" => "204 No Content",
                "/204-zero" => "204 No Content\r\nContent-Length: 0",
                "/304" => "304 Not Modified\r\nContent-Length: 1000\r\nETag: \"a\"",
                "/304-chunked" => "304 Not Modified\r\nTransfer-Encoding: chunked",
                "/205" => "205 Reset Content\r\nContent-Length: 0",
                other => panic!("{other}"),
            };
            peer.send(format!("HTTP/1.1 {head}\r\n\r\n"));
        }
    });
    let outbound = Outbound::of(&upstream.url(), "");
    let mut wire = outbound.wire();
    let mut ask = |method: &str, path: &str| -> Answer {
        wire.send(format!("{method} {path} HTTP/1.1\r\nHost: test\r\n\r\n"));
        let answer = wire.next(method == "HEAD").is(wire_status(path));
        assert_eq!(answer.field("transfer-encoding"), None, "{method} {path}: {answer:?}");
        assert_eq!(answer.field("connection"), None, "{method} {path}: {answer:?}");
        answer
    };
    fn wire_status(path: &str) -> u16 {
        path[1..].get(..3).and_then(|status| status.parse().ok()).unwrap_or(200)
    }
    for _ in 0..2 {
        assert_eq!(ask("HEAD", "/length").field("content-length"), Some("1000"));
        assert_eq!(ask("HEAD", "/chunked").field("content-length"), None);
        assert_eq!(ask("HEAD", "/neither").field("content-length"), None);
        assert_eq!(ask("GET", "/204").field("content-length"), None);
        assert_eq!(ask("GET", "/204-zero").field("content-length"), None);
        assert_eq!(ask("HEAD", "/204").field("content-length"), None);
        assert_eq!(ask("GET", "/304").field("content-length"), Some("1000"));
        assert_eq!(ask("GET", "/304-chunked").field("content-length"), None);
        assert_eq!(ask("HEAD", "/304").field("content-length"), Some("1000"));
        assert_eq!(ask("GET", "/205").field("content-length"), Some("0"));
    }
    assert_eq!(upstream.accepted(), 1, "its connection is kept, whatever it answers");
    outbound.stop();
}

#[test]
fn a_client_that_expects_100_continue_gets_it_or_the_answer() {
    let upstream = Upstream::start(|peer| {
        while let Some(mut request) = peer.head() {
            assert_eq!(request.field("expect"), Some("100-continue"));
            match request.target.as_str() {
                "/yes" => {
                    peer.send("HTTP/1.1 100 Continue\r\n\r\n");
                    if peer.body(&mut request).is_none() {
                        return;
                    }
                    peer.answer(&String::from_utf8(request.body).unwrap());
                }
                "/no" => {
                    peer.send("HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno");
                    peer.wait_for_end();
                }
                other => panic!("{other}"),
            }
        }
    });
    let outbound = Outbound::of(&upstream.url(), "");
    let head =
        |path: &str| format!("POST {path} HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
    let mut wire = outbound.wire();
    for _ in 0..3 {
        wire.send(head("/yes"));
        let interim = wire.next(false);
        assert_eq!((interim.status, interim.fields.len()), (100, 0), "{interim:?}");
        wire.send("hello");
        assert_eq!(wire.answer().is(200).text(), "hello");
    }
    wire.send(head("/no"));
    let answer = wire.next(false).is(401);
    assert_eq!(answer.field("connection"), Some("close"), "{answer:?}");
    // What it sends now would be the body or the next request, nobody could say.
    let _ = wire.try_send("GET / HTTP/1.1\r\nHost: test\r\n\r\n");
    assert_eq!(wire.rest().0, b"");
    assert_eq!(upstream.accepted(), 1);
    outbound.stop();
}

#[test]
fn interim_answers_are_passed_on_as_they_come() {
    let upstream = Upstream::start(|peer| {
        while let Some(request) = peer.request() {
            match request.target.as_str() {
                "/hints" => {
                    peer.send("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n");
                    // The client has the hints before the answer is there.
                    std::thread::sleep(Duration::from_millis(50));
                    peer.send(
                        "HTTP/1.1 103 Early Hints\r\nLink: </b.css>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\nContent-Le",
                    );
                    peer.send("ngth: 2\r\n\r\nok");
                }
                "/storm" => {
                    while peer.send("HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n".repeat(64)) {}
                }
                other => panic!("{other}"),
            }
        }
    });
    let outbound = Outbound::of(&upstream.url(), "");
    let mut wire = outbound.wire();
    for _ in 0..2 {
        wire.send("GET /hints HTTP/1.1\r\nHost: test\r\n\r\n");
        let mut came = Vec::new();
        loop {
            let answer = wire.next(false);
            let is_last = answer.status >= 200;
            assert!(
                is_last || answer.field("date").is_none() && answer.field("content-length").is_none(),
                "{answer:?}"
            );
            came.push((answer.status, answer.field("link").map(str::to_owned)));
            if is_last {
                break;
            }
        }
        let link = |name: &str| Some(format!("</{name}.css>; rel=preload"));
        assert_eq!(came, [(102, None), (103, link("a")), (103, link("b")), (200, None)]);
    }
    assert_eq!(upstream.accepted(), 1);
    // HTTP/1.0 knows none.
    let answer = outbound.wire().ask("GET /hints HTTP/1.0\r\n\r\n");
    assert_eq!((answer.status, answer.text().as_str()), (200, "ok"));
    // A storm of them ends: with an answer of our own, as none of the upstream's comes.
    outbound.wire().get("/storm").refuses(502, "upstream_malformed");
    outbound.stop();
}

#[test]
fn an_upgraded_connection_carries_whatever_it_is_both_ways() {
    let upstream = Upstream::start(|peer| {
        let Some(request) = peer.request() else { return };
        if request.target == "/refused" {
            assert_eq!(request.field("upgrade"), Some("websocket"));
            peer.answer("no");
            assert_eq!(peer.request().unwrap().target, "/after");
            peer.answer("after");
            return;
        }
        assert_eq!((request.field("connection"), request.field("upgrade")), (Some("upgrade"), Some("websocket")));
        assert_eq!(request.field("sec-websocket-key"), Some("abc"));
        // Data right behind the head.
        peer.send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: x\r\n\r\n\x01first");
        loop {
            let bytes = peer.read();
            if bytes.is_empty() {
                // The client has said its last; it can still be answered.
                peer.send("the end");
                return;
            }
            peer.send(bytes);
        }
    });
    let outbound = Outbound::of(&upstream.url(), "");
    let ask = |path: &str| {
        format!(
            "GET {path} HTTP/1.1\r\nHost: test\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: abc\r\n\r\n"
        )
    };
    for mut wire in [outbound.wire(), outbound.tcp()] {
        wire.send(ask("/socket") + "early\0bird");
        let head = wire.head();
        assert_eq!(head.status, 101);
        assert_eq!((head.field("connection"), head.field("upgrade")), (Some("upgrade"), Some("websocket")));
        assert_eq!(head.field("sec-websocket-accept"), Some("x"));
        assert_eq!(wire.take(6), b"\x01first");
        assert_eq!(wire.take(10), b"early\0bird");
        let data = pattern(3_000_000);
        let (mut twin, own) = (wire.twin(), data.clone());
        let sending = std::thread::spawn(move || {
            twin.send(own);
            twin.shut();
        });
        assert!(wire.take(data.len()) == data);
        sending.join().unwrap();
        assert_eq!(wire.rest(), (b"the end".to_vec(), Ending::Short));
    }
    // Refused, the connection goes on as it was.
    let mut wire = outbound.wire();
    assert_eq!(wire.ask(ask("/refused")).is(200).text(), "no");
    assert_eq!(wire.get("/after").is(200).text(), "after");
    outbound.wait_until_idle();
    outbound.stop();
}

#[test]
fn a_change_of_protocol_that_was_not_asked_for_is_none() {
    let upstream = Upstream::start(|peer| {
        if peer.head().is_some() {
            peer.send("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil");
            peer.wait_for_end();
        }
    });
    let outbound = Outbound::of(&upstream.url(), "");
    outbound.wire().get("/").refuses(502, "upstream_malformed");
    // Asked for without `Connection`, by HTTP/1.0.
    outbound.wire().ask("GET / HTTP/1.1\r\nHost: test\r\nUpgrade: x\r\n\r\n").refuses(502, "upstream_malformed");
    outbound
        .wire()
        .ask("GET / HTTP/1.0\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")
        .refuses(502, "upstream_malformed");
    // Before the request is whole: what is still to come of it would be the other protocol's.
    let answer = outbound.wire().ask(
        "POST / HTTP/1.1\r\nHost: test\r\nConnection: upgrade\r\nUpgrade: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
    );
    answer.refuses(502, "upstream_malformed");
    outbound.stop();
}

#[test]
fn clients_of_http_1_0_are_answered_in_their_way() {
    let upstream = mirror();
    let outbound = Outbound::of(&upstream.url(), "");
    let body = pattern(100_000);
    let ask = |path: &str, keep: &str| {
        let mut request = format!("POST {path} HTTP/1.0\r\n{keep}Content-Length: {}\r\n\r\n", body.len()).into_bytes();
        request.extend_from_slice(&body);
        request
    };
    let mut wire = outbound.wire();
    for _ in 0..2 {
        let answer = wire.ask(ask("/exact", "Connection: keep-alive\r\n")).is(200);
        assert_eq!(answer.field("connection"), Some("keep-alive"), "{:?}", answer.fields);
        assert!(answer.body == body);
    }
    // Of unknown length: it ends with the connection, which is not said to be kept.
    let answer = wire.ask(ask("/chunked", "Connection: keep-alive\r\n"));
    assert_eq!((answer.status, answer.field("connection"), answer.ending), (200, None, Ending::Closed));
    assert!(answer.body == body);
    let mut wire = outbound.wire();
    let answer = wire.ask(ask("/exact", ""));
    assert_eq!((answer.status, answer.field("connection"), answer.ending), (200, None, Ending::Whole));
    assert_eq!(wire.rest(), (Vec::new(), Ending::Short));
    assert!(upstream.seen().iter().all(|seen| seen.field("host").is_some()));
    outbound.stop();
}

#[test]
fn pipelined_requests_are_answered_in_their_order() {
    let upstream = mirror();
    let outbound = Outbound::of(&upstream.url(), "");
    let mut wire = outbound.wire();
    let mut requests = Vec::new();
    for number in 0..50 {
        let body = pattern(number * 37);
        match number % 3 {
            0 => {
                requests
                    .extend_from_slice(b"POST /chunked HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n");
                requests.extend_from_slice(&chunked(&body, 100));
                requests.extend_from_slice(b"0\r\n\r\n");
            }
            _ => {
                let head = format!("POST /exact HTTP/1.1\r\nHost: test\r\nContent-Length: {}\r\n\r\n", body.len());
                requests.extend_from_slice(head.as_bytes());
                requests.extend_from_slice(&body);
            }
        }
    }
    requests.extend_from_slice(b"GET /last HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
    let mut twin = wire.twin();
    let sending = std::thread::spawn(move || twin.send(requests));
    for number in 0..50 {
        assert!(wire.answer().is(200).body == pattern(number * 37), "number {number}");
    }
    assert_eq!(wire.answer().is(200).field("connection"), Some("close"));
    assert_eq!(wire.rest(), (Vec::new(), Ending::Short));
    sending.join().unwrap();
    outbound.stop();
}

#[test]
fn heads_are_carried_up_to_their_bounds() {
    let upstream = Upstream::start(|peer| {
        while let Some(request) = peer.request() {
            let count = request.target.trim_start_matches('/').parse().unwrap_or(0);
            peer.send(format!("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Long: {}\r\n\r\nok", "y".repeat(count)));
        }
    });
    let outbound = Outbound::of(
        &upstream.url(),
        "limits = { head_bytes = \"100KiB\" }\nclient = { head_bytes = \"100KiB\", fields = 300 }",
    );
    let get = |count: usize, value: &str| format!("GET /{count} HTTP/1.1\r\nHost: test\r\nX-Long: {value}\r\n\r\n");
    let mut wire = outbound.wire();
    for length in [100, 16_000, 16_384, 17_000, 60_000, 100_000] {
        let value = "x".repeat(length);
        let answer = wire.ask(get(length, &value)).is(200);
        assert_eq!(answer.field("x-long").map(str::len), Some(length));
        assert_eq!(upstream.seen().last().unwrap().field("x-long"), Some(value.as_str()));
    }
    let many: String = (0..298).map(|number| format!("X-{number}: {number}\r\n")).collect();
    wire.ask(format!("GET /1 HTTP/1.1\r\nHost: test\r\n{many}\r\n")).is(200);
    assert!(upstream.seen().last().unwrap().field("x-297").is_some());
    let before = upstream.seen().len();
    let mut wire = outbound.wire();
    wire.ask(format!("GET /1 HTTP/1.1\r\nHost: test\r\n{many}{many}\r\n")).refuses(431, "too_many_fields");
    assert_eq!(wire.rest(), (Vec::new(), Ending::Short));
    // The answer comes though the client is still sending.
    let mut wire = outbound.tcp();
    let mut twin = wire.twin();
    let sending = std::thread::spawn(move || {
        let _ = twin.try_send(get(1, &"x".repeat(3_000_000)));
    });
    let answer = wire.answer().refuses(431, "head_too_long");
    assert_eq!(answer.field("connection"), Some("close"));
    sending.join().unwrap();
    assert_eq!(upstream.seen().len(), before);
    outbound.wire().ask(get(110_000, "a")).refuses(502, "upstream_malformed");
    outbound.stop();
}

#[test]
fn a_body_over_the_limit_is_refused_before_or_while_it_comes() {
    let upstream = mirror();
    let outbound = Outbound::of(&upstream.url(), "client = { body_bytes = 10000 }");
    let mut wire = outbound.wire();
    assert_eq!(wire.post("/exact", pattern(10_000)).is(200).body.len(), 10_000);
    let before = upstream.seen().len();
    // Its length is known: the upstream is not troubled with it.
    let mut wire = outbound.wire();
    wire.send("POST /exact HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nContent-Length: 10001\r\n\r\n");
    let answer = wire.next(false).refuses(413, "body_too_large");
    assert_eq!(answer.field("connection"), Some("close"));
    assert_eq!(upstream.seen().len(), before);
    // It is not: the upstream never takes it for whole.
    let mut wire = outbound.wire();
    wire.send("POST /exact HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n");
    wire.send(chunked(&pattern(10_001), 999));
    let answer = wire.answer().refuses(413, "body_too_large");
    assert_eq!(answer.field("connection"), Some("close"));
    upstream.wait("its connection is closed", |upstream| upstream.open() <= 1);
    assert!(upstream.seen()[before..].iter().all(|seen| seen.body.is_empty()), "{:?}", upstream.seen());
    outbound.stop();
}

#[test]
fn unix_sockets_lead_to_the_upstream_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("upstream.sock");
    let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    std::thread::spawn(move || {
        use std::io::{Read, Write};
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let mut bytes = Vec::new();
                let mut piece = [0; 1000];
                while let Ok(count @ 1..) = stream.read(&mut piece) {
                    bytes.extend_from_slice(&piece[..count]);
                    if bytes.ends_with(b"\r\n\r\n") {
                        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nunix\n");
                    }
                }
            });
        }
    });
    let outbound = Outbound::of(&format!("unix:{}", path.display()), "");
    for mut wire in [outbound.wire(), outbound.tcp()] {
        for _ in 0..3 {
            assert_eq!(wire.get("/").is(200).text(), "unix\n");
        }
    }
    assert!(outbound.wire().post("/", "").is(200).body.len() == 5);
    outbound.stop();
}

/// A test took a connection at one address for a sign of all of them, and was refused at the next.
#[test]
fn it_reports_that_it_serves_once_its_last_address_accepts_too() {
    let upstream = mirror();
    let addresses: Vec<_> = (0..60).map(|_| free_address()).collect();
    let listen: String = addresses.iter().map(|address| format!(", \"{address}\"")).collect();
    let config = format!(
        "[[outbound]]\nname = \"test\"\nlisten = [\"unix:DIR/a.sock\"{listen}]\nupstream = \"{}\"",
        upstream.url()
    );
    let serve = Serve::start(&config);
    for address in addresses.iter().rev() {
        assert_eq!(Wire::tcp(*address).get("/").status, 200);
    }
    drop(serve.stop());
}
