//! What holds of every head and body: of those that are made to be taken, and of those that are spoiled on the way.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use unladen_http1::{Fault, HeadLimits, Length, Name, Request};

use crate::support::{self, List, check_request_again, check_response_again, same};

/// Bytes, and pieces of text, that have been read in more than one way.
const ODD: [&[u8]; 34] = [
    b"\n",
    b"\r",
    b"\r\n",
    b"\r\n\r\n",
    b"\n\n",
    b" ",
    b"\t",
    b"\x0b",
    b"\0",
    b":",
    b",",
    b";",
    b"@",
    b"#",
    b"*",
    b"/",
    b"_",
    b"0",
    b"9",
    b"a",
    b"x",
    b"+",
    b"\x7f",
    b"\x80",
    b"\xff",
    b"\r\n ",
    b"Host: b\r\n",
    b"Content-Length: 3\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"chunked",
    b"HTTP/1.0",
    b"0\r\n\r\n",
    b"http://",
    b"CONNECT ",
];

/// One change: at this place, so many bytes are taken away and these put in.
type Change = (Index, usize, &'static [u8]);

fn changes() -> impl Strategy<Value = Vec<Change>> {
    vec((any::<Index>(), 0..4_usize, select(ODD.to_vec())), 0..4)
}

fn spoil(mut bytes: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for (at, take, put) in changes {
        let at = at.index(bytes.len() + 1);
        let end = bytes.len().min(at + take);
        bytes.splice(at..end, put.iter().copied());
    }
    bytes
}

fn field_lines() -> impl Strategy<Value = Vec<(String, Vec<u8>)>> {
    let name = prop_oneof![
        "[!#$%&'*+.^`|~0-9A-Za-z-]{1,20}",
        select(vec!["Connection", "Via", "X-Forwarded-For", "Expect", "TE", "Date", "X-Own"]).prop_map(str::to_owned),
    ];
    let byte = prop_oneof![8 => 0x20..0x7f_u8, 1 => Just(b'\t'), 1 => 0x80..=0xff_u8];
    let is_free =
        |name: &String| !matches!(Name::of(name.as_bytes()), Name::Host | Name::ContentLength | Name::TransferEncoding);
    vec((name.prop_filter("framing is added apart", is_free), vec(byte, 0..30)), 0..12).prop_map(|lines| {
        lines.into_iter().filter(|(name, value)| name != "Connection" || !value.contains(&b'-')).collect()
    })
}

fn length() -> impl Strategy<Value = Length> {
    prop_oneof![Just(Length::None), (0..=i64::MAX as u64).prop_map(Length::Exact), Just(Length::Chunked)]
}

fn add_fields(head: &mut Vec<u8>, lines: &[(String, Vec<u8>)], length: Length, at: Index) -> List {
    let mut lines: Vec<_> = lines.iter().map(|(name, value)| (name.clone().into_bytes(), value.clone())).collect();
    let framing: Option<(&str, String)> = match length {
        Length::Exact(exact) => Some(("Content-length", exact.to_string())),
        Length::Chunked => Some(("Transfer-encoding", "chunked".into())),
        Length::None | Length::UntilClose => None,
    };
    if let Some((name, value)) = framing {
        lines.insert(at.index(lines.len() + 1), (name.into(), value.into()));
    }
    for (name, value) in &lines {
        head.extend_from_slice(&[&**name, b": ", value, b"\r\n"].concat());
    }
    head.extend_from_slice(b"\r\n");
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
    for (_, value) in &mut lines {
        let start = value.iter().take_while(|byte| is_space(byte)).count();
        value.drain(..start);
        let end = value.iter().rev().take_while(|byte| is_space(byte)).count();
        value.truncate(value.len() - end);
    }
    lines
}

fn request_head() -> impl Strategy<Value = (Request, Vec<u8>)> {
    let method = "[A-Z-]{3,9}".prop_filter("which is refused", |method| method != "CONNECT");
    let target = "/[!$-~]{0,30}";
    let host = "[a-z0-9]([a-z0-9.-]{0,10}[a-z0-9])?(:[0-9]{1,4})?".prop_filter("no label", |host| !host.contains(".."));
    (method, target, host, any::<bool>(), field_lines(), length(), any::<Index>()).prop_map(
        |(method, target, host, is_absolute, lines, length, at)| {
            let start =
                if is_absolute { format!("{method} http://{host}{target}") } else { format!("{method} {target}") };
            let other = if is_absolute { "other" } else { &host };
            let mut head = format!("{start} HTTP/1.1\r\nhost:{other}\r\n").into_bytes();
            let fields = add_fields(&mut head, &lines, length, at);
            let mut request = Request {
                method: method.into(),
                target: target.into(),
                authority: host.into(),
                length,
                ..Request::default()
            };
            fields.iter().for_each(|(name, value)| request.fields.push(name, value));
            (request, head)
        },
    )
}

fn response_head() -> impl Strategy<Value = (u16, List, Length, Vec<u8>)> {
    let status = (200..600_u16).prop_filter("which have no body", |status| !matches!(status, 204 | 304));
    (status, "[ -~]{0,20}", field_lines(), length(), any::<Index>()).prop_map(|(status, reason, lines, length, at)| {
        let mut head = format!("HTTP/1.1 {status} {reason}\r\n").into_bytes();
        let fields = add_fields(&mut head, &lines, length, at);
        (status, fields, if length == Length::None { Length::UntilClose } else { length }, head)
    })
}

fn chunked_body() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    let line = ("[0]{0,5}", prop_oneof![3 => Just(String::new()), 1 => ";[a-z][ !-~]{0,20}"], any::<bool>());
    let chunk = (vec(any::<u8>(), 1..200), line);
    let trailers = prop_oneof![3 => Just(String::new()), 1 => "(X-[a-z]{1,5}:[ !-~]{0,20}\r\n){1,3}"];
    (vec(chunk, 0..6), trailers).prop_map(|(chunks, trailers)| {
        let (mut bytes, mut data) = (Vec::new(), Vec::new());
        for (chunk, (zeros, extension, is_upper)) in chunks {
            let size = if is_upper { format!("{:X}", chunk.len()) } else { format!("{:x}", chunk.len()) };
            bytes.extend_from_slice(format!("{zeros}{size}{extension}\r\n").as_bytes());
            bytes.extend_from_slice(&chunk);
            bytes.extend_from_slice(b"\r\n");
            data.extend_from_slice(&chunk);
        }
        bytes.extend_from_slice(format!("0\r\n{trailers}\r\n").as_bytes());
        (bytes, data)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_request_that_is_written_is_read((expected, head) in request_head()) {
        let (length, read) = support::request(&head).unwrap().unwrap();
        prop_assert_eq!(length, head.len());
        same(&read, &expected);
        check_request_again(&read, &HeadLimits::default());
    }

    #[test]
    fn a_spoiled_request_is_refused_or_read_in_one_way((_, head) in request_head(), changes in changes(), limit in 100..2000_usize, fields in 0..20_usize) {
        let bytes = spoil([&*head, b"GET / HTTP/1.1\r\n\r\n"].concat(), &changes);
        for limits in [HeadLimits::default(), HeadLimits { bytes: limit, fields }] {
            if let Ok(Some((length, request))) = support::request_within(&bytes, &limits) {
                prop_assert!(length <= limits.bytes);
                check_request_again(&request, &limits);
            }
        }
    }

    #[test]
    fn a_response_that_is_written_is_read((status, fields, expected, head) in response_head()) {
        let (length, read) = support::response(&head, b"GET", &HeadLimits::default()).unwrap().unwrap();
        prop_assert_eq!((length, read.status, read.length), (head.len(), status, expected));
        prop_assert_eq!(support::list(&read.fields), fields);
        check_response_again(&read, b"GET", &HeadLimits::default());
    }

    #[test]
    fn a_spoiled_response_is_refused_or_read_in_one_way((_, _, _, head) in response_head(), changes in changes(), limit in 50..2000_usize) {
        let bytes = spoil(head, &changes);
        for (method, bytes_most) in [(&b"GET"[..], 65_536), (b"HEAD", limit)] {
            let limits = HeadLimits { bytes: bytes_most, ..HeadLimits::default() };
            if let Ok(Some((length, response))) = support::response(&bytes, method, &limits) {
                prop_assert!(length <= limits.bytes);
                check_response_again(&response, method, &limits);
            }
        }
    }

    #[test]
    fn chunks_are_read_however_they_come((bytes, data) in chunked_body(), pieces in vec(1..300_usize, 1..8)) {
        let body = support::body(&bytes, Length::Chunked, &pieces);
        prop_assert_eq!(body.fault, None);
        prop_assert_eq!(body.end, Some(bytes.len()));
        prop_assert_eq!(&body.data, &data);
        let written = support::write_chunks(data.chunks(7));
        let again = support::body(&written, Length::Chunked, &pieces);
        prop_assert_eq!((again.end, &again.data), (Some(written.len()), &data));
    }

    #[test]
    fn spoiled_chunks_are_one_thing_however_they_come((bytes, _) in chunked_body(), changes in changes(), pieces in vec(1..300_usize, 1..8)) {
        let bytes = spoil(bytes, &changes);
        let whole = support::body(&bytes, Length::Chunked, &[usize::MAX]);
        prop_assert_eq!(&support::body(&bytes, Length::Chunked, &pieces), &whole);
        prop_assert_eq!(&support::body(&bytes, Length::Chunked, &[1]), &whole);
        prop_assert!(whole.fault.is_none_or(|fault| matches!(fault, Fault::Chunk | Fault::Trailers)));
    }

    #[test]
    fn long_lines_and_trailers_come_to_an_end(kind in 0..4_usize, count in 1..40_000_usize, pieces in vec(1..9000_usize, 1..4)) {
        let filler = "a".repeat(count);
        let (bytes, most) = match kind {
            0 => (format!("5;{filler}\r\nhello\r\n0\r\n\r\n"), 4096 - 4),
            1 => (format!("5\r\nhello\r\n0;{filler}\r\n\r\n"), 4096 - 4),
            2 => (format!("0\r\nX:{filler}\r\n\r\n"), 16_384 - 6),
            _ => (format!("0\r\n{}\r\n", "X:\r\n".repeat(count)), 64),
        };
        let body = support::body(bytes.as_bytes(), Length::Chunked, &pieces);
        prop_assert_eq!(body.fault.is_none(), count <= most, "{:?}", body.fault);
        prop_assert_eq!(body.end, (count <= most).then_some(bytes.len()));
    }

    #[test]
    fn an_exact_body_is_what_it_says(bytes in vec(any::<u8>(), 0..300), exact in 0..300_u64, pieces in vec(1..100_usize, 1..4)) {
        let body = support::body(&bytes, Length::Exact(exact), &pieces);
        let length = bytes.len().min(exact as usize);
        prop_assert_eq!(&*body.data, &bytes[..length]);
        prop_assert_eq!(body.end, (exact as usize <= bytes.len()).then_some(length));
    }
}
