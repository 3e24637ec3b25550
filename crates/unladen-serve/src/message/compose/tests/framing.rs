//! Of every kind of answer, to every kind of client: how long it is said to be.

use super::*;

/// An answer as it came: its status, and what its head says.
fn answer(status: u16, length: Length) -> Response {
    let mut response = Response { status, minor: 1, length, ..Response::default() };
    response.fields.push(b"x-kept", b"1");
    match length {
        Length::Exact(length) => response.fields.push(b"content-length", length.to_string().as_bytes()),
        Length::Chunked => response.fields.push(b"transfer-encoding", b"chunked"),
        Length::None | Length::UntilClose => (),
    }
    response
}

#[test]
fn no_answer_is_longer_or_shorter_than_it_says() {
    let lengths = [Length::None, Length::Exact(0), Length::Exact(5), Length::Chunked, Length::UntilClose];
    let mut cases = 0;
    for status in [200, 201, 204, 205, 206, 304, 404, 500, 599] {
        for length in lengths {
            for (minor, head, keep) in
                [0, 1].into_iter().flat_map(|minor| [(minor, false, false), (minor, false, true), (minor, true, true)])
            {
                let is_bodiless = head || matches!(status, 204 | 304);
                if is_bodiless && length != Length::None {
                    // Those that parse them say that there is none.
                    continue;
                }
                cases += 1;
                let what = format!("{status} {length:?} to HTTP/1.{minor}, HEAD: {head}, kept: {keep}");
                let response = answer(status, length);
                let mut to = ToClient { minor, keep, head, via: false };
                let framing = to.framing(&response);
                let mut out = Vec::new();
                response_to_h1(&mut out, &response, &Fields::default(), framing, to, Instant::now());

                // As the client reads it.
                let mut read = Response::default();
                let method = if head { &b"HEAD"[..] } else { b"GET" };
                assert_eq!(read.parse(&out, method, &Default::default()), Ok(Some(out.len())), "{what}");
                let lines = |id: Name| read.fields.iter().filter(|field| field.id == id).count();
                assert!(lines(Name::ContentLength) + lines(Name::TransferEncoding) <= 1, "{what}");
                assert_eq!(read.length, framing, "{what}");
                assert_eq!(read.fields.find(b"x-kept"), Some(&b"1"[..]), "{what}");
                let expected = match length {
                    _ if is_bodiless => Length::None,
                    Length::None => Length::Exact(0),
                    Length::Chunked | Length::UntilClose if minor == 0 => Length::UntilClose,
                    Length::UntilClose => Length::Chunked,
                    same => same,
                };
                assert_eq!(framing, expected, "{what}");
                // HTTP/1.0 knows no chunks; 204 has neither length (RFC 9110, section 8.6) nor encoding (RFC 9112,
                // section 6.1).
                assert!(minor == 1 || lines(Name::TransferEncoding) == 0, "{what}");
                assert!(status != 204 || lines(Name::ContentLength) + lines(Name::TransferEncoding) == 0, "{what}");
                // What ends with the connection is not said to keep it, and what keeps it is said to.
                assert_eq!(to.keep, keep && framing != Length::UntilClose, "{what}");
                let is_said = |token: &[u8]| read.fields.has_token(Name::Connection, token);
                assert_eq!(is_said(b"keep-alive"), to.keep && minor == 0, "{what}");
                assert_eq!(is_said(b"close"), !to.keep && minor == 1, "{what}");
            }
        }
    }
    assert!(cases > 150, "{cases}");
}

#[test]
fn a_length_of_an_answer_without_a_body_is_passed_on() {
    for (status, head) in [(304, false), (200, true), (304, true)] {
        let mut response = answer(status, Length::None);
        response.fields.push(b"content-length", b"1000");
        let mut to = ToClient { minor: 1, keep: true, head, via: false };
        let framing = to.framing(&response);
        let mut out = Vec::new();
        response_to_h1(&mut out, &response, &Fields::default(), framing, to, Instant::now());
        assert_eq!(framing, Length::None);
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text.matches("content-length: 1000\r\n").count(), 1, "{text}");
    }
}

#[test]
fn a_request_says_its_length_once_and_where_it_matters() {
    let settings = settings();
    for (method, length, expected) in [
        ("GET", Length::None, ""),
        ("DELETE", Length::None, ""),
        ("POST", Length::None, "content-length: 0"),
        ("PUT", Length::None, "content-length: 0"),
        ("PATCH", Length::None, "content-length: 0"),
        ("POST", Length::Exact(0), "content-length: 0"),
        ("POST", Length::Exact(5), "content-length: 5"),
        ("GET", Length::Exact(5), "content-length: 5"),
        ("POST", Length::Chunked, "transfer-encoding: chunked"),
    ] {
        for is_said in [false, true] {
            let mut given = request(&format!("{method} / HTTP/1.1\nHost: a"));
            given.length = length;
            match length {
                Length::Exact(length) if is_said => given.fields.push(b"content-length", length.to_string().as_bytes()),
                Length::Chunked if is_said => given.fields.push(b"transfer-encoding", b"chunked"),
                _ => (),
            }
            let mut out = Vec::new();
            request_to_h1(&mut out, &given, &additions(&settings, None));
            let mut read = Request::default();
            assert_eq!(read.parse(&out, &Default::default()), Ok(Some(out.len())), "{method} {length:?}");
            let text = String::from_utf8(out).unwrap();
            let framing: Vec<&str> = text
                .lines()
                .filter(|line| line.starts_with("content-length") || line.starts_with("transfer-encoding"))
                .collect();
            assert_eq!(framing.join(", "), expected, "{method} {length:?}, said: {is_said}");
        }
    }
}
