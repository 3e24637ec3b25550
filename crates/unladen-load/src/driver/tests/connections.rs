use std::io::{Read, Write};
use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier};

use super::server::{HELLO, Server, hang, read_request, send};
use super::*;
use crate::error::Stage;
use crate::schedule::End;
use crate::target::ConnectTo;

#[test]
fn stay_open_from_phase_to_phase() {
    let server = Server::answering(HELLO);
    let mut driver = driver(&server);
    sample(&mut driver).unwrap();
    for _ in 0..3 {
        let tally = run(&mut driver, 20).unwrap();
        assert_eq!((tally.requests, tally.connections_opened, tally.closed_by_server), (20, 0, 0));
    }
    assert_eq!(server.connections(), 1);
}

#[test]
fn one_for_each_worker() {
    let together = Arc::new(Barrier::new(4));
    let server = Server::new(move |_, mut stream| {
        while read_request(&mut stream).is_some() {
            // Four requests must be under way at once, or none is answered.
            together.wait();
            send(&mut stream, HELLO);
        }
    });
    let mut driver = start(DriverConfig { concurrency: 4, ..config(get(&server)) });
    let tally = run(&mut driver, 40).unwrap();
    assert_eq!((tally.requests, tally.connections_opened), (40, 4));
    assert_eq!(run(&mut driver, 40).unwrap().connections_opened, 0);
}

#[test]
fn one_for_each_request() {
    let server = Server::new(|_, mut stream| {
        assert!(read_request(&mut stream).unwrap().contains("connection: close\r\n"));
        send(&mut stream, HELLO);
        hang(&mut stream);
    });
    let mut driver = start(DriverConfig { keep_alive: false, ..config(get(&server)) });
    let tally = run(&mut driver, 10).unwrap();
    assert_eq!((tally.requests, tally.connections_opened, server.connections()), (10, 10, 10));
    assert_eq!((tally.closed_by_server, tally.retries), (0, 0));
}

#[test]
fn closed_while_idle_are_opened_again_and_counted() {
    let (closed, is_closed) = channel();
    let server = Server::new(move |_, mut stream| {
        read_request(&mut stream);
        send(&mut stream, HELLO);
        drop(stream);
        closed.send(()).unwrap();
    });
    let mut driver = driver(&server);
    sample(&mut driver).unwrap();
    is_closed.recv().unwrap();
    let tally = run(&mut driver, 1).unwrap();
    assert_eq!((tally.requests, tally.connections_opened), (1, 1));
    // Whether the end is seen before the request is sent, or by it, is up to the network.
    assert_eq!(tally.closed_by_server + tally.retries, 1);
}

#[test]
fn closed_in_good_order_after_each_answer() {
    let server = Server::new(|_, mut stream| {
        read_request(&mut stream);
        send(&mut stream, "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 5\r\n\r\nhello");
    });
    let tally = run(&mut driver(&server), 20).unwrap();
    assert_eq!((tally.requests, tally.connections_opened), (20, 20));
    assert_eq!(tally.retries, 0);
}

/// The race of RFC 9112, section 9.3.1: the request is sent, and the connection closed without an answer to it.
fn racing(answers: usize) -> Server {
    Server::new(move |number, mut stream| {
        let mut left = if number == 0 { answers } else { usize::MAX };
        while read_request(&mut stream).is_some() && left > 0 {
            send(&mut stream, HELLO);
            left -= 1;
        }
    })
}

#[test]
fn closed_under_a_request_are_opened_once_more() {
    let server = racing(3);
    let tally = run(&mut driver(&server), 10).unwrap();
    assert_eq!((tally.requests, tally.connections_opened, tally.retries), (10, 2, 1));
}

#[test]
fn closed_under_a_request_that_must_not_be_sent_twice() {
    let server = racing(3);
    let mut driver = start(config(get(&server).method("POST").unwrap()));
    let RunError { error, tally } = run(&mut driver, 10).unwrap_err();
    assert!(matches!(error, LoadError::ClosedEarly { stage: Stage::Waiting, .. }), "{error:?}");
    assert_eq!((tally.requests, tally.retries, tally.abandoned, tally.ended), (3, 0, 0, End::Failed));
}

#[test]
fn closed_under_the_second_attempt_too() {
    let server = Server::new(|number, mut stream| {
        read_request(&mut stream);
        if number == 0 {
            send(&mut stream, HELLO);
            read_request(&mut stream);
        }
    });
    let RunError { error, tally } = run(&mut driver(&server), 10).unwrap_err();
    assert!(matches!(error, LoadError::ClosedEarly { stage: Stage::Waiting, .. }), "{error:?}");
    assert_eq!((tally.requests, tally.retries), (1, 1));
}

#[test]
fn begun_answers_are_not_tried_again() {
    let server = Server::new(|_, mut stream| {
        read_request(&mut stream);
        send(&mut stream, HELLO);
        read_request(&mut stream);
        send(&mut stream, "HTTP/1.1 200 O");
    });
    let RunError { error, tally } = run(&mut driver(&server), 10).unwrap_err();
    assert!(matches!(error, LoadError::ClosedEarly { .. }), "{error:?}");
    assert_eq!((tally.requests, tally.retries, server.connections()), (1, 0, 1));
}

#[test]
fn are_closed_with_the_driver() {
    let (closed, is_closed) = channel();
    let server = Server::new(move |_, mut stream| {
        read_request(&mut stream);
        send(&mut stream, HELLO);
        hang(&mut stream);
        closed.send(()).unwrap();
    });
    let mut driver = driver(&server);
    sample(&mut driver).unwrap();
    drop(driver);
    is_closed.recv_timeout(LONG).unwrap();
}

#[test]
fn prefer_the_address_that_answers() {
    // localhost is ::1 and 127.0.0.1 on most machines, and the server listens at the latter alone.
    let server = Server::answering(HELLO);
    let url = format!("http://localhost:{}/", server.address.port());
    let config = DriverConfig { keep_alive: false, ..config(Request::get(&url).unwrap()) };
    assert_eq!(run(&mut start(config), 3).unwrap().requests, 3);
}

#[test]
fn go_over_unix_sockets() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.sock");
    let listener = UnixListener::bind(&path).unwrap();
    let accepted = Arc::new(AtomicUsize::new(0));
    let accept = accepted.clone();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            accept.fetch_add(1, Relaxed);
            while let Some(request) = read_request(&mut stream) {
                assert!(request.contains("host: wiki.example\r\n"));
                stream.write_all(HELLO.as_bytes()).unwrap();
            }
            let _ = stream.read(&mut [0]);
        }
    });
    let config = DriverConfig {
        connect_to: Some(ConnectTo::Unix(path)),
        ..config(Request::get("http://wiki.example/").unwrap())
    };
    let mut driver = start(config);
    assert!(driver.target(0).unwrap().is_local());
    assert_eq!(run(&mut driver, 10).unwrap().requests, 10);
    assert_eq!(accepted.load(Relaxed), 1);
}
