use std::net::TcpListener;
use std::sync::mpsc::channel;

use super::server::{HELLO, Server, hang, read_request, send};
use super::*;
use crate::error::Stage;
use crate::schedule::End;
use crate::target::ConnectTo;

/// Long enough for the part of an answer that comes, on a busy machine too.
const SHORT: Duration = Duration::from_millis(500);

/// Sends a text in answer to the first request, and nothing more.
fn stalling(text: &'static str) -> Server {
    Server::new(move |_, mut stream| {
        read_request(&mut stream);
        send(&mut stream, text);
        hang(&mut stream);
    })
}

/// Sends a text in answer to the first request, and closes.
fn closing(text: &'static str) -> Server {
    Server::new(move |_, mut stream| {
        read_request(&mut stream);
        send(&mut stream, text);
    })
}

fn failure(server: &Server) -> LoadError {
    sample(&mut driver(server)).unwrap_err()
}

#[test]
fn nobody_listens() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = sample(&mut start(config(Request::get(&format!("http://{free}/")).unwrap()))).unwrap_err();
    assert!(matches!(error, LoadError::ConnectRefused { .. }), "{error:?}");
    assert!(error.to_string().contains("start the application"), "{error}");
}

#[test]
fn no_such_socket() {
    let config = DriverConfig {
        connect_to: Some(ConnectTo::Unix("/nowhere/app.sock".into())),
        ..config(Request::get("http://h/").unwrap())
    };
    let error = sample(&mut start(config)).unwrap_err();
    assert!(matches!(error, LoadError::Connect { .. }), "{error:?}");
    assert!(error.to_string().contains("/nowhere/app.sock") && error.to_string().contains("check the path"), "{error}");
}

#[test]
fn no_answer() {
    let cases = [
        ("", Stage::Waiting),
        ("HTTP/1.1 200 OK\r\n", Stage::Waiting),
        ("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel", Stage::Reading),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", Stage::Reading),
    ];
    let check = |(text, expected)| {
        let mut driver = start(DriverConfig { timeout: SHORT, ..config(get(&stalling(text))) });
        let error = sample(&mut driver).unwrap_err();
        assert!(matches!(error, LoadError::Timeout { stage, .. } if stage == expected), "{text}: {error:?}");
        let RunError { error, tally } = run(&mut driver, 5).unwrap_err();
        assert!(matches!(error, LoadError::Timeout { .. }), "{text}: {error:?}");
        assert_eq!((tally.requests, tally.connections_opened), (0, 1), "the stalled connection is not used again");
    };
    thread::scope(|scope| {
        for case in cases {
            scope.spawn(move || check(case));
        }
    });
}

#[test]
fn closed_too_early() {
    for (text, expected) in [
        ("", Stage::Waiting),
        ("HTTP/1.1 200 OK\r\n", Stage::Waiting),
        ("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel", Stage::Reading),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhel", Stage::Reading),
    ] {
        let error = failure(&closing(text));
        assert!(matches!(error, LoadError::ClosedEarly { stage, .. } if stage == expected), "{text}: {error:?}");
    }
}

#[test]
fn reset() {
    // Data that nobody reads turns the close into a reset.
    let server = Server::new(|_, stream| drop(stream));
    let error = failure(&server);
    assert!(matches!(error, LoadError::ClosedEarly { .. }), "{error:?}");
}

#[test]
fn not_http() {
    for text in ["SSH-2.0-OpenSSH_9.2\r\n", "\u{15}\u{3}\u{1}", "HTTP/1.1 200 OK\r\ncontent-length: five\r\n\r\n"] {
        let error = failure(&closing(text));
        assert!(matches!(error, LoadError::Protocol { version: "HTTP/1.1", .. }), "{text}: {error:?}");
        assert!(error.to_string().contains("is it an HTTP server"), "{error}");
    }
}

#[test]
fn a_broken_chunk() {
    let error = failure(&closing("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"));
    assert!(matches!(error, LoadError::Protocol { .. }), "{error:?}");
}

#[test]
fn a_redirect_names_its_aim() {
    let server = Server::answering("HTTP/1.1 302 Found\r\nlocation: /login\r\ncontent-length: 2\r\n\r\ngo");
    let error = failure(&server);
    assert!(error.to_string().contains("302 Found, expected 200-299: it redirects to /login"), "{error}");
    assert!(error.to_string().contains("(-b 'NAME=VALUE')"), "{error}");
    let other = failure(&Server::answering("HTTP/1.1 301 Moved\r\nlocation: /blog/\r\ncontent-length: 0\r\n\r\n"));
    assert!(!other.to_string().contains("NAME=VALUE"), "{other}");
    let LoadError::UnexpectedStatus { sample, .. } = error else { panic!("{error:?}") };
    assert_eq!((sample.location(), &sample.body_start[..]), (Some("/login"), &b"go"[..]));
}

#[test]
fn a_status_stops_the_run_with_the_response() {
    let server = Server::new(|_, mut stream| {
        for number in 0.. {
            if read_request(&mut stream).is_none() {
                return;
            }
            let failed = "HTTP/1.1 500 Internal Server Error\r\ncontent-length: 8\r\n\r\nno space";
            send(&mut stream, if number < 7 { HELLO } else { failed });
        }
    });
    let RunError { error, tally } = run(&mut driver(&server), 100).unwrap_err();
    let LoadError::UnexpectedStatus { sample, .. } = &error else { panic!("{error:?}") };
    assert!(sample.to_string().contains("500 Internal Server Error") && sample.to_string().contains("no space"));
    assert!(error.to_string().contains("error log"), "{error}");
    assert_eq!((tally.requests, tally.abandoned, tally.ended), (7, 0, End::Failed));
    assert_eq!(tally.latencies_ns.len(), 7);
}

#[test]
fn an_error_whose_body_is_cut_short_is_that_error() {
    let error = failure(&closing("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 100\r\n\r\nshort"));
    assert!(matches!(error, LoadError::UnexpectedStatus { .. }), "{error:?}");
}

#[test]
fn a_body_without_end() {
    let endless = Server::new(|_, mut stream| {
        read_request(&mut stream);
        send(&mut stream, "HTTP/1.1 200 OK\r\n\r\n");
        while std::io::Write::write_all(&mut stream, &[b'x'; 4096]).is_ok() {}
    });
    let announced = stalling("HTTP/1.1 200 OK\r\ncontent-length: 1048577\r\n\r\n");
    for (server, expected) in [(endless, None), (announced, Some(1_048_577))] {
        let mut driver = start(DriverConfig { max_body: 1 << 20, ..config(get(&server)) });
        let error = sample(&mut driver).unwrap_err();
        let LoadError::BodyTooLarge { limit, announced, .. } = error else { panic!("{error:?}") };
        assert_eq!((limit, announced), (1 << 20, expected));
    }
}

#[test]
fn a_failure_gives_up_what_else_is_under_way() {
    let server = Server::new(|number, mut stream| {
        read_request(&mut stream);
        if number == 2 {
            send(&mut stream, "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
        }
        hang(&mut stream);
    });
    let mut driver = start(DriverConfig { concurrency: 3, ..config(get(&server)) });
    let RunError { error, tally } = run(&mut driver, 100).unwrap_err();
    assert!(error.to_string().contains("404 Not Found"), "{error}");
    assert_eq!((tally.requests, tally.abandoned), (0, 2));
}

#[test]
fn cancelled_amid_a_request() {
    let (asked, is_asked) = channel();
    let server = Server::new(move |_, mut stream| {
        read_request(&mut stream);
        send(&mut stream, HELLO);
        read_request(&mut stream);
        asked.send(()).unwrap();
        hang(&mut stream);
    });
    let cancel = Cancel::new();
    let switch = cancel.clone();
    let interrupt = thread::spawn(move || {
        is_asked.recv().unwrap();
        switch.cancel();
    });
    let mut driver = driver(&server);
    let tally = driver.run(0, Stop::after(LONG), &cancel).unwrap();
    interrupt.join().unwrap();
    assert_eq!((tally.requests, tally.abandoned, tally.ended), (1, 1, End::Cancelled));
    assert!(matches!(driver.sample(0, &cancel), Err(LoadError::Cancelled)));
    let after = driver.run(0, Stop::after(LONG), &cancel).unwrap();
    assert_eq!((after.requests, after.connections_opened, after.ended), (0, 0, End::Cancelled));
}

#[test]
fn no_such_request() {
    let error = driver(&Server::answering(HELLO)).sample(1, &Cancel::new()).unwrap_err();
    assert_eq!(error.to_string(), "there is no request 1: there are 1, counted from 0");
}

#[test]
fn settings_out_of_bounds() {
    let server = Server::answering(HELLO);
    let refused = |config: DriverConfig, expected: &str| {
        let error = Driver::start(config).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    refused(DriverConfig::new(Vec::new()), "list of requests");
    refused(DriverConfig { concurrency: 0, ..config(get(&server)) }, "concurrency is 0");
    refused(DriverConfig { rate: Some(f64::NAN), ..config(get(&server)) }, "rate is NaN");
    refused(DriverConfig { rate: Some(0.0), ..config(get(&server)) }, "rate is 0");
    refused(DriverConfig { timeout: Duration::MAX, ..config(get(&server)) }, "timeout is");
    refused(DriverConfig { connect_timeout: Duration::ZERO, ..config(get(&server)) }, "connect timeout is 0");
}
