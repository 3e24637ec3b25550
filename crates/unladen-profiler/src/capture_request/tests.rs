use proptest::prelude::*;
use unladen_trace::{Event, Object, Peer, Socket, Way, What};

use super::*;

fn encode(params: &Params, body: &[u8]) -> Vec<u8> {
    crate::fastcgi::encode(params, body).unwrap()
}

const MARK: &[u8] = b"4pUsHzb1c2d3";

fn send(pid: u32, id: u64, payload: &[u8], sent: usize) -> Event {
    let peer = Peer::Unix(b"/run/app.sock".to_vec());
    let object = Object::Socket(Socket { id, datagram: false, accepted: false, peer });
    let payload = payload.get(..4096).unwrap_or(payload).to_vec();
    let what = What::Transfer { way: Way::Out, fd: 3, object, result: sent as i64, payload, took_ns: 1 };
    Event { at_ns: 1, pid, tid: pid, group: 0, what }
}

fn request() -> Vec<u8> {
    encode(&Params(vec![(b"HTTP_X_UNLADEN_ABC".to_vec(), MARK.to_vec()), (b"A".to_vec(), b"1".to_vec())]), b"")
}

#[test]
fn the_request_that_bears_the_mark_is_found_among_others_without_it() {
    let (ours, other) = (request(), encode(&Params::default(), b""));
    let http = [b"GET / HTTP/1.1\r\nX-Unladen-Abc: ", MARK, b"\r\n\r\n"].concat();
    let events = [
        send(1, 1, &http, http.len()),
        send(2, 2, &other, other.len()),
        // Apache sends the first record by itself.
        send(3, 3, &ours[..16], 16),
        send(2, 3, &other, other.len()),
        send(3, 3, &ours[16..], ours.len() - 16),
    ];
    let found = marked(&events, MARK);
    assert_eq!(
        found.iter().map(|seen| (seen.pid, protocol(&seen.stream))).collect::<Vec<_>>(),
        [(1, "HTTP"), (3, "FastCGI")]
    );
    let (seen, params, body) = choose(&found, MARK).unwrap().unwrap();
    assert_eq!((seen.pid, body.is_empty()), (3, true));
    assert_eq!(params.0, [(b"A".to_vec(), b"1".to_vec())], "the mark is ours");
}

#[test]
fn sends_that_failed_are_none() {
    let ours = request();
    let mut failed = send(1, 1, &ours, 0);
    if let What::Transfer { result, .. } = &mut failed.what {
        *result = -11;
    }
    let found = marked(&[failed, send(1, 1, &ours, ours.len())], MARK);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].stream.bytes().len(), ours.len());
}

#[test]
fn other_protocols_are_named() {
    let spoken = |bytes: &[u8]| {
        let mut stream = Stream::default();
        stream.push(bytes, bytes.len());
        protocol(&stream)
    };
    assert!(spoken(b"24:CONTENT_LENGTH\x000\0SCGI\x001\0,").starts_with("SCGI"));
    assert!(spoken(b"\0\x20\0\0\x0d\0REQUEST_METHOD").starts_with("uwsgi"));
    assert_eq!(spoken(b"GET / HTTP/1.0\r\n\r\n"), "HTTP");
    assert!(spoken(b"\xff").contains("unknown protocol"));
}

/// A page that nginx handed on to Gunicorn was said to come from a cache, or from mod_php.
#[test]
fn a_request_that_was_handed_on_was_said_to_go_to_no_application() {
    assert!(!advice(true).contains("no application") && advice(true).contains("profile import"), "{}", advice(true));
    assert!(advice(false).contains("goes to no application"), "{}", advice(false));
}

fn params(mark: bool) -> Params {
    let mut params = Params(vec![(b"SCRIPT_FILENAME".to_vec(), b"/app/index.php".to_vec())]);
    if mark {
        params.set("HTTP_X_UNLADEN_ABC", MARK);
    }
    params
}

fn sent(sends: &[&[u8]], most: usize) -> Stream {
    let mut stream = Stream::default();
    for send in sends {
        stream.push(send.get(..most).unwrap_or(send), send.len());
    }
    stream
}

#[test]
fn the_marked_one_is_taken_from_a_connection_that_is_kept() {
    let (other, ours) = (encode(&params(false), b"a=1"), encode(&params(true), b"b=2"));
    let stream = sent(&[&other, &ours, &other], 4096);
    assert_eq!(request_with(&stream, MARK), Some(Taken::Whole { params: params(true), body: b"b=2".to_vec() }));
    assert_eq!(request_with(&sent(&[&other, &other], 4096), MARK), None);
}

#[test]
fn a_connection_whose_beginning_was_not_seen_is_followed_from_the_next_request_on() {
    let ours = encode(&params(true), b"");
    let stream = sent(&[&ours[100..], &ours], 4096);
    assert!(matches!(request_with(&stream, MARK), Some(Taken::Whole { .. })));
}

#[test]
fn what_is_cut_is_told() {
    let mut long = params(true);
    long.set("HTTP_COOKIE", vec![b'c'; 5000]);
    let (cut, body) = (encode(&long, b""), encode(&params(true), &[b'x'; 5000]));
    assert_eq!(request_with(&sent(&[&cut], 4096), MARK), Some(Taken::Cut { what: "parameters", kept: 4096 }));
    assert_eq!(request_with(&sent(&[&body], 4096), MARK), Some(Taken::Cut { what: "body", kept: 4096 }));
    // In sends that are each short enough it is whole.
    let pieces: Vec<&[u8]> = cut.chunks(1000).collect();
    assert!(matches!(request_with(&sent(&pieces, 4096), MARK), Some(Taken::Whole { .. })));
}

#[test]
fn what_has_not_ended_is_cut() {
    let ours = encode(&params(true), b"body");
    assert!(matches!(
        request_with(&sent(&[&ours[..ours.len() - 8]], 4096), MARK),
        Some(Taken::Cut { what: "body", .. })
    ));
}

proptest! {
    #[test]
    fn it_is_whole_however_it_is_sent(piece in 1_usize..5000, body in prop::collection::vec(any::<u8>(), 0..9000)) {
        let ours = encode(&params(true), &body);
        let pieces: Vec<&[u8]> = ours.chunks(piece).collect();
        let taken = request_with(&sent(&pieces, usize::MAX), MARK);
        prop_assert_eq!(taken, Some(Taken::Whole { params: params(true), body }));
    }

    #[test]
    fn any_sends_are_looked_through(sends in prop::collection::vec((any::<Vec<u8>>(), 0_usize..100_000), 0..5), begins: bool) {
        let mut stream = Stream::default();
        if begins {
            let ours = encode(&params(true), b"");
            stream.push(&ours, ours.len());
        }
        for (seen, sent) in &sends {
            stream.push(seen, *sent);
        }
        prop_assert_eq!(request_with(&stream, MARK).is_some(), begins);
    }
}
