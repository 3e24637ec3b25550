use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;

use proptest::prelude::*;
use unladen_fastcgi::{END_REQUEST, STDERR, STDOUT};
use unladen_trace::wire::fastcgi::{PARAMS, records};

use super::*;

const LIMITS: Limits = Limits { timeout: Duration::from_secs(20), keep: 1 << 20 };
const ENDED: &[u8] = &[0, 0, 0, 0, 0, 0, 0, 0];

fn answer(parts: &[(u8, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (kind, content) in parts {
        write_record(&mut bytes, *kind, REQUEST, content);
    }
    bytes
}

fn read(bytes: &[u8], piece: usize) -> Result<Response, String> {
    let mut reader = ResponseReader::new(REQUEST, 1 << 20);
    for piece in bytes.chunks(piece.max(1)) {
        if reader.push(piece)? {
            return reader.finish();
        }
    }
    Err("cut".into())
}

/// Takes one connection, reads until it has the whole request, and says this.
fn serve(mut stream: impl Read + Write, says: &[u8]) -> Vec<u8> {
    let mut heard = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let is_end = |record: unladen_trace::wire::fastcgi::Record<'_>| record.kind == STDIN && record.length == 0;
        if records(&heard).any(is_end) {
            break;
        }
        let read = stream.read(&mut buffer).unwrap();
        assert!(read > 0, "closed");
        heard.extend_from_slice(&buffer[..read]);
    }
    stream.write_all(says).unwrap();
    heard
}

#[test]
fn a_request_goes_over_a_unix_socket_and_over_tcp() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.sock");
    let (unix, tcp) = (UnixListener::bind(&path).unwrap(), TcpListener::bind("127.0.0.1:0").unwrap());
    let addresses = [Address::Unix(path), Address::Tcp(tcp.local_addr().unwrap())];
    let says = answer(&[(STDOUT, b"Status: 404 Not Found\r\nA: b\r\n\r\nnothing"), (END_REQUEST, ENDED)]);
    let body = vec![b'x'; 100_000];
    let params = Params(vec![(b"COOKIE".to_vec(), vec![b'c'; 60_000])]);
    std::thread::scope(|scope| {
        let heard = [
            scope.spawn(|| serve(unix.accept().unwrap().0, &says)),
            scope.spawn(|| serve(tcp.accept().unwrap().0, &says)),
        ];
        for (address, heard) in addresses.iter().zip(heard) {
            let timed = request(address, &params, &body, LIMITS, &Cancel::new()).unwrap();
            assert_eq!((timed.response.status, &timed.response.body[..]), (404, &b"nothing"[..]));
            let heard = heard.join().unwrap();
            let of = |kind| {
                records(&heard).filter(move |record| record.kind == kind).flat_map(|record| record.content).copied()
            };
            assert_eq!(of(STDIN).collect::<Vec<_>>(), body);
            assert_eq!(Params::decode(&of(PARAMS).collect::<Vec<_>>()), Some(params.clone()));
        }
    });
}

#[test]
fn who_does_not_answer_is_left_in_time_and_when_cancelled() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = Address::Tcp(listener.local_addr().unwrap());
    let short = Limits { timeout: Duration::from_millis(150), ..LIMITS };
    let late = request(&address, &Params::default(), b"", short, &Cancel::new()).unwrap_err().to_string();
    assert!(late.contains("has not answered within 150ms: nothing was received"), "{late}");

    let cancel = Cancel::new();
    let switch = cancel.clone();
    let begun = Instant::now();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        switch.cancel();
    });
    let error = request(&address, &Params::default(), b"", LIMITS, &cancel).unwrap_err();
    assert!(matches!(error, ProfilerError::Cancelled), "{error}");
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[test]
fn who_is_not_there_or_closes_early_is_told() {
    let gone = Address::Unix("/nonexistent/app.sock".into());
    let error = request(&gone, &Params::default(), b"", LIMITS, &Cancel::new()).unwrap_err().to_string();
    assert!(error.contains("/nonexistent/app.sock does not accept connections: No such file"), "{error}");

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = Address::Tcp(listener.local_addr().unwrap());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            serve(listener.accept().unwrap().0, &answer(&[(STDERR, b"PHP Fatal error\n"), (STDOUT, b"A: b\n\nhalf")]))
        });
        let error = request(&address, &Params::default(), b"", LIMITS, &Cancel::new()).unwrap_err().to_string();
        assert!(
            error.ends_with("has closed the connection: 4 bytes of a body were received; it says: PHP Fatal error"),
            "{error}"
        );
    });
}

#[test]
fn a_status_is_named_or_follows_from_the_rest() {
    let of = |head: &[u8]| read(&answer(&[(STDOUT, head), (END_REQUEST, ENDED)]), 7).map(|response| response.status);
    assert_eq!(of(b"Content-Type: text/plain\n\n"), Ok(200));
    assert_eq!(of(b"location: http://x/\r\n\r\n"), Ok(302));
    assert_eq!(of(b"Status: 301 Moved\r\nLocation: /\r\n\r\n"), Ok(301));
    assert!(of(b"Status: x\n\n").unwrap_err().contains("the first line is malformed"));
    assert!(of(b"nothing\n\n").unwrap_err().contains("a header field is malformed"));
    assert!(of(b"A: b\n").unwrap_err().contains("without a head: only part of a head was received"));
}

#[test]
fn refusals_of_the_protocol_are_told() {
    let refused = |status| read(&answer(&[(END_REQUEST, &[0, 0, 0, 0, status, 0, 0, 0])]), 64).unwrap_err();
    assert_eq!(refused(2), "has not accepted the request: it reports that it is overloaded");
    assert_eq!(
        read(b"HTTP/1.1 400 Bad Request\r\n\r\n", 64).unwrap_err(),
        "cannot be parsed: what it sent is not FastCGI (does it speak HTTP?)"
    );
    let endless = vec![(STDOUT, &[b'x'; 60_000][..]); 6];
    assert!(read(&answer(&endless), 4096).unwrap_err().contains("the head is too long"));
}

proptest! {
    #[test]
    fn an_answer_is_the_same_however_it_is_cut(
        body in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..300), 0..5),
        errors in prop::collection::vec(any::<u8>(), 0..50),
        cut_head in 1_usize..28, piece in 1_usize..400,
    ) {
        let head = b"Status: 201 Created\r\nA: b\r\n\r\n";
        let (first, rest) = head.split_at(cut_head.min(head.len()));
        let mut parts: Vec<(u8, &[u8])> = vec![(STDOUT, first), (STDERR, &errors), (STDOUT, rest)];
        parts.extend(body.iter().map(|chunk| (STDOUT, &chunk[..])));
        parts.extend([(STDOUT, &[][..]), (END_REQUEST, ENDED)]);
        let response = read(&answer(&parts), piece).unwrap();
        prop_assert_eq!(response.status, 201);
        prop_assert_eq!(&response.body, &body.concat());
        prop_assert_eq!(response.body_bytes, body.concat().len() as u64);
        prop_assert_eq!(response.stderr.bytes(), &errors[..]);
    }

    #[test]
    fn any_bytes_are_an_answer_or_an_error(bytes: Vec<u8>, piece in 1_usize..100) {
        let _ = read(&bytes, piece);
    }
}
