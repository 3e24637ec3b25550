use crate::{Fault, HeadLimits, Length, Name, Request};

fn read(head: &[u8]) -> Result<Option<(usize, Request)>, Fault> {
    let mut request = Request::default();
    let length = request.parse(head, &HeadLimits::default())?;
    Ok(length.map(|length| (length, request)))
}

fn whole(head: &[u8]) -> Request {
    let (length, request) = read(head).unwrap().unwrap();
    assert_eq!(length, head.len());
    request
}

#[test]
fn a_request_has_its_parts() {
    let head = b"POST /a?b=c HTTP/1.1\r\nAccept: */*\r\nHOST: Example.org:8080\r\nContent-Length:  007 \r\nX-Empty:\r\n\r\nbody...";
    let (length, request) = read(head).unwrap().unwrap();
    assert_eq!(&head[length..], b"body...");
    assert_eq!(request.method, b"POST");
    assert_eq!(request.target, b"/a?b=c");
    assert_eq!(request.authority, b"Example.org:8080");
    assert_eq!((request.minor, request.length), (1, Length::Exact(7)));
    let fields: Vec<_> = request.fields.iter().map(|field| (field.id, field.name, field.value)).collect();
    let expected: [(Name, &[u8], &[u8]); 3] = [
        (Name::Other, b"Accept", b"*/*"),
        (Name::ContentLength, b"Content-Length", b"7"),
        (Name::Other, b"X-Empty", b""),
    ];
    assert_eq!(fields, expected);
}

#[test]
fn the_connection_lasts_as_the_version_and_the_fields_say() {
    for (version, connection, lasts) in [
        ("1.1", "", true),
        ("1.1", "Connection: close\r\n", false),
        ("1.1", "Connection: keep-alive, Upgrade\r\nConnection: foo,\tCLOSE\r\n", false),
        ("1.1", "Connection: closed\r\n", true),
        ("1.0", "", false),
        ("1.0", "Connection: Keep-Alive\r\n", true),
        ("1.0", "Connection: keep-alive, close\r\n", false),
    ] {
        let request = whole(format!("GET / HTTP/{version}\r\nHost: a\r\n{connection}\r\n").as_bytes());
        assert_eq!(request.keeps_alive(), lasts, "{version} {connection:?}");
    }
}

#[test]
fn a_client_waits_only_with_a_body_in_http_1_1() {
    for (version, fields, waits) in [
        ("1.1", "Expect: 100-Continue\r\nContent-Length: 1\r\n", true),
        ("1.1", "Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n", true),
        ("1.1", "Expect: 100-continue\r\nContent-Length: 0\r\n", false),
        ("1.1", "Expect: 100-continue\r\n", false),
        ("1.1", "Expect: 200-ok\r\nContent-Length: 1\r\n", false),
        ("1.0", "Expect: 100-continue\r\nContent-Length: 1\r\n", false),
    ] {
        let request = whole(format!("PUT / HTTP/{version}\r\nHost: a\r\n{fields}\r\n").as_bytes());
        assert_eq!(request.expects_continue(), waits, "{version} {fields:?}");
    }
}

#[test]
fn targets_become_the_origin_form() {
    for (line, target, authority) in [
        ("GET /", "/", "a"),
        ("GET //x/..", "//x/..", "a"),
        ("GET http://b", "/", "b"),
        ("GET HTTP://b:80/x?y", "/x?y", "b:80"),
        ("GET https://b?y=/z", "/?y=/z", "b"),
        ("GET http://[::1]:8/", "/", "[::1]:8"),
        ("OPTIONS *", "*", "a"),
        ("OPTIONS http://b:8001", "*", "b:8001"),
        ("OPTIONS http://b/", "/", "b"),
        ("OPTIONS http://b?x", "/?x", "b"),
    ] {
        let request = whole(format!("{line} HTTP/1.1\r\nHost: a\r\n\r\n").as_bytes());
        assert_eq!(request.target, target.as_bytes(), "{line}");
        assert_eq!(request.authority, authority.as_bytes(), "{line}");
    }
}

#[test]
fn bounds_hold_whether_or_not_the_end_has_come() {
    let head = b"GET / HTTP/1.1\r\nHost: a\r\nA: b\r\n\r\n";
    let mut request = Request::default();
    let limits = |bytes, fields| HeadLimits { bytes, fields };
    assert_eq!(request.parse(head, &limits(head.len(), 2)), Ok(Some(head.len())));
    assert_eq!(request.parse(head, &limits(head.len() - 1, 2)), Err(Fault::HeadTooLong));
    assert_eq!(request.parse(&head[..20], &limits(21, 2)), Ok(None));
    assert_eq!(request.parse(&head[..20], &limits(20, 2)), Err(Fault::HeadTooLong));
    assert_eq!(request.parse(head, &limits(head.len(), 1)), Err(Fault::TooManyFields));
    assert_eq!(request.parse(&head[..head.len() - 2], &limits(100, 1)), Err(Fault::TooManyFields));
    for count in [31, 32, 33, 127, 128, 129, 300] {
        let head = format!("GET / HTTP/1.0\r\n{}\r\n", "A: b\r\n".repeat(count));
        assert_eq!(request.parse(head.as_bytes(), &limits(9000, count)), Ok(Some(head.len())));
        assert_eq!(request.fields.len(), count);
        assert_eq!(request.parse(head.as_bytes(), &limits(9000, count - 1)), Err(Fault::TooManyFields));
    }
}

#[test]
fn what_the_last_request_had_is_gone() {
    let mut request = whole(b"POST http://a/long HTTP/1.1\r\nHost: a\r\nX: y\r\nContent-Length: 3\r\n\r\n");
    let next = b"GET / HTTP/1.0\r\n\r\n";
    assert_eq!(request.parse(next, &HeadLimits::default()), Ok(Some(next.len())));
    assert_eq!((&*request.method, &*request.target, &*request.authority), (&b"GET"[..], &b"/"[..], &b""[..]));
    assert!(request.fields.is_empty() && request.length == Length::None && request.minor == 0);
}

#[test]
fn other_protocols_are_known_by_their_first_bytes() {
    for bytes in [&b"\x16\x03\x01"[..], b"\0", b"\x05", b" ", b"\r\n\0", b"\r\n\r", b"{\"id\":1}", b"\xff"] {
        assert_eq!(read(bytes).map(|read| read.is_some()), Err(Fault::StartLine), "{}", bytes.escape_ascii());
    }
    for bytes in [&b"\n"[..], b"\ra", b"\r\r", b"\r\n\n"] {
        assert_eq!(read(bytes).map(|read| read.is_some()), Err(Fault::LineEnd), "{}", bytes.escape_ascii());
    }
}
