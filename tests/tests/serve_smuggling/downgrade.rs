//! Requests of HTTP/2 that go on as HTTP/1.1: what HTTP/1 could not carry, or would carry as something else, is
//! refused; the rest arrives as one request.

use std::os::unix::net::UnixStream;
use std::time::Duration;

use unladen_tests::Recorder;
use unladen_tests::frames::{Frame, Http2, code, flag, kind};

use crate::support::{Contact, bytes};
use Becomes::{Ended, Refused, Reset, Sent};

/// What becomes of a request.
#[derive(Debug, Clone, Copy)]
enum Becomes {
    /// It is answered with this status, and does not arrive.
    Refused(u16),
    /// Its stream is reset, and it does not arrive; nor does a part of it that could be taken for one.
    Reset,
    /// The connection ends, as its library cannot tell this from a fault in what is compressed; nothing arrives.
    Ended,
    /// This arrives.
    Sent(&'static str),
}

/// A name, the fields of the head, the body, the trailers, and what becomes of it. `¶` is between fields.
type Case = (&'static str, &'static str, Option<&'static str>, Option<&'static str>, Becomes);

const GET: &str = ":method: GET¶:scheme: http¶:path: /¶:authority: a";
const POST: &str = ":method: POST¶:scheme: http¶:path: /¶:authority: a";

#[rustfmt::skip]
const CASES: &[Case] = &[
    ("a request", "GET", None, None, Sent("GET / HTTP/1.1¶host: a¶¶")),
    ("a body", "POST", Some("hello"), None, Sent("POST / HTTP/1.1¶host: a¶transfer-encoding: chunked¶¶5¶hello¶0¶¶")),
    ("a body with a length", "POST¶content-length: 5", Some("hello"), None, Sent("POST / HTTP/1.1¶host: a¶content-length: 5¶¶hello")),
    ("an empty body", "POST", Some(""), None, Sent("POST / HTTP/1.1¶host: a¶transfer-encoding: chunked¶¶0¶¶")),
    // Lengths: H2.CL.
    ("a length that is too small", "POST¶content-length: 0", Some("GET /in HTTP/1.1¶Host: a¶¶"), None, Reset),
    ("a length that is too large", "POST¶content-length: 10", Some("hello"), None, Reset),
    ("a length without a body", "POST¶content-length: 5", None, None, Reset),
    ("a length of 0 without a body", "POST¶content-length: 0", None, None, Sent("POST / HTTP/1.1¶host: a¶content-length: 0¶¶")),
    ("two lengths", "POST¶content-length: 5¶content-length: 6", Some("hello"), None, Reset),
    ("equal lengths", "POST¶content-length: 5¶content-length: 5", Some("hello"), None, Sent("POST / HTTP/1.1¶host: a¶content-length: 5¶¶hello")),
    ("a list of lengths", "POST¶content-length: 5, 5", Some("hello"), None, Reset),
    ("zeros in front", "POST¶content-length: 0005", Some("hello"), None, Sent("POST / HTTP/1.1¶host: a¶content-length: 5¶¶hello")),
    ("a sign", "POST¶content-length: +5", Some("hello"), None, Reset),
    ("an empty length", "POST¶content-length: ", Some("hello"), None, Reset),
    ("a length that wraps around", "POST¶content-length: 18446744073709551621", Some("hello"), None, Reset),
    ("a length that is negative to some", "POST¶content-length: 9223372036854775808", Some("hello"), None, Reset),
    ("a length by another name in CGI", "POST¶content_length: 5", Some("hello"), None, Refused(400)),
    // Codings and hops: H2.TE.
    ("a coding", "POST¶transfer-encoding: chunked", Some("0¶¶GET /in HTTP/1.1¶Host: a¶¶"), None, Reset),
    ("a coding by another name in CGI", "POST¶transfer_encoding: chunked", Some("0¶¶"), None, Refused(400)),
    ("Connection", "GET¶connection: close", None, None, Reset),
    ("Connection names the length", "POST¶connection: content-length¶content-length: 5", Some("hello"), None, Reset),
    ("Keep-Alive", "GET¶keep-alive: timeout=5", None, None, Reset),
    ("Proxy-Connection", "GET¶proxy-connection: keep-alive", None, None, Reset),
    ("Upgrade", "GET¶upgrade: h2c", None, None, Reset),
    ("TE", "GET¶te: trailers", None, None, Sent("GET / HTTP/1.1¶host: a¶te: trailers¶connection: te¶¶")),
    ("TE with more", "GET¶te: gzip", None, None, Reset),
    ("Expect", "POST¶expect: 100-continue", Some("x"), None, Sent("POST / HTTP/1.1¶host: a¶expect: 100-continue¶transfer-encoding: chunked¶¶1¶x¶0¶¶")),
    ("a sender by another name in CGI", "GET¶x_forwarded_for: 127.0.0.1", None, None, Refused(400)),
    // Fields: header injection.
    ("CRLF in a value", "GET¶x: y\r\ntransfer-encoding: chunked", None, None, Ended),
    ("a line feed in a value", "GET¶x: y\ncontent-length: 5", None, None, Ended),
    ("a carriage return in a value", "GET¶x: y\rz", None, None, Ended),
    ("NUL in a value", "GET¶x: a\0b", None, None, Ended),
    ("DEL in a value", "GET¶x: a\x7fb", None, None, Ended),
    ("8 bits in a value", "GET¶x: na\u{c3}\u{a9}", None, None, Sent("GET / HTTP/1.1¶host: a¶x: na\u{c3}\u{a9}¶¶")),
    ("blanks around a value", "GET¶x: \t y \t", None, None, Sent("GET / HTTP/1.1¶host: a¶x: y¶¶")),
    ("CRLF in a name", "GET¶x\r\ny: z", None, None, Ended),
    ("a colon in a name", "GET¶transfer-encoding:chunked: x", None, None, Ended),
    ("a space in a name", "GET¶transfer-encoding : chunked", None, None, Ended),
    ("an empty name", "GET¶: x", None, None, Ended),
    ("a name with 8 bits", "GET¶x\u{e9}: y", None, None, Ended),
    ("a name in capitals", "GET¶X-Own: y", None, None, Ended),
    ("a length in capitals", "POST¶Content-Length: 5", Some("hello"), None, Ended),
    ("cookies", "GET¶cookie: a=b¶x: y¶cookie: c=d", None, None, Sent("GET / HTTP/1.1¶host: a¶cookie: a=b; c=d¶x: y¶¶")),
    // The first line: request-line injection.
    ("a method with a space", ":method: GET /in HTTP/1.1¶:scheme: http¶:path: /¶:authority: a", None, None, Ended),
    ("a method with CRLF", ":method: GET / HTTP/1.1\r\nx:¶:scheme: http¶:path: /¶:authority: a", None, None, Ended),
    ("an empty method", ":method: ¶:scheme: http¶:path: /¶:authority: a", None, None, Ended),
    ("HEAD in small letters", ":method: head¶:scheme: http¶:path: /¶:authority: a", None, None, Refused(501)),
    ("a path with a space", ":method: GET¶:scheme: http¶:path: /in HTTP/1.1 x¶:authority: a", None, None, Reset),
    ("a path with CRLF", ":method: GET¶:scheme: http¶:path: / HTTP/1.1\r\nx: y¶:authority: a", None, None, Reset),
    ("a path with a tab", ":method: GET¶:scheme: http¶:path: /\tx¶:authority: a", None, None, Reset),
    ("a path with NUL", ":method: GET¶:scheme: http¶:path: /\0¶:authority: a", None, None, Reset),
    ("a path with 8 bits", ":method: GET¶:scheme: http¶:path: /\u{c3}\u{a9}¶:authority: a", None, None, Refused(400)),
    // Its library leaves the fragment away; what arrives can be read in one way.
    ("a path with a fragment", ":method: GET¶:scheme: http¶:path: /a#b¶:authority: a", None, None, Sent("GET /a HTTP/1.1¶host: a¶¶")),
    ("an empty path", ":method: GET¶:scheme: http¶:path: ¶:authority: a", None, None, Reset),
    ("a path without a slash", ":method: GET¶:scheme: http¶:path: x¶:authority: a", None, None, Reset),
    ("a path that is a URL", ":method: GET¶:scheme: http¶:path: http://b/¶:authority: a", None, None, Reset),
    ("a path that begins with @", ":method: GET¶:scheme: http¶:path: @b/¶:authority: a", None, None, Reset),
    ("a path as it is", ":method: GET¶:scheme: http¶:path: //x/../%2e/?q=http://b/¶:authority: a", None, None, Sent("GET //x/../%2e/?q=http://b/ HTTP/1.1¶host: a¶¶")),
    ("the asterisk of GET", ":method: GET¶:scheme: http¶:path: *¶:authority: a", None, None, Refused(400)),
    ("the asterisk of OPTIONS", ":method: OPTIONS¶:scheme: http¶:path: *¶:authority: a", None, None, Sent("OPTIONS * HTTP/1.1¶host: a¶¶")),
    ("a scheme with more", ":method: GET¶:scheme: http://b/in?¶:path: /¶:authority: a", None, None, Reset),
    ("a scheme with CRLF", ":method: GET¶:scheme: http\r\nx: y¶:path: /¶:authority: a", None, None, Reset),
    ("CONNECT", ":method: CONNECT¶:authority: a:443", None, None, Refused(501)),
    ("CONNECT with a path", ":method: CONNECT¶:scheme: http¶:path: /¶:authority: a", None, None, Reset),
    ("extended CONNECT", ":method: CONNECT¶:protocol: websocket¶:scheme: http¶:path: /¶:authority: a", None, None, Reset),
    ("a protocol of GET", ":method: GET¶:protocol: websocket¶:scheme: http¶:path: /¶:authority: a", None, None, Reset),
    // Hosts.
    ("Host alone", ":method: GET¶:scheme: http¶:path: /¶host: a", None, None, Sent("GET / HTTP/1.1¶host: a¶¶")),
    ("Host as well", "GET¶host: A", None, None, Sent("GET / HTTP/1.1¶host: a¶¶")),
    ("Host that differs", "GET¶host: b", None, None, Refused(400)),
    ("two hosts", "GET¶host: a¶host: b", None, None, Refused(400)),
    ("no host", ":method: GET¶:scheme: http¶:path: /", None, None, Refused(400)),
    ("an empty host", ":method: GET¶:scheme: http¶:path: /¶:authority: ", None, None, Reset),
    ("a host with a user", ":method: GET¶:scheme: http¶:path: /¶:authority: u@a", None, None, Refused(400)),
    ("a host with a path", ":method: GET¶:scheme: http¶:path: /¶:authority: a/b", None, None, Reset),
    ("a host with a space", ":method: GET¶:scheme: http¶:path: /¶:authority: a b", None, None, Reset),
    ("a host with CRLF", ":method: GET¶:scheme: http¶:path: /¶:authority: a\r\nx: y", None, None, Reset),
    ("a list of hosts", ":method: GET¶:scheme: http¶:path: /¶:authority: a,b", None, None, Refused(400)),
    ("a host in percent signs", ":method: GET¶:scheme: http¶:path: /¶:authority: a%00b", None, None, Reset),
    ("a host with CRLF in Host", ":method: GET¶:scheme: http¶:path: /¶host: a\r\nx: y", None, None, Ended),
    ("a host with a space in Host", ":method: GET¶:scheme: http¶:path: /¶host: a b", None, None, Refused(400)),
    // Pseudo-headers.
    ("two methods", "GET¶:method: POST", None, None, Reset),
    ("two paths", "GET¶:path: /in", None, None, Reset),
    ("two authorities", "GET¶:authority: b", None, None, Reset),
    ("a path after fields", ":method: GET¶:scheme: http¶:authority: a¶x: y¶:path: /", None, None, Reset),
    ("no method", ":scheme: http¶:path: /¶:authority: a", None, None, Reset),
    ("no scheme", ":method: GET¶:path: /¶:authority: a", None, None, Reset),
    ("a status", "GET¶:status: 200", None, None, Reset),
    ("one that is unknown", "GET¶:x: y", None, None, Ended),
    // Trailers.
    ("trailers", "POST", Some("x"), Some("x-sum: 1"), Sent("POST / HTTP/1.1¶host: a¶transfer-encoding: chunked¶¶1¶x¶0¶x-sum: 1¶¶")),
    ("trailers after a length", "POST¶content-length: 1", Some("x"), Some("x-sum: 1"), Sent("POST / HTTP/1.1¶host: a¶content-length: 1¶¶x")),
    ("trailers after too little", "POST¶content-length: 2", Some("x"), Some("x-sum: 1"), Reset),
    // Its library leaves it away, as it does an unknown frame: nothing of it is sent on.
    ("a path in trailers", "POST", Some("x"), Some(":path: /in"), Sent("POST / HTTP/1.1¶host: a¶transfer-encoding: chunked¶¶1¶x¶0¶¶")),
    ("a coding in trailers", "POST", Some("x"), Some("transfer-encoding: chunked"), Reset),
    ("a length in trailers", "POST", Some("x"), Some("content-length: 100"), Refused(400)),
    ("a length by another name in trailers", "POST", Some("x"), Some("content_length: 100"), Refused(400)),
    ("a sender in trailers", "POST", Some("x"), Some("x-forwarded-for: 127.0.0.1"), Refused(400)),
    ("CRLF in trailers", "POST", Some("x"), Some("x: y\r\n\r\nGET /in HTTP/1.1"), Ended),
];

fn fields(text: &str) -> Vec<(Vec<u8>, Vec<u8>)> {
    let whole = match text.split_once('¶') {
        Some(("GET", more)) => format!("{GET}¶{more}"),
        Some(("POST", more)) => format!("{POST}¶{more}"),
        None if text == "GET" => GET.to_owned(),
        None if text == "POST" => POST.to_owned(),
        _ => text.to_owned(),
    };
    let split = |field: &str| {
        // A name may begin with a colon, and be empty.
        let at = field.match_indices(": ").map(|(at, _)| at).find(|at| *at > 0 || !field.starts_with(':')).unwrap_or(0);
        (bytes(&field[..at]), bytes(&field[at + 2..]))
    };
    whole.split('¶').map(split).collect()
}

fn head(stream: u32, text: &str, ends: bool) -> Frame {
    let fields = fields(text);
    let borrowed: Vec<(&[u8], &[u8])> = fields.iter().map(|(name, value)| (&**name, &**value)).collect();
    Frame::head(stream, &borrowed, ends)
}

fn client<U>(place: &Contact<U>) -> Http2<UnixStream> {
    let stream = place.connect();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    Http2::client(stream)
}

/// The answer's status and body, or the frame that ends it.
fn answer(client: &mut Http2<UnixStream>, stream: u32, name: &str) -> Result<(u16, Vec<u8>), (u8, Option<u32>)> {
    let (mut status, mut body) = (0, Vec::new());
    loop {
        let Some(frame) = client.frame() else { panic!("{name}: the connection ends") };
        if frame.stream != stream && frame.kind != kind::GOAWAY {
            continue;
        }
        match frame.kind {
            kind::RST_STREAM | kind::GOAWAY => return Err((frame.kind, frame.code())),
            kind::HEADERS => status = frame.status().unwrap_or(status),
            kind::DATA => body.extend_from_slice(&frame.payload),
            _ => {}
        }
        if frame.ends() {
            return Ok((status, body));
        }
    }
}

#[test]
fn each_is_refused_or_arrives_as_one_request() {
    let place = Contact::plain(Recorder::good());
    // All on one connection: what is wrong with a request is no other's concern.
    let mut client = client(&place);
    for (number, (name, text, body, trailers, becomes)) in CASES.iter().enumerate() {
        let stream = number as u32 * 2 + 1;
        // At once: with a length of 0 that is too small, nothing is wrong yet before the body comes.
        let mut frames = vec![head(stream, text, body.is_none())];
        frames.extend(body.map(|body| Frame::data(stream, bytes(body), trailers.is_none())));
        frames.extend(trailers.map(|trailers| head(stream, trailers, true)));
        client.say(&frames.iter().flat_map(Frame::bytes).collect::<Vec<_>>());
        let answer = answer(&mut client, stream, name);
        place.canary(name);
        let (whole, parts) = place.arrived();
        // What began to arrive was not to be taken for a request.
        assert!(!parts.iter().any(|part| part.windows(3).any(|three| three == b"/in")), "{name}: {parts:?}");
        let refused = match becomes {
            Refused(status) => Ok(*status),
            Reset => Err((kind::RST_STREAM, Some(code::PROTOCOL_ERROR))),
            Ended => {
                client = self::client(&place);
                Err((kind::GOAWAY, Some(code::PROTOCOL_ERROR)))
            }
            Sent(sent) => {
                let target = sent.split(' ').nth(1).unwrap();
                assert_eq!(answer, Ok((200, bytes(target))), "{name}");
                let arrived: Vec<_> = whole.iter().map(|request| request.escape_ascii().to_string()).collect();
                assert_eq!(arrived, [bytes(sent).escape_ascii().to_string()], "{name}");
                assert!(parts.is_empty(), "{name}: {parts:?}");
                continue;
            }
        };
        assert_eq!(answer.map(|(status, _)| status), refused, "{name}");
        assert!(whole.is_empty(), "{name}: {whole:?}");
    }
    place.end();
}

#[test]
fn what_a_head_may_have_has_its_bounds() {
    let place = Contact::plain(Recorder::good());
    let mut client = client(&place);
    // In pieces of what a frame can hold.
    let mut ask = |stream: u32, fields: &[(&[u8], &[u8])]| {
        let block = unladen_tests::frames::block(fields);
        let pieces: Vec<_> = block.chunks(16_384).collect();
        for (at, piece) in pieces.iter().enumerate() {
            let flags = if at + 1 == pieces.len() { flag::END_HEADERS } else { 0 };
            let frame = match at {
                0 => Frame::new(kind::HEADERS, flags | flag::END_STREAM, stream, *piece),
                _ => Frame::new(kind::CONTINUATION, flags, stream, *piece),
            };
            client.send(&frame);
        }
        answer(&mut client, stream, "a large head").map(|(status, _)| status)
    };
    let start: [(&[u8], &[u8]); 4] =
        [(b":method", b"GET"), (b":scheme", b"http"), (b":path", b"/"), (b":authority", b"a")];
    let with = |more: Vec<(&'static [u8], &'static [u8])>| [&start[..], &more].concat();
    let long: &[u8] = Box::leak(vec![b'x'; 30_000].into_boxed_slice());
    assert_eq!(ask(1, &with(vec![(b"x", b"y"); 128])), Ok(200));
    assert_eq!(ask(3, &with(vec![(b"x", b"y"); 129])), Ok(431));
    assert_eq!(ask(5, &with(vec![(b"x", long); 2])), Ok(200));
    assert_eq!(ask(7, &with(vec![(b"x", long); 3])), Ok(431));
    // Many small ones are one field of HTTP/1.
    assert_eq!(ask(9, &with(vec![(b"cookie", b"a=b"); 1000])), Ok(200));
    place.canary("large heads");
    drop(client);
    place.end();
}

#[test]
fn a_client_that_leaves_in_a_body_leaves_nothing_to_the_next() {
    let place = Contact::plain(Recorder::good());
    for head_text in ["POST", "POST¶content-length: 100"] {
        for leaves in ["reset", "goes"] {
            let mut client = client(&place);
            client.send(&head(1, head_text, false));
            client.send(&Frame::data(1, "GET /in HTTP/1.1\r\nHost: a\r\n\r\n", false));
            client.send(&Frame::new(kind::PING, 0, 0, [0; 8]));
            client.wait(|frame| frame.kind == kind::PING && frame.flags == flag::ACK).expect("an answer");
            place.canary(head_text);
            if leaves == "reset" {
                client.send(&Frame::reset(1, code::CANCEL));
                client.send(&head(3, "GET", true));
                assert_eq!(answer(&mut client, 3, "after a reset"), Ok((200, b"/".to_vec())));
            } else {
                drop(client);
            }
            place.canary(head_text);
            let whole = place.arrived().0;
            let is_own = |request: &Vec<u8>| request.starts_with(b"GET / HTTP/1.1\r\n");
            assert!(whole.iter().all(is_own), "{head_text}, {leaves}: {whole:?}");
        }
    }
    place.end();
}

#[test]
fn an_answer_before_the_end_of_the_body_is_whole() {
    let (url, _arrived) = crate::connection::hasty("HTTP/1.1 200 OK¶Content-Length: 2¶¶ok");
    let place = Contact::at(&url, "[outbound.client]\nbody_bytes = 10\n");
    let mut client = client(&place);
    for (stream, text, body, expected) in [
        (1, "POST", "", (200, "ok")),
        (3, "POST", "x", (200, "ok")),
        (5, "POST¶content-length: 11", "", (413, "413 body_too_large\n")),
        (7, "POST", "more than ten", (413, "413 body_too_large\n")),
        (9, "POST¶content_length: 9", "x", (400, "400 field\n")),
    ] {
        client.send(&head(stream, text, false));
        if !body.is_empty() {
            client.send(&Frame::data(stream, body, false));
        }
        assert_eq!(answer(&mut client, stream, text), Ok((expected.0, expected.1.as_bytes().to_vec())));
        // The rest is not wanted, which is no error.
        let reset = client
            .wait(|frame| frame.kind == kind::RST_STREAM && frame.stream == stream)
            .expect("the connection lasts");
        assert_eq!(reset.code(), Some(code::NO_ERROR), "{text}");
    }
    drop(client);
    place.serve.stop();
}
