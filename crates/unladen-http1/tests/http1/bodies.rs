//! Chunked bodies that readers have been made to read in two ways. Each is refused, at whatever place its bytes are
//! cut.

use unladen_http1::{Fault, Length};

use crate::support::{self, Body};

fn read(bytes: &[u8]) -> Body {
    let whole = support::body(bytes, Length::Chunked, &[usize::MAX]);
    for piece in 1..=bytes.len().min(40) {
        assert_eq!(
            support::body(bytes, Length::Chunked, &[piece]),
            whole,
            "in pieces of {piece}: {}",
            bytes.escape_ascii()
        );
    }
    whole
}

fn refused(bytes: &[u8], fault: Fault) {
    assert_eq!(read(bytes).fault, Some(fault), "{}", bytes.escape_ascii());
}

fn taken(bytes: &[u8], data: &[u8]) -> Body {
    let body = read(bytes);
    assert_eq!((body.fault, body.end), (None, Some(bytes.len())), "{}", bytes.escape_ascii());
    assert_eq!(body.data, data);
    body
}

#[test]
fn sizes_that_can_be_read_in_two_ways_are_refused() {
    let sizes: &[&[u8]] = &[
        b"",
        b" ",
        b" 5",
        b"\t5",
        b"5 ",
        b"5\t",
        b"5  ",
        b"+5",
        b"-5",
        b"-0",
        b"0x5",
        b"0X5",
        b"x5",
        b"5x",
        b"5h",
        b"0_5",
        b"5_0",
        b"0,5",
        b"5.0",
        b"5 5",
        b"\"5\"",
        b"g",
        b"$5",
        b"#5",
        b"5\0",
        b"\x005",
        b"5\x0b",
        b"\x0c5",
        b"5\xa0",
        b"\x85",
        b"\xef\xbc\x95",
        b"5 ;a",
        b"5\t;a",
        b"5 ; a",
        b"5,a",
        b"5:a",
        b"00000000000000005",
        b"10000000000000000",
        b"10000000000000005",
        b"fffffffffffffffff",
        b"5these-are-not-looked-at",
    ];
    for size in sizes {
        refused(&[*size, b"\r\nhello\r\n0\r\n\r\n"].concat(), Fault::Chunk);
        refused(&[b"1\r\nx\r\n", *size, b"\r\nhello\r\n0\r\n\r\n"].concat(), Fault::Chunk);
    }
    // an end that is none: readers have taken no digits for 0
    refused(b"\r\n\r\nGET / HTTP/1.1\r\n\r\n", Fault::Chunk);
    refused(b"1\r\nZ\r\n\r\n\r\nGET / HTTP/1.1\r\n\r\n", Fault::Chunk);
    refused(b"Z\r\nZZ\r\nZZZ\r\n\r\n", Fault::Chunk);
}

#[test]
fn sizes_in_hexadecimal_are_taken() {
    for size in ["5", "05", "0000000000000005"] {
        for end in ["0", "00", "0000000000000000"] {
            taken(format!("{size}\r\nhello\r\n{end}\r\n\r\n").as_bytes(), b"hello");
        }
    }
    let long = "y".repeat(0x1ab);
    taken(format!("1aB\r\n{long}\r\n1Ab\r\n{long}\r\n0\r\n\r\n").as_bytes(), format!("{long}{long}").as_bytes());
}

#[test]
fn chunks_end_with_crlf_and_no_other_way() {
    let bodies: &[&[u8]] = &[
        b"5\nhello\r\n0\r\n\r\n",
        b"5\rhello\r\n0\r\n\r\n",
        b"5\r\rhello\r\n0\r\n\r\n",
        b"5\r\r\nhello\r\n0\r\n\r\n",
        b"5\n\nhello\r\n0\r\n\r\n",
        b"5\r\nhello\n0\r\n\r\n",
        b"5\r\nhello\r0\r\n\r\n",
        b"5\r\nhello0\r\n\r\n",
        b"5\r\nhello\r\r\n0\r\n\r\n",
        b"5\r\nhello\n\n0\r\n\r\n",
        b"5\r\nhelloXX0\r\n\r\n",
        b"5\r\nhello\rX0\r\n\r\n",
        b"5\r\nhelloX\n0\r\n\r\n",
        b"5\r\nhello world\r\n0\r\n\r\n",
        b"5\r\nhell\r\n0\r\n\r\n",
        b"5\r\nhello\r\n\r\n0\r\n\r\n",
        b"5\r\nhello\r\n 0\r\n\r\n",
        b"0\n\r\n",
        b"0\r\r\n\r\n",
        b"0\rX\r\n\r\n",
        b"5\r\nhello\r\n0\n\n",
        b"0\n\n",
    ];
    for bytes in bodies {
        refused(bytes, Fault::Chunk);
    }
    for bytes in [&b"0\r\n\n"[..], b"0\r\n\r\r\n", b"0\r\n\rX", b"0\r\n\rGET / HTTP/1.1\r\n\r\n"] {
        assert_eq!(read(&[bytes, b"\n\r\n\r\n"].concat()).fault, Some(Fault::Trailers), "{}", bytes.escape_ascii());
    }
}

#[test]
fn extensions_are_dropped_and_hide_nothing() {
    for extension in [
        &b"a"[..],
        b"a=b",
        b"a=\"b; c\"",
        b" a = b ",
        b"\ta",
        b"a;b;c=d",
        b"a=\"\xff\"",
        b"a=b=c",
        b"a=0\t",
        b"x=30",
        b"a=\"\\\"\"",
        b"!",
    ] {
        taken(&[b"5;", extension, b"\r\nhello\r\n0;", extension, b"\r\n\r\n"].concat(), b"hello");
    }
    for extension in [
        &b""[..],
        b" ",
        b"\t",
        b";",
        b";a",
        b"=",
        b"=a",
        b"\"a\"",
        b" ;a",
        b"(a)",
        b"a\nb",
        b"a\n",
        b"\n",
        b"\nx",
        b"a=\"\n\"",
        b"\r",
        b"\ra",
        b"a\rb",
        b"a\r",
        b"a=\"\r\"",
        b"a\rX",
        b"\r;a",
        b"a\0",
        b"\0",
        b"a\x01",
        b"a\x7f",
        b"a\x0b",
        b"a\x1b[2J",
        b"\xff",
    ] {
        refused(&[b"5;", extension, b"\r\nhello\r\n0\r\n\r\n"].concat(), Fault::Chunk);
        refused(&[b"0;", extension, b"\r\n\r\n"].concat(), Fault::Chunk);
    }
    // what one reader takes for an extension, and another for the next chunk
    refused(b"2;\nxx\r\n4f\r\n0\r\n\r\nGET /admin HTTP/1.1\r\nHost: a\r\n\r\n", Fault::Chunk);
    refused(b"2\r\r;a\r\n02\r\n41\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n", Fault::Chunk);
    refused(b"5\r\r;ABCD\r\n34\r\nE\r\n0\r\n\r\n", Fault::Chunk);
    refused(b"1\r\r;a\r\nZ\r\n0\r\n\r\n", Fault::Chunk);
    // a quote that is open ends with its line all the same
    taken(b"5;a=\"\r\nhello\r\n0;b=\"\r\n\r\n", b"hello");
}

#[test]
fn trailers_are_read_like_heads() {
    let trailers: &[&[u8]] = &[
        b"X: y\n",
        b"X: y\rZ: a\r\n",
        b"X : y\r\n",
        b" X: y\r\n",
        b"\tX: y\r\n",
        b"X: y\r\n z\r\n",
        b": y\r\n",
        b"X\r\n",
        b"X\0: y\r\n",
        b"X: \0\r\n",
        b"X: \x7f\r\n",
        b"X\xff: y\r\n",
        b"GET / HTTP/1.1\r\n",
        // what must be known before the body, and what CGI takes for it
        b"Content-Length: 0\r\n",
        b"content-length: 5\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"Host: a\r\n",
        b"Connection: close\r\n",
        b"Keep-Alive: 1\r\n",
        b"Proxy-Connection: close\r\n",
        b"TE: trailers\r\n",
        b"Trailer: X\r\n",
        b"Upgrade: h2c\r\n",
        b"HTTP2-Settings: x\r\n",
        b"Expect: 100-continue\r\n",
        b"Forwarded: for=::1\r\n",
        b"X-Forwarded-For: ::1\r\n",
        b"X-Forwarded-Host: a\r\n",
        b"X-Forwarded-Proto: https\r\n",
        b"Content_Length: 5\r\n",
        b"X_Forwarded_For: ::1\r\n",
        b"Content-Type: text/html\r\n",
        b"Content-Encoding: gzip\r\n",
        b"Content-Range: bytes 0-1/2\r\n",
        b"Authorization: x\r\n",
        b"Proxy-Authorization: x\r\n",
        b"Cookie: a=b\r\n",
        b"SET-COOKIE: a=b\r\n",
    ];
    for lines in trailers {
        refused(&[b"5\r\nhello\r\n0\r\n", *lines, b"\r\n"].concat(), Fault::Trailers);
        refused(&[b"0\r\nDigest: x\r\n", *lines, b"\r\n"].concat(), Fault::Trailers);
    }
    let body = taken(b"5\r\nhello\r\n0\r\nDigest: \t x \r\nGrpc-Status:\r\nVia: 1.1 a\r\n\r\n", b"hello");
    let expected: [(&[u8], &[u8]); 3] = [(b"Digest", b"x"), (b"Grpc-Status", b""), (b"Via", b"1.1 a")];
    assert_eq!(body.trailers, expected.map(|(name, value)| (name.to_vec(), value.to_vec())));
}

#[test]
fn what_follows_a_body_is_left() {
    for rest in ["GET /admin HTTP/1.1\r\n\r\n", "\r\n", "0\r\n\r\n", "\n", "\0"] {
        let body = read(format!("5\r\nhello\r\n0\r\n\r\n{rest}").as_bytes());
        assert_eq!((body.end, body.fault), (Some(15), None));
        let exact = support::body(format!("hello{rest}").as_bytes(), Length::Exact(5), &[3]);
        assert_eq!((exact.end, &*exact.data), (Some(5), &b"hello"[..]));
    }
}

#[test]
fn a_body_that_is_cut_off_has_not_ended() {
    let whole = b"3;x\r\nabc\r\n0\r\nX: y\r\n\r\n";
    for end in 0..whole.len() {
        let body = read(&whole[..end]);
        assert_eq!((body.end, body.fault), (None, None), "after {end} bytes");
    }
    assert_eq!(support::body(b"hell", Length::Exact(5), &[1]).end, None);
    assert_eq!(support::body(b"hello", Length::UntilClose, &[2]).end, None);
}
