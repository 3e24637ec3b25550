use crate::{Fault, HeadLimits, Length, Response};

fn read(head: &str, to: &str) -> Result<Response, Fault> {
    let mut response = Response::default();
    let length = response.parse(head.as_bytes(), to.as_bytes(), &HeadLimits::default())?;
    assert_eq!(length, Some(head.len()), "{head:?}");
    Ok(response)
}

#[test]
fn a_response_has_its_parts() {
    let head = b"HTTP/1.1 404 Not  Found\xe9\tat all\r\nServer: x\r\nContent-Length: 03\r\nX-Text: \xff\t\r\n\r\nabc";
    let mut response = Response::default();
    assert_eq!(response.parse(head, b"GET", &HeadLimits::default()), Ok(Some(head.len() - 3)));
    assert_eq!((response.status, response.minor, response.length), (404, 1, Length::Exact(3)));
    let fields: Vec<_> = response.fields.iter().map(|field| (field.name, field.value)).collect();
    let expected: [(&[u8], &[u8]); 3] = [(b"Server", b"x"), (b"Content-Length", b"3"), (b"X-Text", b"\xff")];
    assert_eq!(fields, expected);
}

#[test]
fn the_body_is_as_long_as_the_status_the_method_and_the_fields_say() {
    const CHUNKED: &str = "Transfer-Encoding: Chunked\r\n";
    const SEVEN: &str = "Content-Length: 7\r\n";
    for (status, to, fields, length) in [
        ("200 OK", "GET", SEVEN, Ok(Length::Exact(7))),
        ("200 OK", "GET", CHUNKED, Ok(Length::Chunked)),
        ("200 OK", "GET", "", Ok(Length::UntilClose)),
        ("200", "GET", "", Ok(Length::UntilClose)),
        ("200 ", "GET", "", Ok(Length::UntilClose)),
        ("200 OK", "HEAD", SEVEN, Ok(Length::None)),
        ("200 OK", "HEAD", CHUNKED, Ok(Length::None)),
        ("200 OK", "HEAD", "", Ok(Length::None)),
        ("200 OK", "head", "", Ok(Length::UntilClose)),
        ("304 Not Modified", "GET", SEVEN, Ok(Length::None)),
        ("304 Not Modified", "GET", CHUNKED, Ok(Length::None)),
        ("204 No Content", "GET", "", Ok(Length::None)),
        ("204 No Content", "GET", "Content-Length: 0\r\n", Ok(Length::None)),
        ("204 No Content", "GET", SEVEN, Err(Fault::ContentLength)),
        ("204 No Content", "GET", CHUNKED, Err(Fault::TransferEncoding)),
        ("100 Continue", "POST", "", Ok(Length::None)),
        ("103 Early Hints", "GET", SEVEN, Err(Fault::ContentLength)),
        ("101 Switching Protocols", "GET", "Upgrade: websocket\r\n", Ok(Length::None)),
        ("101 Switching Protocols", "GET", CHUNKED, Err(Fault::TransferEncoding)),
        ("599 x", "GET", "Content-Length: 0\r\n", Ok(Length::Exact(0))),
    ] {
        let response = read(&format!("HTTP/1.1 {status}\r\n{fields}\r\n"), to);
        assert_eq!(response.map(|response| response.length), length, "{status:?} {to} {fields:?}");
    }
}

#[test]
fn a_length_of_nothing_is_not_passed_on_where_none_may_be() {
    assert!(read("HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n", "GET").unwrap().fields.is_empty());
    assert_eq!(read("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", "GET").unwrap().fields.len(), 1);
}

#[test]
fn the_connection_lasts_if_the_body_ends_before_it() {
    for (head, lasts) in [
        ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n", true),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", true),
        ("HTTP/1.1 200 OK\r\n\r\n", false),
        ("HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 1\r\n\r\n", false),
        ("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\n", false),
        ("HTTP/1.0 200 OK\r\nContent-Length: 1\r\nConnection: Keep-Alive\r\n\r\n", true),
        ("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n\r\n", false),
        ("HTTP/1.1 304 Not Modified\r\n\r\n", true),
        ("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\n\r\n", false),
    ] {
        assert_eq!(read(head, "GET").unwrap().keeps_alive(), lasts, "{head:?}");
    }
}

#[test]
fn what_is_no_response_is_known_by_its_first_byte() {
    let mut response = Response::default();
    for (bytes, fault) in [
        (&b"0\r"[..], Fault::StartLine),
        (b"\x15\x03", Fault::StartLine),
        (b"\r", Fault::StartLine),
        (b"\n", Fault::LineEnd),
    ] {
        assert_eq!(response.parse(bytes, b"GET", &HeadLimits::default()), Err(fault), "{}", bytes.escape_ascii());
    }
}

/// Some write `Timeout`, and were taken for silent: their connections were closed while a request was on its way.
#[test]
fn what_an_upstream_says_of_idle_connections_is_read_as_it_may_write_it() {
    for (value, seconds) in [
        ("timeout=5", Some(5)),
        ("Timeout=15, max=100", Some(15)),
        ("max=100 , timeout = \"7\"", Some(7)),
        ("max=100", None),
        ("timeout", None),
        ("timeout=-1", None),
        ("timeout=99999999999999999999", None),
        ("", None),
    ] {
        let response = read(&format!("HTTP/1.1 200 OK\r\nKeep-Alive: {value}\r\n\r\n"), "GET").unwrap();
        assert_eq!(response.idle_timeout(), seconds.map(std::time::Duration::from_secs), "{value:?}");
    }
}
