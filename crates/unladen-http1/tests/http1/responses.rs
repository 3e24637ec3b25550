//! Responses that readers have been made to read in two ways: a connection is shared by the requests that follow.

use unladen_http1::{Fault, HeadLimits};

use crate::support;

fn refused(head: &[u8], fault: Fault) {
    for method in [&b"GET"[..], b"HEAD", b"POST"] {
        let read = support::response(head, method, &HeadLimits::default());
        assert_eq!(read.map(|read| read.map(|(length, _)| length)), Err(fault), "{}", head.escape_ascii());
    }
}

#[test]
fn first_lines_that_are_none_are_refused() {
    for (line, fault) in [
        (&b"HTTP/1.1"[..], Fault::StartLine),
        (b"HTTP/1.1 ", Fault::StartLine),
        (b"HTTP/1.1 2", Fault::StartLine),
        (b"HTTP/1.1 20", Fault::StartLine),
        (b"HTTP/1.1 2000", Fault::StartLine),
        (b"HTTP/1.1 200OK", Fault::StartLine),
        (b"HTTP/1.1 200\tOK", Fault::StartLine),
        (b"HTTP/1.1  200 OK", Fault::StartLine),
        (b"HTTP/1.1\t200 OK", Fault::StartLine),
        (b"HTTP/1.1 +20 OK", Fault::StartLine),
        (b"HTTP/1.1 -20 OK", Fault::StartLine),
        (b"HTTP/1.1 0x2 OK", Fault::StartLine),
        (b"HTTP/1.1 099 OK", Fault::StartLine),
        (b"HTTP/1.1 000 OK", Fault::StartLine),
        (b"HTTP/1.1 600 OK", Fault::StartLine),
        (b"HTTP/1.1 999 OK", Fault::StartLine),
        (b"HTTP/1.1 200 O\0K", Fault::StartLine),
        (b"HTTP/1.1 200 O\x7fK", Fault::StartLine),
        (b"HTTP/1.1 200 \x1b[31m", Fault::StartLine),
        (b"http/1.1 200 OK", Fault::StartLine),
        (b" HTTP/1.1 200 OK", Fault::StartLine),
        (b"HTTP 200 OK", Fault::StartLine),
        (b"HTTP/1 200 OK", Fault::StartLine),
        (b"HTTP/1.10 200 OK", Fault::StartLine),
        (b"ICY 200 OK", Fault::StartLine),
        (b"220 mail ESMTP", Fault::StartLine),
        (b"0", Fault::StartLine),
        (b"", Fault::StartLine),
        (b"HTTP/0.9 200 OK", Fault::Version),
        (b"HTTP/1.2 200 OK", Fault::Version),
        (b"HTTP/2.0 200 OK", Fault::Version),
        (b"HTTP/1.1 200 O\rK", Fault::LineEnd),
        (b"HTTP/1.1 200 OK\r", Fault::LineEnd),
        (b"HTTP/1.1 200 OK\n", Fault::LineEnd),
        (b"\nHTTP/1.1 200 OK", Fault::LineEnd),
    ] {
        refused(&[line, b"\r\nContent-Length: 0\r\n\r\n"].concat(), fault);
    }
    refused(b"HTTP/1.1 200 OK\nContent-Length: 0\n\n", Fault::LineEnd);
}

#[test]
fn lengths_that_can_be_read_in_two_ways_are_refused() {
    for (lines, fault) in [
        (&b"Content-Length: 5\r\nTransfer-Encoding: chunked"[..], Fault::TwoLengths),
        (b"Transfer-Encoding: chunked\r\nContent-Length: 5", Fault::TwoLengths),
        (b"Content-Length: 5\r\nContent-Length: 6", Fault::ContentLength),
        (b"Content-Length: 5, 5", Fault::ContentLength),
        (b"Content-Length: +5", Fault::ContentLength),
        (b"Content-Length: -1", Fault::ContentLength),
        (b"Content-Length:", Fault::ContentLength),
        (b"Content-Length: 18446744073709551616", Fault::ContentLength),
        (b"Transfer-Encoding: gzip", Fault::TransferEncoding),
        (b"Transfer-Encoding: gzip, chunked", Fault::TransferEncoding),
        (b"Transfer-Encoding: chunked, identity", Fault::TransferEncoding),
        (b"Transfer-Encoding: xchunked", Fault::TransferEncoding),
        (b"Transfer-Encoding: ,chunked", Fault::TransferEncoding),
        (b"Transfer-Encoding:", Fault::TransferEncoding),
        (b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", Fault::TransferEncoding),
        (b"Transfer-Encoding: \x0bchunked", Fault::Field),
        (b"Transfer-Encoding : chunked", Fault::Field),
        (b"Content-Length : 5", Fault::Field),
        (b" Content-Length: 5", Fault::Field),
        (b"X: y\r\n Content-Length: 5", Fault::Field),
        (b"X: y\r\n\tz", Fault::Field),
        (b": y", Fault::Field),
        (b"X y", Fault::Field),
        (b"X: a\0b", Fault::Field),
        (b"X: y\nContent-Length: 5", Fault::LineEnd),
        (b"X: y\rContent-Length: 5", Fault::LineEnd),
    ] {
        for status in ["200 OK", "404 Not Found", "304 Not Modified"] {
            refused(&[b"HTTP/1.1 ", status.as_bytes(), b"\r\n", lines, b"\r\n\r\n"].concat(), fault);
        }
    }
    refused(b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", Fault::TransferEncoding);
    for status in ["100 Continue", "101 Switching Protocols", "103 Early Hints", "199 x", "204 No Content"] {
        refused(format!("HTTP/1.1 {status}\r\nTransfer-Encoding: chunked\r\n\r\n").as_bytes(), Fault::TransferEncoding);
        refused(format!("HTTP/1.1 {status}\r\nContent-Length: 5\r\n\r\n").as_bytes(), Fault::ContentLength);
    }
}

#[test]
fn what_is_refused_of_requests_alone_is_taken() {
    // an upstream may name its fields as it likes, and its words are not taken for a proxy's
    let head = b"HTTP/1.1 200 OK\r\nContent_Length: 5\r\nX_Forwarded_For: x\r\nHost: a b\r\nHost: c\r\nContent-Length: 1\r\n\r\nx";
    let (length, response) = support::response(head, b"GET", &HeadLimits::default()).unwrap().unwrap();
    assert_eq!((length, response.fields.len()), (head.len() - 1, 5));
    support::check_response_again(&response, b"GET", &HeadLimits::default());
}
