//! The ways in which two readers of one connection have been made to disagree, each refused, or read in one way. The
//! cases are those of RFC 9112, of reports on servers and proxies that took them, and of other parsers' own tests.

use unladen_http1::{Fault, Length, Name};

use crate::support::{self, Table, refused, request, taken};

fn with_lines(lines: &[u8]) -> Vec<u8> {
    [b"POST / HTTP/1.1\r\nHost: a\r\n", lines, b"\r\n\r\n"].concat()
}

#[test]
fn lengths_that_can_be_read_in_two_ways_are_refused() {
    use Fault::ContentLength;
    let values: &[&[u8]] = &[
        b"",
        b" ",
        b"+5",
        b"-5",
        b"-0",
        b"5 5",
        b"5, 5",
        b"5,6",
        b"5,",
        b",5",
        b"5;",
        b"0x5",
        b"5h",
        b"1_0",
        b"5.0",
        b"5e0",
        b"\"5\"",
        b"'5'",
        b"five",
        b"NaN",
        b"0b1",
        b"\xd9\xa5",
        b"5\xa0",
        b"\x855",
        b"9223372036854775808",
        b"18446744073709551615",
        b"18446744073709551616",
        b"18446744073709551621",
        b"99999999999999999999999999999999",
    ];
    for value in values {
        refused(&with_lines(&[b"Content-Length: ", *value].concat()), ContentLength);
    }
    let lines: Table<'_> = &[
        (b"Content-Length: 5\r\nContent-Length: 6", ContentLength),
        (b"Content-Length: 6\r\ncontent-length: 5", ContentLength),
        (b"Content-Length: 5\r\nContent-Length:", ContentLength),
        (b"Content-Length:\r\nContent-Length: 5", ContentLength),
        (b"Content-Length: 5\r\nX: y\r\nContent-Length: 5\r\nContent-Length: 7", ContentLength),
        (b"Content-Length: 0\r\nContent-Length: 00000000000000000000000000x", ContentLength),
        (b"Content-Length: 5\r\nTransfer-Encoding: chunked", Fault::TwoLengths),
        (b"Transfer-Encoding: chunked\r\nContent-Length: 5", Fault::TwoLengths),
        (b"Transfer-Encoding: chunked\r\nContent-Length: 0", Fault::TwoLengths),
        (b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\nContent-Length: 5", Fault::TwoLengths),
        // a length that is none is no less one beside a coding
        (b"Transfer-Encoding: chunked\r\nContent-Length: x", ContentLength),
        (b"Content-Length: x\r\nTransfer-Encoding: chunked", ContentLength),
    ];
    for (lines, fault) in lines {
        refused(&with_lines(lines), *fault);
    }
}

#[test]
fn lengths_that_are_equal_become_one() {
    for lines in [
        &b"Content-Length: 10"[..],
        b"Content-Length: 10\r\nContent-Length: 10",
        b"content-length:10\t\r\nX: y\r\nCONTENT-LENGTH: \t10",
        // not eight
        b"Content-Length: 010",
        b"Content-Length: 10\r\nContent-Length: 00010",
        b"Content-Length: 00000000000000000000000000000000010",
    ] {
        let request = taken(&with_lines(lines));
        assert_eq!(request.length, Length::Exact(10));
        let lengths: Vec<_> = request.fields.iter().filter(|field| field.id == Name::ContentLength).collect();
        assert_eq!((lengths.len(), lengths[0].value), (1, &b"10"[..]));
    }
    assert_eq!(taken(&with_lines(b"Content-Length: 000")).length, Length::Exact(0));
    assert_eq!(taken(&with_lines(b"Content-Length: 9223372036854775807")).length, Length::Exact(i64::MAX as u64));
}

#[test]
fn codings_other_than_chunked_alone_are_refused() {
    let values: &[&[u8]] = &[
        b"",
        b"xchunked",
        b"chunkedx",
        b"chunke",
        b"chunked, identity",
        b"identity, chunked",
        b"identity",
        b"gzip",
        b"gzip, chunked",
        b"chunked, gzip",
        b"chunked, chunked",
        b"chunked,",
        b",chunked",
        b", chunked",
        b"chunked ,",
        b"chunked;",
        b"chunked;q=1",
        b"chunked; ext=val",
        b"\"chunked\"",
        b"'chunked'",
        b"chunk\xc3\xa9d",
        b"chunked\xa0",
        b"\xa0chunked",
        b"chunked chunked",
        b"c hunked",
        b"eee, chunked",
        b"x: chunked",
        b"\xe2\x84\xaahunked",
        b"chun\xe2\x84\xaaed",
    ];
    for value in values {
        refused(&with_lines(&[b"Transfer-Encoding: ", *value].concat()), Fault::TransferEncoding);
    }
    let lines: Table<'_> = &[
        (b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", Fault::TransferEncoding),
        (b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", Fault::TransferEncoding),
        (b"Transfer-Encoding: identity\r\nTransfer-Encoding: chunked", Fault::TransferEncoding),
        (b"Transfer-Encoding: chunked\r\nTransfer-Encoding:", Fault::TransferEncoding),
        (b"Transfer-Encoding: \x0bchunked", Fault::Field),
        (b"Transfer-Encoding: \x0cchunked", Fault::Field),
        (b"Transfer-Encoding: \0chunked", Fault::Field),
        (b"Transfer-Encoding: chunked\x0b", Fault::Field),
        (b"Transfer-Encoding: chunked\0", Fault::Field),
        (b"Transfer-Encoding: chunked\x7f", Fault::Field),
        (b"Transfer-Encoding: chunk\x08ed", Fault::Field),
        (b"Transfer-Encoding : chunked", Fault::Field),
        (b"Transfer-Encoding\t: chunked", Fault::Field),
        (b"Transfer-Encoding\x0b: chunked", Fault::Field),
        (b"Transfer-Encoding\0: chunked", Fault::Field),
        (b"\0Transfer-Encoding: chunked", Fault::Field),
        (b" Transfer-Encoding: chunked", Fault::Field),
        (b"\tTransfer-Encoding: chunked", Fault::Field),
        (b"Transfer-Encoding:\r\n chunked", Fault::Field),
        (b"Transfer-Encoding\r\n : chunked", Fault::Field),
        (b"Transfer-Encoding chunked", Fault::Field),
        (b"Transfer Encoding: chunked", Fault::Field),
        (b"Transfer_Encoding: chunked", Fault::Field),
        (b"transfer-encoding;: chunked", Fault::Field),
        (b"Transfer-Encod\xc4\xb1ng: chunked", Fault::Field),
        (b"Transfer-Encoding\xa0: chunked", Fault::Field),
        (b"X: y\nTransfer-Encoding: chunked", Fault::LineEnd),
        (b"X:\nTransfer-Encoding: chunked", Fault::LineEnd),
        (b"X: y\rTransfer-Encoding: chunked", Fault::LineEnd),
        (b"X:\rTransfer-Encoding: chunked", Fault::LineEnd),
        (b"Transfer-Encoding: \nchunked", Fault::LineEnd),
    ];
    for (lines, fault) in lines {
        refused(&with_lines(lines), *fault);
    }
    refused(b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", Fault::TransferEncoding);
    refused(
        b"POST / HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n",
        Fault::TransferEncoding,
    );
    for line in [&b"Transfer-Encoding: chunked"[..], b"transfer-encoding:Chunked", b"TRANSFER-ENCODING: \t CHUNKED \t "]
    {
        assert_eq!(taken(&with_lines(line)).length, Length::Chunked);
    }
}

#[test]
fn lines_end_with_crlf_and_no_other_way() {
    let heads: Table<'_> = &[
        (b"GET / HTTP/1.1\nHost: a\r\n\r\n", Fault::LineEnd),
        (b"GET / HTTP/1.1\r\nHost: a\n\r\n", Fault::LineEnd),
        (b"GET / HTTP/1.1\r\nHost: a\r\n\n", Fault::LineEnd),
        (b"GET / HTTP/1.1\nHost: a\n\n", Fault::LineEnd),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX:\n\nGET / HTTP/1.1\r\n\r\n", Fault::LineEnd),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: \n\r\0\r\n\r\n", Fault::LineEnd),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: y\rContent-Length: 10\r\n\r\n", Fault::LineEnd),
        (b"GET / HTTP/1.1\r\nHost: a\r\n\rZGET /evil: HTTP/1.1\r\nHost: a\r\n\r\n", Fault::LineEnd),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: y\r\r\n\r\n", Fault::LineEnd),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX\r: y\r\n\r\n", Fault::LineEnd),
        (b"GET / HTTP/1.1\r\r\nHost: a\r\n\r\n", Fault::LineEnd),
        (b"GET /\rx HTTP/1.1\r\nHost: a\r\n\r\n", Fault::LineEnd),
        (b"GET /\nHTTP/1.1\r\nHost: a\r\n\r\n", Fault::LineEnd),
        (b"GET / HTTP/1.1\rHost: a\r\n\r\n", Fault::LineEnd),
        (b"\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", Fault::LineEnd),
        (b"\rGET / HTTP/1.1\r\nHost: a\r\n\r\n", Fault::LineEnd),
        (b"\r\n\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", Fault::LineEnd),
        (b"\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", Fault::StartLine),
        (b" GET / HTTP/1.1\r\nHost: a\r\n\r\n", Fault::StartLine),
    ];
    for (head, fault) in heads {
        refused(head, *fault);
    }
    assert_eq!(taken(b"\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n").target, b"/");
    assert_eq!(request(b"\r\n").unwrap().map(|(length, _)| length), None);
}

#[test]
fn lines_that_are_no_fields_are_refused() {
    let lines: &[&[u8]] = &[
        b" X: y",
        b"\tX: y",
        b"X : y",
        b"X\t: y",
        b": y",
        b":",
        b" : y",
        b"X",
        b"X y",
        b"X\r\n : y",
        b"X: y\r\n z",
        b"X: y\r\n\tz",
        b"X: y\r\n ",
        b"X: y\r\n Content-Length: 38",
        b"X;: y",
        b"X(: y",
        b"X@: y",
        b"X/y: z",
        b"X=: y",
        b"X\"y\": z",
        b"X[0]: y",
        b"X{: y",
        b"X\\: y",
        b"X,y: z",
        b"X\0: y",
        b"X\x01: y",
        b"X\x1f: y",
        b"X\x7f: y",
        b"X\x80: y",
        b"X\xff: y",
        b"\xc3\xa9: y",
        b"\xef\xbb\xbfX: y",
        b"X: \0",
        b"X: a\0b",
        b"X: \x01",
        b"X: \x08",
        b"X: \x0b",
        b"X: \x0c",
        b"X: \x1b[0m",
        b"X: \x1f",
        b"X: y\x7f",
        // CGI writes these as the fields that they are not
        b"Content_Length: 5",
        b"content_LENGTH: 5",
        b"Transfer_Encoding: chunked",
        b"X_Forwarded_For: 127.0.0.1",
        b"X-Forwarded_For: ::1",
        b"X_Forwarded_Proto: https",
        b"Keep_Alive: 1",
        b"X_Request_Id: 1",
        // what is taken off on the way must not be what the message is made of
        b"Connection: Content-Length\r\nContent-Length: 5",
        b"Connection: close, host",
        b"Connection: x\r\nConnection: y ,\tCONTENT-LENGTH ",
    ];
    for line in lines {
        refused(&with_lines(line), Fault::Field);
        refused(&[b"GET / HTTP/1.1\r\n", *line, b"\r\nHost: a\r\n\r\n"].concat(), Fault::Field);
    }
    let request = taken(&with_lines(
        b"X: a\tb \xff\x80: c: d \t\r\nUser_Id: 1\r\n!#$%&'*+-.^_`|~09azAZ:\r\nConnection: TE, x-own",
    ));
    let fields = support::list(&request.fields);
    assert_eq!(fields[0].1, b"a\tb \xff\x80: c: d");
    assert_eq!(fields[2], (b"!#$%&'*+-.^_`|~09azAZ".to_vec(), Vec::new()));
    assert_eq!(fields.len(), 4);
}

#[test]
fn what_follows_a_head_is_left() {
    for rest in ["GET /admin HTTP/1.1\r\nHost: b\r\n\r\n", "\r\n", "\n", "\0", "x"] {
        let head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
        let (length, read) = request(format!("{head}{rest}").as_bytes()).unwrap().unwrap();
        assert_eq!((length, read.length), (head.len(), Length::None));
    }
}
