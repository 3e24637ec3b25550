//! `unladen serve` with HTTP/2 on either side or both: messages arrive as they were meant, and what happens to one
//! stream, or to the connection that it shares, happens to nobody else.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use h2::Reason;
use http::{HeaderMap, Response};
use unladen_tests::h2::{H2Answer, H2Asked, H2Client, H2Manners, H2Upstream, mirror, request, send_body};
use unladen_tests::wait::until_async as until;
use unladen_tests::{Authority, Ending, Nginx, Outbound, Upstream};

/// Far above what any wait of the tests takes.
const LIMIT: Duration = Duration::from_secs(40);

fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async { tokio::time::timeout(2 * LIMIT, test).await }).expect("it hangs");
}

/// Waits until no request is in flight; what the client says meanwhile is sent.
async fn idle(outbound: &Outbound) {
    until("none is in flight", || outbound.in_flight() == 0.0).await;
}

/// Bytes that no other offset has alike.
fn pattern(length: usize) -> Vec<u8> {
    (0..length as u32).flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()).take(length).collect()
}

/// The mirror of HTTP/1: chunked, unless the request has a length.
fn mirror_h1() -> Upstream {
    Upstream::start(|peer| {
        while let Some(request) = peer.request() {
            let head = match request.field("content-length") {
                Some(length) => format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n"),
                None => "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_owned(),
            };
            peer.send(head);
            if request.field("content-length").is_some() {
                peer.send(&request.body);
                continue;
            }
            for chunk in request.body.chunks(5000) {
                peer.send(format!("{:x}\r\n", chunk.len()));
                peer.send(chunk);
                peer.send("\r\n");
            }
            let trailers: String =
                request.trailers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
            peer.send(format!("0\r\n{trailers}\r\n"));
        }
    })
}

/// What goes through, by HTTP/2, of every kind.
async fn exchange_everything(client: &H2Client) {
    for length in [0, 1, 16_384, 16_385, 65_535, 1_000_003] {
        let body = pattern(length);
        let answer = client.post("/", &body).await.is(200);
        assert!(answer.body == body, "{length}: {} bytes", answer.body.len());

        let mut head = request("PUT", "/");
        head.headers_mut().insert("content-length", length.into());
        let (answer, send) = client.send(head, length == 0).await;
        if length > 0 {
            tokio::spawn(send_body(send, body.clone().into(), None));
        }
        let answer = H2Answer::read(answer).await.unwrap().is(200);
        assert_eq!(answer.field("content-length"), Some(length.to_string().as_str()));
        assert!(answer.body == body, "{length} as announced: {} bytes", answer.body.len());

        let mut trailers = HeaderMap::new();
        trailers.insert("x-sum", "6".parse().unwrap());
        let (answer, send) = client.send(request("POST", "/"), false).await;
        tokio::spawn(send_body(send, body.clone().into(), Some(trailers.clone())));
        let answer = H2Answer::read(answer).await.unwrap().is(200);
        assert!(answer.body == body && answer.trailers == Some(trailers), "{length} with trailers: {answer:?}");
    }
    client.get("/").await.is(200);
}

#[test]
fn bodies_and_trailers_are_the_same_on_the_other_side() {
    run(async {
        let (h1, h2) = (mirror_h1(), H2Upstream::mirror());
        for (url, http) in [(h1.url(), "1"), (h2.url(), "2")] {
            let outbound = Outbound::of(&url, &format!("http = \"{http}\""));
            let client = H2Client::unix(&outbound.socket()).await;
            exchange_everything(&client).await;
            outbound.stop();
        }
        // By HTTP/1 to HTTP/2.
        let outbound = Outbound::of(&h2.url(), "http = \"2\"");
        for length in [0, 1, 16_384, 16_385, 1_000_003] {
            let body = pattern(length);
            for is_chunked in [false, true] {
                // One that is answered while it is sent has to be read meanwhile.
                let mut wire = outbound.wire();
                let (mut twin, own) = (wire.twin(), body.clone());
                let sending = std::thread::spawn(move || {
                    if !is_chunked {
                        twin.send(format!("POST / HTTP/1.1\r\nHost: test\r\nContent-Length: {length}\r\n\r\n"));
                        return twin.send(own);
                    }
                    twin.send("POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n");
                    for chunk in own.chunks(7000) {
                        twin.send(format!("{:x}\r\n", chunk.len()));
                        twin.send(chunk);
                        twin.send("\r\n");
                    }
                    twin.send("0\r\nX-Sum: 6\r\n\r\n");
                });
                let answer = wire.answer().is(200);
                sending.join().unwrap();
                assert!(answer.body == body, "{length}, in chunks: {is_chunked}");
                let trailers: &[(String, String)] = if is_chunked { &[("x-sum".into(), "6".into())] } else { &[] };
                assert_eq!(answer.trailers, trailers);
            }
        }
        assert_eq!(h2.open(), 1, "all of it went over one connection");
        outbound.stop();
    });
}

#[test]
fn answers_without_a_body_have_none() {
    async fn script(mut asked: H2Asked) {
        let builder = Response::builder();
        let (builder, has_body) = match asked.request.uri().path() {
            "/length" => (builder.header("content-length", 1000), false),
            "/chunked" => (builder, false),
            "/304" => (builder.status(304).header("content-length", 1000), false),
            "/204" => (builder.status(204), false),
            // What must not be there is not passed on.
            "/204-body" => (builder.status(204), true),
            "/304-body" => (builder.status(304), true),
            _ => (builder.header("content-length", 4), true),
        };
        let Ok(mut send) = asked.respond.send_response(builder.body(()).unwrap(), !has_body) else { return };
        if has_body {
            let _ = send.send_data(Bytes::from_static(b"evil"), true);
        }
    }
    run(async {
        let upstream = H2Upstream::start(script);
        let outbound = Outbound::of(&upstream.url(), "http = \"2\"\nretry = { attempts = 0 }\nbreaker = false");
        let mut wire = outbound.wire();
        let mut ask = |method: &str, path: &str| {
            wire.send(format!("{method} {path} HTTP/1.1\r\nHost: test\r\n\r\n"));
            let answer = wire.next(method == "HEAD");
            assert_eq!((answer.reason(), answer.field("transfer-encoding")), (None, None), "{answer:?}");
            answer
        };
        for _ in 0..2 {
            assert_eq!(ask("HEAD", "/length").field("content-length"), Some("1000"));
            assert_eq!(ask("HEAD", "/chunked").field("content-length"), None);
            assert_eq!(ask("GET", "/204").status, 204);
            assert_eq!(ask("GET", "/304").field("content-length"), Some("1000"));
            assert_eq!(ask("GET", "/204-body").status, 204);
            assert_eq!(ask("GET", "/304-body").status, 304);
            assert_eq!(ask("HEAD", "/evil").field("content-length"), Some("4"));
            assert_eq!(ask("GET", "/evil").text(), "evil");
        }
        let client = H2Client::unix(&outbound.socket()).await;
        for (method, path, status, length) in
            [("HEAD", "/length", 200, Some("1000")), ("GET", "/204", 204, None), ("GET", "/304", 304, Some("1000"))]
        {
            let (answer, _) = client.send(request(method, path), true).await;
            let answer = H2Answer::read(answer).await.unwrap().is(status);
            assert_eq!((answer.field("content-length"), answer.body.len()), (length, 0), "{method} {path}");
        }
        outbound.stop();
    });
}

#[test]
fn interim_answers_are_passed_on() {
    async fn script(mut asked: H2Asked) {
        if asked.request.headers().contains_key("expect") {
            let _ = asked.respond.send_informational(Response::builder().status(100).body(()).unwrap());
            return mirror(asked).await;
        }
        for name in ["a", "b"] {
            let hints = Response::builder().status(103).header("link", name).body(()).unwrap();
            let _ = asked.respond.send_informational(hints);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        mirror(asked).await;
    }
    run(async {
        let upstream = H2Upstream::start(script);
        let h1 = Upstream::start(|peer| {
            while peer.request().is_some() {
                for name in ["a", "b"] {
                    peer.send(format!("HTTP/1.1 103 Early Hints\r\nLink: {name}\r\n\r\n"));
                    std::thread::sleep(Duration::from_millis(20));
                }
                peer.answer("");
            }
        });
        for (url, http) in [(upstream.url(), "2"), (h1.url(), "1")] {
            let outbound = Outbound::of(&url, &format!("http = \"{http}\""));
            let client = H2Client::unix(&outbound.socket()).await;
            let (mut answer, _) = client.send(request("GET", "/"), true).await;
            for name in ["a", "b"] {
                let hints = std::future::poll_fn(|cx| answer.poll_informational(cx)).await.unwrap().unwrap();
                assert_eq!((hints.status().as_u16(), hints.headers()["link"].to_str().unwrap()), (103, name));
            }
            H2Answer::read(answer).await.unwrap().is(200);
            let mut wire = outbound.wire();
            wire.send("GET / HTTP/1.1\r\nHost: test\r\n\r\n");
            let came = [wire.next(false), wire.next(false), wire.next(false)].map(|answer| answer.status);
            assert_eq!(came, [103, 103, 200]);
            if http == "2" {
                wire.send("POST / HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
                assert_eq!(wire.next(false).status, 100);
                assert_eq!(wire.ask("hello").is(200).text(), "hello");
            }
            outbound.stop();
        }
    });
}

#[test]
fn many_streams_at_a_time_do_not_mix() {
    run(async {
        let (h1, h2) = (mirror_h1(), H2Upstream::mirror());
        for (url, http) in [(h1.url(), "1"), (h2.url(), "2")] {
            let outbound = Outbound::of(&url, &format!("http = \"{http}\""));
            let client = H2Client::unix(&outbound.socket()).await;
            let mut tasks = Vec::new();
            for number in 0..120_usize {
                let client = client.clone();
                tasks.push(tokio::spawn(async move {
                    for round in 0..3 {
                        let body = pattern(number * 997 + round);
                        assert!(client.post("/", &body).await.is(200).body == body, "{number} {round}");
                    }
                }));
            }
            for task in tasks {
                task.await.unwrap();
            }
            idle(&outbound).await;
            outbound.stop();
        }
    });
}

#[test]
fn an_answer_before_the_request_has_ended_arrives() {
    async fn script(mut asked: H2Asked) {
        let answer = Response::builder().status(413).header("content-length", 3).body(()).unwrap();
        let mut send = asked.respond.send_response(answer, false).unwrap();
        let _ = send.send_data(Bytes::from_static(b"big"), true);
    }
    run(async {
        let h1 = Upstream::start(|peer| {
            // Its connection is open for more, and so may be used again where all of the request was sent.
            while let Some(mut request) = peer.head() {
                peer.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig");
                if peer.body(&mut request).is_none() {
                    return;
                }
            }
        });
        let h2 = H2Upstream::start(script);
        let body = vec![b'x'; 10_000_000];
        for (url, http) in [(h1.url(), "1"), (h2.url(), "2")] {
            let outbound = Outbound::of(&url, &format!("http = \"{http}\"\nclient = {{ body_bytes = \"20MB\" }}"));
            let client = H2Client::unix(&outbound.socket()).await;
            for _ in 0..3 {
                let answer = client.post("/", &body).await.is(413);
                assert_eq!(answer.text(), "big", "HTTP/{http}");
                let mut wire = outbound.wire();
                assert_eq!(wire.post("/", &body).is(413).text(), "big", "HTTP/{http}");
            }
            // Ours, too: known beforehand, and found out.
            let mut head = request("POST", "/");
            head.headers_mut().insert("content-length", 30_000_000.into());
            let (answer, _send) = client.send(head, false).await;
            H2Answer::read(answer).await.unwrap().refuses(413, "body_too_large");
            idle(&outbound).await;
            outbound.stop();
        }
        // The upstream takes all, so that the bound is met in the middle.
        let upstream = H2Upstream::start(|mut asked: H2Asked| async move {
            while let Some(Ok(piece)) = asked.request.body_mut().data().await {
                let _ = asked.request.body_mut().flow_control().release_capacity(piece.len());
            }
        });
        let outbound = Outbound::of(&upstream.url(), "http = \"2\"\nclient = { body_bytes = \"1MB\" }");
        let client = H2Client::unix(&outbound.socket()).await;
        client.post("/", &body).await.refuses(413, "body_too_large");
        idle(&outbound).await;
        outbound.stop();
    });
}

#[test]
fn a_client_that_goes_leaves_nothing_behind() {
    let gone = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&gone);
    let script = move |mut asked: H2Asked| {
        let told = Arc::clone(&told);
        async move {
            let path = asked.request.uri().path().to_owned();
            let reason = if path == "/waiting" {
                std::future::poll_fn(|cx| asked.respond.poll_reset(cx)).await
            } else {
                let mut send = asked.respond.send_response(Response::new(()), false).unwrap();
                send.send_data(Bytes::from_static(b"abc"), false).unwrap();
                std::future::poll_fn(|cx| send.poll_reset(cx)).await
            };
            told.lock().unwrap().push((path, reason.ok()));
        }
    };
    run(async {
        let h2 = H2Upstream::start(script);
        let h1 = Upstream::start(|peer| {
            let Some(request) = peer.head() else { return };
            if request.target == "/answering" {
                peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
            }
            peer.wait_for_end();
        });
        for (url, http) in [(h1.url(), "1"), (h2.url(), "2")] {
            let outbound = Outbound::of(&url, &format!("http = \"{http}\"\nbreaker = false"));
            let seen = || if http == "1" { h1.seen().len() } else { h2.seen().len() };
            for path in ["/waiting", "/answering"] {
                for how in ["reset", "closed", "HTTP/1"] {
                    let before = seen();
                    let client = H2Client::unix(&outbound.socket()).await;
                    let mut wire = outbound.wire();
                    let mut stream = None;
                    if how == "HTTP/1" {
                        wire.send(format!("GET {path} HTTP/1.1\r\nHost: test\r\n\r\n"));
                    } else {
                        let (mut answer, send) = client.send(request("GET", path), true).await;
                        if path == "/answering" {
                            let head = (&mut answer).await.unwrap();
                            stream = Some((None, Some(head), send));
                        } else {
                            stream = Some((Some(answer), None, send));
                        }
                    }
                    until("the request has come", || seen() > before).await;
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    match how {
                        "reset" => drop(stream.take()),
                        "closed" => client.end(),
                        _ => drop(wire),
                    }
                    until("its end is noticed", || {
                        if http == "1" { h1.open() == 0 } else { !gone.lock().unwrap().is_empty() }
                    })
                    .await;
                    if http == "2" {
                        let (told, reason) = gone.lock().unwrap().remove(0);
                        assert_eq!((told.as_str(), reason), (path, Some(Reason::CANCEL)), "{how}");
                    }
                    drop(stream);
                    idle(&outbound).await;
                }
            }
            outbound.stop();
        }
        assert_eq!(h2.accepted(), 1, "the connection has outlived all of its streams");
    });
}

#[test]
fn streams_that_the_upstream_resets_are_sent_again_if_that_is_safe() {
    let asked_for = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked_for);
    let script = move |mut asked: H2Asked| {
        let number = count.fetch_add(1, Ordering::SeqCst);
        async move {
            let reason = match asked.request.uri().path() {
                "/refused" => Reason::REFUSED_STREAM,
                "/failed" => Reason::INTERNAL_ERROR,
                "/broken" => {
                    let mut send = asked.respond.send_response(Response::new(()), false).unwrap();
                    send.send_data(Bytes::from_static(b"abc"), false).unwrap();
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    return send.send_reset(Reason::INTERNAL_ERROR);
                }
                "/never" => return asked.respond.send_reset(Reason::INTERNAL_ERROR),
                other => panic!("{other}"),
            };
            if number.is_multiple_of(2) {
                // Part of the body is here.
                let _ = asked.request.body_mut().data().await;
                return asked.respond.send_reset(reason);
            }
            mirror(asked).await;
        }
    };
    run(async {
        let upstream = H2Upstream::start(script);
        let outbound = Outbound::of(&upstream.url(), "http = \"2\"\nbreaker = false\nretry = { backoff = \"1ms\" }");
        let body = pattern(30_000);
        let client = H2Client::unix(&outbound.socket()).await;
        let asked = || asked_for.load(Ordering::SeqCst);
        let mut before = 0;
        let mut more = |count: usize, what: &str| {
            before += count;
            assert_eq!(asked(), before, "{what}");
        };
        for _ in 0..2 {
            client.get("/refused").await.is(200);
            more(2, "GET refused");
            // It has said that it did nothing.
            assert!(client.post("/refused", &body).await.is(200).body == body);
            more(2, "POST refused");
            assert!(outbound.wire().post("/refused", &body).is(200).body == body);
            more(2, "POST refused, by HTTP/1");
            client.get("/failed").await.is(200);
            more(2, "GET failed");
            client.post("/failed", &body).await.refuses(502, "upstream_closed");
            more(1, "POST failed");
            client.get("/failed").await.is(200);
            more(1, "GET that did not fail");
            // Again within the budget, and not for free.
            client.get("/never").await.refuses(502, "upstream_closed");
            more(2, "GET that never succeeds");
            let broken = client.get("/broken").await;
            assert!(broken.head.status == 200 && broken.error.is_some() && broken.text() == "abc", "{broken:?}");
            let broken = outbound.wire().get("/broken");
            assert_eq!((broken.status, broken.text().as_str(), broken.ending), (200, "abc", Ending::Short));
            more(2, "GET that breaks off");
        }
        assert_eq!(upstream.accepted(), 1, "none of it ends the connection");
        outbound.stop();
    });
}

#[test]
fn a_connection_that_says_it_goes_away_loses_nothing() {
    let script = |asked: H2Asked| async move {
        if asked.request.uri().path() == "/long" {
            tokio::time::sleep(Duration::from_millis(1500)).await;
        }
        mirror(asked).await;
    };
    run(async {
        let upstream = H2Upstream::with(H2Manners { streams: 128, enough: 10 }, script);
        let outbound = Outbound::of(&upstream.url(), "http = \"2\"\nretry = { attempts = 0 }");
        let client = H2Client::unix(&outbound.socket()).await;
        let body = pattern(10_000);
        let mut tasks = Vec::new();
        for number in 0..12 {
            let (client, body) = (client.clone(), body.clone());
            tasks.push(tokio::spawn(async move {
                for round in 0..10 {
                    // Some are under way for long after the connection has been told off.
                    let path = if (number + round) % 11 == 0 { "/long" } else { "/" };
                    assert!(client.post(path, &body).await.is(200).body == body, "{number} {round}");
                    client.get(path).await.is(200);
                }
            }));
        }
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(upstream.seen().len(), 240, "none was sent twice");
        // Each says so at its tenth request; what is under way by then, of twelve clients at most, it still answers.
        assert!(upstream.accepted() >= 240 / (10 + 12), "{} connections", upstream.accepted());
        outbound.stop();
    });
}

#[test]
fn nginx_that_goes_away_all_the_time_loses_nothing() {
    let authority = Authority::new();
    let certificate = authority.certificate("127.0.0.1");
    let nginx = Nginx::start(
        "LISTEN ssl http2; ssl_certificate chain.pem; ssl_certificate_key key.pem; keepalive_requests 30;
         client_body_buffer_size 100k; location / { return 200 'well'; } location /file { root .; }",
        &[("chain.pem", &certificate.chain), ("key.pem", &certificate.key), ("file", &"0123456789".repeat(100_000))],
    );
    std::fs::write(nginx.path("ca.pem"), authority.pem()).unwrap();
    let outbound = Outbound::of(
        &format!("https://{}", nginx.address()),
        &format!("ca = \"{}\"\nretry = {{ attempts = 0 }}", nginx.path("ca.pem").display()),
    );
    std::thread::scope(|scope| {
        for client in 0..8 {
            let outbound = &outbound;
            scope.spawn(move || {
                let mut wire = if client % 2 == 0 { outbound.wire() } else { outbound.tcp() };
                for number in 0..100 {
                    match (client + number) % 3 {
                        0 => assert_eq!(wire.get("/file").is(200).body.len(), 1_000_000),
                        1 => {
                            let answer = wire.post("/", "x".repeat(20_000)).is(200);
                            assert_eq!(answer.text(), "well");
                            // It may have been answered before it was there.
                            if answer.field("connection") == Some("close") {
                                wire = outbound.wire();
                            }
                        }
                        _ => assert_eq!(wire.get("/").is(200).text(), "well"),
                    }
                }
            });
        }
    });
    let log = nginx.requests(800);
    assert_eq!(log.lines().filter(|line| line.contains("HTTP/2.0\" 200")).count(), 800);
    assert_eq!(log.lines().count(), 800, "none was sent twice");
    // An upgrade is of HTTP/1.1 alone.
    let answer =
        outbound.wire().ask("GET / HTTP/1.1\r\nHost: test\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n");
    assert_eq!(answer.is(200).text(), "well");
    assert!(nginx.requests(801).lines().last().unwrap().contains("HTTP/1.1\" 200"));
    outbound.stop();
}

#[test]
fn an_upgrade_cannot_be_had_where_http_2_alone_is_spoken() {
    let upstream = H2Upstream::mirror();
    let outbound = Outbound::of(&upstream.url(), "http = \"2\"");
    let mut wire = outbound.wire();
    let ask = "GET / HTTP/1.1\r\nHost: test\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n";
    wire.ask(ask).refuses(501, "no_upgrade");
    wire.get("/").is(200);
    assert_eq!(upstream.seen().len(), 1);
    outbound.stop();
}

#[test]
fn clients_that_read_slowly_hold_up_neither_the_others_nor_the_memory() {
    let sent = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&sent);
    let script = move |mut asked: H2Asked| {
        let counter = Arc::clone(&counter);
        async move {
            if asked.request.uri().path() != "/big" {
                return mirror(asked).await;
            }
            let Ok(mut send) = asked.respond.send_response(Response::new(()), false) else { return };
            let piece = Bytes::from(vec![b'x'; 16_384]);
            loop {
                send.reserve_capacity(piece.len());
                let Some(Ok(capacity)) = std::future::poll_fn(|cx| send.poll_capacity(cx)).await else { return };
                let part = piece.slice(..capacity.min(piece.len()));
                counter.fetch_add(part.len(), Ordering::Relaxed);
                if send.send_data(part, false).is_err() {
                    return;
                }
            }
        }
    };
    run(async {
        let upstream = H2Upstream::start(script);
        // Long enough to be in the way of others.
        let outbound = Outbound::of(&upstream.url(), "http = \"2\"\ntimeouts = { idle = \"10m\" }");
        let before = outbound.memory();
        // Of HTTP/1, and streams of one connection of HTTP/2.
        let mut wires: Vec<_> = (0..30).map(|_| outbound.wire()).collect();
        for wire in &mut wires {
            wire.send("GET /big HTTP/1.1\r\nHost: test\r\n\r\n");
            assert_eq!(wire.head().status, 200);
        }
        let mut builder = h2::client::Builder::new();
        builder.initial_connection_window_size(100 << 20);
        let client = H2Client::with(&outbound.socket(), builder).await;
        let mut streams = Vec::new();
        for _ in 0..30 {
            let (answer, _) = client.send(request("GET", "/big"), true).await;
            streams.push(answer.await.unwrap());
        }
        for _ in 0..20 {
            tokio::time::sleep(Duration::from_millis(20)).await;
            // Their connections to the upstream are the same.
            assert_eq!(outbound.wire().post("/", "quick").is(200).text(), "quick");
            assert_eq!(client.post("/", b"quick").await.is(200).text(), "quick");
        }
        let grown = outbound.memory().saturating_sub(before);
        println!("{grown} bytes more for 60 readers that do not read");
        assert!(grown < 60 << 20, "{grown} bytes more");
        assert!(upstream.accepted() <= 2);
        let sent = sent.load(Ordering::Relaxed);
        assert!(sent < 60 << 20, "{sent} bytes were taken");
        drop((wires, streams));
        idle(&outbound).await;
        outbound.stop();
    });
}

#[test]
fn with_as_many_streams_as_may_be_requests_wait_for_their_turn() {
    let script = |asked: H2Asked| async move {
        tokio::time::sleep(Duration::from_millis(20)).await;
        mirror(asked).await;
    };
    run(async {
        let upstream = H2Upstream::with(H2Manners { streams: 2, enough: usize::MAX }, script);
        let outbound = Outbound::of(
            &upstream.url(),
            "http = \"2\"\nlimits = { connections = 1 }\ntimeouts = { connect = \"30s\" }\nretry = { attempts = 0 }",
        );
        // The upstream's limit is known from here on.
        outbound.wire().get("/").is(200);
        let client = H2Client::unix(&outbound.socket()).await;
        let mut tasks = Vec::new();
        for _ in 0..20 {
            let client = client.clone();
            tasks.push(tokio::spawn(async move {
                assert_eq!(client.post("/", b"turn").await.is(200).text(), "turn");
            }));
        }
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(upstream.accepted(), 1);
        outbound.stop();
    });
}

#[test]
fn a_connection_that_is_lost_takes_no_request_with_it_that_can_be_had() {
    // It ends with a connection, every few requests, and whatever is under way.
    let upstream = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&upstream);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    listener.set_nonblocking(true).unwrap();
    std::thread::spawn(move || {
        run(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            while let Ok((stream, _)) = listener.accept().await {
                let number = count.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(async move {
                    let Ok(mut connection) = h2::server::handshake(stream).await else { return };
                    for _ in 0..5 + number % 7 {
                        let Some(Ok((request, mut respond))) = connection.accept().await else { return };
                        let answer = Response::builder().header("path", request.uri().path()).body(()).unwrap();
                        let _ = respond.send_response(answer, true);
                    }
                    // What has been answered is sent; what comes meanwhile is not looked at.
                    let closing = std::future::poll_fn(|cx| connection.poll_closed(cx));
                    let _ = tokio::time::timeout(Duration::from_millis(2), closing).await;
                });
            }
        });
    });
    run(async move {
        let outbound =
            Outbound::of(&format!("http://{address}"), "http = \"2\"\nretry = { budget = 1.0, backoff = \"1ms\" }");
        let client = H2Client::unix(&outbound.socket()).await;
        let mut tasks = Vec::new();
        for number in 0..8 {
            let client = client.clone();
            tasks.push(tokio::spawn(async move {
                let mut good = 0;
                for round in 0..100 {
                    let path = format!("/{number}/{round}");
                    let answer = client.get(&path).await;
                    if answer.reason().is_none() {
                        let answer = answer.is(200);
                        assert_eq!(answer.field("path"), Some(path.as_str()));
                        good += 1;
                    } else {
                        // Three connections in a row went from under it.
                        answer.refuses(502, "upstream_closed");
                    }
                }
                good
            }));
        }
        let mut good = 0;
        for task in tasks {
            good += task.await.unwrap();
        }
        println!("{good} of 800 were answered, over {} connections", upstream.load(Ordering::SeqCst));
        assert!(good > 780, "{good} of 800");
        outbound.stop();
    });
}

#[test]
fn an_upstream_that_stalls_is_given_up_and_its_connection_is_not() {
    let script = |mut asked: H2Asked| async move {
        match asked.request.uri().path() {
            "/nothing" => {
                let _ = std::future::poll_fn(|cx| asked.respond.poll_reset(cx)).await;
            }
            "/some" => {
                let mut send = asked.respond.send_response(Response::new(()), false).unwrap();
                let _ = send.send_data(Bytes::from_static(b"abc"), false);
                let _ = std::future::poll_fn(|cx| send.poll_reset(cx)).await;
            }
            _ => mirror(asked).await,
        }
    };
    run(async {
        let upstream = H2Upstream::start(script);
        let outbound = Outbound::of(
            &upstream.url(),
            "http = \"2\"\nbreaker = false\ntimeouts = { first_byte = \"300ms\", idle = \"300ms\" }",
        );
        let client = H2Client::unix(&outbound.socket()).await;
        for _ in 0..2 {
            client.get("/nothing").await.refuses(504, "upstream_timeout");
            outbound.wire().get("/nothing").refuses(504, "upstream_timeout");
            let answer = client.get("/some").await;
            assert!(answer.head.status == 200 && answer.error.is_some() && answer.text() == "abc", "{answer:?}");
            let answer = outbound.wire().get("/some");
            assert_eq!((answer.status, answer.text().as_str(), answer.ending), (200, "abc", Ending::Short));
            assert_eq!(client.post("/", b"well").await.is(200).text(), "well");
        }
        assert_eq!(upstream.accepted(), 1);
        // The client does not send on.
        let (answer, mut send) = client.send(request("POST", "/"), false).await;
        send.send_data(Bytes::from_static(b"abc"), false).unwrap();
        let answer = answer.await;
        // The mirror has answered by then: its answer breaks off, or it is told that it was too slow.
        if let Ok(answer) = answer {
            let answer = H2Answer::of(answer).await.unwrap();
            assert!(answer.error.is_some() || answer.head.status == 408, "{answer:?}");
        }
        idle(&outbound).await;
        outbound.stop();
    });
}
