use std::sync::mpsc::channel;

use super::server::{HELLO, Server, read_request, send};
use super::*;
use crate::exchange::Digest;

#[test]
fn shows_head_and_body() {
    let server = Server::answering("HTTP/1.1 200 OK\r\ncontent-length: 5\r\nx-cost: 7\r\n\r\nhello");
    let sample = sample(&mut driver(&server)).unwrap();
    assert_eq!(sample.request, format!("GET http://{}/page", server.address));
    assert_eq!((sample.status.as_u16(), &sample.headers["x-cost"]), (200, &"7".parse().unwrap()));
    assert_eq!(sample.exchange.digest, Digest::of(b"hello"));
    assert_eq!(sample.to_string(), "HTTP/1.1 200 OK\ncontent-length: 5\nx-cost: 7\n\nhello\n");
    let exchange = sample.exchange;
    assert!(exchange.connect.is_some_and(|times| times.tls.is_none()), "the first one needs a connection");
    assert!(exchange.planned <= exchange.sent && exchange.sent <= exchange.first_byte);
    assert!(exchange.first_byte <= exchange.done);
}

#[test]
fn shows_no_more_than_the_start_and_no_escape_sequence() {
    let body = format!("\u{1b}[2J{}", "x".repeat(10_000));
    let server = Server::answering(format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len()));
    let sample = sample(&mut driver(&server)).unwrap();
    assert_eq!(sample.body_start.len(), 4096);
    assert_eq!((sample.exchange.body_bytes, sample.exchange.digest), (10_004, Digest::of(body.as_bytes())));
    let shown = sample.to_string();
    assert!(shown.contains(r"\u{1b}[2J") && shown.contains("and 5908 more bytes"), "{shown}");
}

#[test]
fn reads_chunks_and_bodies_that_end_with_the_connection() {
    for answer in [
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\nx-trailer: 1\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\nhello",
        "HTTP/1.0 200 OK\r\n\r\nhello",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello",
    ] {
        let server = Server::new(move |_, mut stream| {
            read_request(&mut stream);
            send(&mut stream, answer);
        });
        let mut driver = driver(&server);
        assert_eq!(sample(&mut driver).unwrap().exchange.digest, Digest::of(b"hello"), "{answer}");
        let tally = run(&mut driver, 3).unwrap();
        assert_eq!((tally.requests, tally.body_bytes, tally.connections_opened, tally.changed), (3, 15, 3, 0));
    }
}

#[test]
fn a_piece_at_a_time_has_the_digest_of_the_whole() {
    let server = Server::new(|_, mut stream| {
        read_request(&mut stream);
        send(&mut stream, "HTTP/1.1 200 OK\r\ncontent-length: 20000\r\n\r\n");
        for _ in 0..2_000 {
            send(&mut stream, "0123456789");
        }
    });
    let sample = sample(&mut driver(&server)).unwrap();
    assert_eq!(sample.exchange.digest, Digest::of("0123456789".repeat(2_000).as_bytes()));
}

#[test]
fn some_answers_have_no_body() {
    for (method, answer) in [
        ("HEAD", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n"),
        ("GET", "HTTP/1.1 204 No Content\r\n\r\n"),
        ("GET", "HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n"),
    ] {
        let server = Server::answering(answer);
        let mut config = config(get(&server).method(method).unwrap());
        config.expect.statuses = "200-204,304".parse().unwrap();
        let tally = run(&mut start(config), 3).unwrap();
        assert_eq!((tally.requests, tally.body_bytes, tally.connections_opened), (3, 0, 1), "{answer}");
    }
}

#[test]
fn sends_what_was_asked_for() {
    let (sent, received) = channel();
    let server = Server::new(move |_, mut stream| {
        sent.send(read_request(&mut stream).unwrap()).unwrap();
        send(&mut stream, HELLO);
    });
    let request = |builder: RequestBuilder| {
        sample(&mut start(config(builder))).unwrap();
        received.recv().unwrap()
    };
    let plain = request(get(&server));
    let agent = concat!("user-agent: unladen/", env!("CARGO_PKG_VERSION"));
    assert_eq!(plain, format!("GET /page HTTP/1.1\r\nhost: {}\r\n{agent}\r\naccept: */*\r\n\r\n", server.address));

    let header = |line: &str| line.parse().unwrap();
    let full = request(
        get(&server)
            .method("POST")
            .unwrap()
            .header(header("X-A: 1"))
            .header(header("x-a: 2"))
            .header(header("user-agent: me"))
            .cookie("a=1")
            .unwrap()
            .body("q=1"),
    );
    for line in ["POST /page", "x-a: 1\r\nx-a: 2\r\n", "user-agent: me\r\n", "cookie: a=1\r\n", "content-length: 3\r\n"]
    {
        assert!(full.contains(line), "{line}: {full}");
    }
    assert!(full.ends_with("\r\n\r\nq=1"), "{full}");
    assert!(request(get(&server).method("POST").unwrap()).contains("content-length: 0\r\n"));
}

#[test]
fn counts_bodies_that_change() {
    let server = Server::new(|_, mut stream| {
        for number in 0.. {
            if read_request(&mut stream).is_none() {
                return;
            }
            let body = if number % 2 == 0 { "even" } else { "odd!" };
            send(&mut stream, &format!("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n{body}"));
        }
    });
    let mut driver = driver(&server);
    sample(&mut driver).unwrap();
    let tally = run(&mut driver, 10).unwrap();
    assert_eq!((tally.requests, tally.changed), (10, 5), "compared with the sample");
}

#[test]
fn each_request_is_compared_with_its_own_first_answer() {
    let server = Server::new(|_, mut stream| {
        while let Some(request) = read_request(&mut stream) {
            let path = request.split(' ').nth(1).unwrap();
            send(&mut stream, &format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{path}", path.len()));
        }
    });
    let request = |path: &str| Request::get(&format!("http://{}/{path}", server.address)).unwrap().build().unwrap();
    let mut driver = start(DriverConfig::new(vec![request("a"), request("b")]));
    for index in [0, 1, 0, 1] {
        let tally = driver.run(index, Stop::after(LONG).or_requests(2), &Cancel::new()).unwrap();
        assert_eq!((tally.requests, tally.changed), (2, 0));
    }
    assert_eq!(server.connections(), 1, "both are of one origin");
}
