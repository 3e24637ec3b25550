use proptest::prelude::*;
use unladen_http1::Fault as Http;

use super::*;

const LIMITS: HeadLimits = HeadLimits { bytes: 1024, fields: 8 };

fn parse(bytes: &[u8], method: &[u8], ended: bool) -> Result<(Response, usize), Fault> {
    let mut response = Response::default();
    let length = parse_head(&mut response, bytes, Some(method), ended, &LIMITS)?;
    Ok((response, length.ok_or(Fault::NoHead)?))
}

fn head(bytes: &[u8]) -> Result<(u16, String), Fault> {
    let (response, _) = parse(bytes, b"GET", false)?;
    let of = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let lines = response.fields.iter().map(|field| format!("{}: {}", of(field.name), of(field.value)));
    Ok((response.status, lines.collect::<Vec<_>>().join("|")))
}

#[test]
fn a_status_is_named_or_follows_from_the_rest() {
    assert_eq!(head(b"Content-Type: text/plain\n\n"), Ok((200, "Content-Type: text/plain".into())));
    assert_eq!(head(b"location: http://x/\r\n\r\n"), Ok((302, "location: http://x/".into())));
    assert_eq!(head(b"Location: /elsewhere\n\n"), Ok((302, "Location: /elsewhere".into())));
    assert_eq!(head(b"Status: 301 Moved\r\nLocation: /\r\n\r\n"), Ok((301, "Location: /".into())));
    assert_eq!(head(b"Status: 404\nA: b\n\n"), Ok((404, "A: b".into())));
}

#[test]
fn two_readings_are_none() {
    for (bytes, fault) in [
        (&b"Status: 200 OK\nStatus: 404 Not Found\n\n"[..], Http::StartLine),
        (b"Status: 200\nStatus: 200\n\n", Http::StartLine),
        (b"Status: x\n\n", Http::StartLine),
        (b"Status: 20\n\n", Http::StartLine),
        (b"Status: 2000\n\n", Http::StartLine),
        (b"Status: +20\n\n", Http::StartLine),
        (b"Status: 103 Early Hints\n\n", Http::StartLine),
        (b"Status: 600\n\n", Http::StartLine),
        (b"Status: 200 OK\0\n\n", Http::StartLine),
        (b"Status: 200 OK\rSet-Cookie: a=b\n\n", Http::StartLine),
        (b"HTTP/1.1 200 OK\r\n\r\n", Http::Field),
        (b"nothing\n\n", Http::Field),
        (b"A: b\n c: folded\n\n", Http::Field),
        (b"A: b\r\n\tfolded\r\n\r\n", Http::Field),
        (b"A : b\n\n", Http::Field),
        (b": b\n\n", Http::Field),
        (b"A: b\rSet-Cookie: c=d\n\n", Http::Field),
        (b"A: b\0\n\n", Http::Field),
        (b"A\0: b\n\n", Http::Field),
        (b"Content-Length: 1\nContent-Length: 2\n\n", Http::ContentLength),
        (b"Content-Length: 1, 1\n\n", Http::ContentLength),
        (b"Content-Length: -1\n\n", Http::ContentLength),
        (b"Transfer-Encoding: chunked\n\n", Http::TransferEncoding),
        (b"Status: 204\nContent-Length: 3\n\n", Http::ContentLength),
    ] {
        assert_eq!(head(bytes), Err(Fault::Head(fault)), "{}", bytes.escape_ascii());
    }
    assert_eq!(head(b"\n"), Err(Fault::NoHead));
}

#[test]
fn what_belongs_to_a_connection_is_left_out() {
    let given = b"Connection: close\nKeep-Alive: timeout=5\nUpgrade: h2c\nTE: trailers\nTrailer: x\nX: y\n\n";
    assert_eq!(head(given), Ok((200, "X: y".into())));
}

#[test]
fn it_is_bounded() {
    let long = [b"A: ", &[b'x'; 2000][..]].concat();
    assert_eq!(head(&long), Err(Fault::Head(Http::HeadTooLong)));
    assert_eq!(head(&[&long[..1000], b"\nB: 0123456789012345678\n\n"].concat()), Err(Fault::Head(Http::HeadTooLong)));
    assert_eq!(head(&b"A: b\n".repeat(9)), Err(Fault::Head(Http::TooManyFields)));
}

#[test]
fn its_length_is_known_once_all_is_here() {
    let of = |bytes, method, ended| parse(bytes, method, ended).map(|(response, _)| response.length);
    assert_eq!(of(b"A: b\n\nhello", b"GET", false), Ok(Length::Chunked));
    assert_eq!(of(b"A: b\n\nhello", b"GET", true), Ok(Length::Exact(5)));
    assert_eq!(of(b"A: b\n\n", b"GET", true), Ok(Length::Exact(0)));
    assert_eq!(of(b"A: b\n\nhello", b"HEAD", true), Ok(Length::None));
    assert_eq!(of(b"Status: 304\n\n", b"GET", true), Ok(Length::None));
    assert_eq!(of(b"Content-Length: 5\n\nhello", b"GET", true), Ok(Length::Exact(5)));
    assert_eq!(of(b"Content-Length: 4\n\nhello", b"GET", true), Ok(Length::Exact(4)), "what is more is left out");
    let short = of(b"Content-Length: 6\n\nhello", b"GET", true);
    assert_eq!(short, Err(Fault::Head(Http::ContentLength)));
    assert_eq!(of(b"A: b\n", b"GET", true), Err(Fault::NoHead));
}

proptest! {
    #[test]
    fn a_head_is_the_same_however_much_has_come(
        fields in prop::collection::vec(("[a-zA-Z-]{1,12}", "[ -~]{0,20}"), 1..6),
        returns in any::<bool>(), body: Vec<u8>,
    ) {
        let end = if returns { "\r\n" } else { "\n" };
        let mut text: String = fields.iter().map(|(name, value)| format!("X-{name}: {value}{end}")).collect();
        text.push_str(end);
        let length = text.len();
        let mut bytes = text.into_bytes();
        bytes.extend_from_slice(&body);
        let (response, read) = parse(&bytes, b"GET", false).unwrap();
        prop_assert_eq!((read, response.status, response.fields.len()), (length, 200, fields.len()));
        for cut in 0..length {
            prop_assert_eq!(parse_head(&mut Response::default(), &bytes[..cut], None, false, &LIMITS), Ok(None));
        }
    }

    #[test]
    fn any_bytes_are_a_head_or_a_fault(bytes: Vec<u8>, ended: bool) {
        if let Ok((response, length)) = parse(&bytes, b"GET", ended) {
            prop_assert!(length <= bytes.len() && (200..600).contains(&response.status));
            for field in response.fields.iter() {
                let is_clean = |byte: &u8| !matches!(byte, b'\r' | b'\n' | 0);
                prop_assert!(field.name.iter().all(is_clean) && field.value.iter().all(is_clean));
            }
        }
    }
}
