//! First lines, targets and hosts that have been taken for others: a request that is sent to one place and read as one
//! for another.

use unladen_http1::Fault;

use crate::support::{Table, refused, taken};

#[test]
fn a_request_is_for_one_host() {
    let heads: Table<'_> = &[
        (b"GET / HTTP/1.1\r\n\r\n", Fault::Host),
        (b"GET http://a/ HTTP/1.1\r\n\r\n", Fault::Host),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", Fault::Host),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: y\r\nhOST: b\r\n\r\n", Fault::Host),
        (b"GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", Fault::Host),
        (b"GET http://a/ HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", Fault::Host),
        (b"GET http://a/ HTTP/1.1\r\nHost: a b\r\n\r\n", Fault::Host),
        (b"GET / HTTP/1.1\r\nHost : a\r\n\r\n", Fault::Field),
        (b"GET / HTTP/1.1\r\n Host: a\r\n\r\n", Fault::Field),
        (b"GET / HTTP/1.1\r\nX: y\r\n Host: b\r\nHost: a\r\n\r\n", Fault::Field),
        (b"GET / HTTP/1.1\r\nHost: a\0.b\r\n\r\n", Fault::Field),
    ];
    for (head, fault) in heads {
        refused(head, *fault);
    }
    let values: &[&[u8]] = &[
        b"",
        b"a b",
        b"a,b",
        b"a, b",
        b"user@a",
        b"user:pass@a",
        b"a/b",
        b"a/",
        b"a?b",
        b"a#b",
        b"a\\b",
        b"http://a",
        b"a:b",
        b"a:80:81",
        b"a:65536",
        b"a:-1",
        b":80",
        b"..",
        b"a..b",
        b"[::1",
        b"::1",
        b"[::1]x",
        b"a%00b",
        b"a\xffb",
        b"a;b",
        b"a\tb",
        b"@a",
    ];
    for value in values {
        refused(&[b"GET / HTTP/1.1\r\nHost: ", *value, b"\r\n\r\n"].concat(), Fault::Host);
        refused(&[b"GET / HTTP/1.0\r\nHost: ", *value, b"\r\n\r\n"].concat(), Fault::Host);
    }
    assert_eq!(taken(b"GET / HTTP/1.0\r\n\r\n").authority, b"");
    assert_eq!(taken(b"GET http://b:81/ HTTP/1.0\r\n\r\n").authority, b"b:81");
    // RFC 9112, section 3.2.2: the target's, and Host is as if it had not come
    let request = taken(b"GET http://b:81/x HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!((&*request.authority, &*request.target), (&b"b:81"[..], &b"/x"[..]));
    assert!(request.fields.is_empty());
}

#[test]
fn targets_that_are_none_are_refused() {
    let targets: &[&[u8]] = &[
        b"x",
        b"?x",
        b"a/b",
        b"*",
        b"*/",
        b"**",
        b"#",
        b"/#",
        b"/a#b",
        b"/a b",
        b"/a\tb",
        b"/\0",
        b"/\x01",
        b"/\x7f",
        b"/\x80",
        b"/\xc3\xa9",
        b"/\xff",
        b"http:",
        b"http:/",
        b"http:/a",
        b"http://",
        b"http:///",
        b"http:///x",
        b"http://?x",
        b"http://@a",
        b"http://u@a/",
        b"http://u:p@a/x",
        b"http://a@b:80",
        b"http://a:x/",
        b"http://a:80:80/",
        b"http://a,b/",
        b"http://a\\b/",
        b"http://[::1/",
        b"http://a#b",
        b"https://",
        b"httpx://a/",
        b"http//a",
        b"ftp://a/",
        b"file:///etc/passwd",
        b"//a b",
        b"a:80",
        b"a.b.c",
        b"://a/",
        b"http:\\\\a\\",
        b"javascript:x",
        b"data:,x",
        b"\\",
        b"%2f",
    ];
    for target in targets {
        refused(&[b"GET ", *target, b" HTTP/1.1\r\nHost: a\r\n\r\n"].concat(), Fault::Target);
    }
    for method in ["GET", "HEAD", "POST", "PRI", "options", "OPTION"] {
        refused(format!("{method} * HTTP/1.1\r\nHost: a\r\n\r\n").as_bytes(), Fault::Target);
    }
    assert_eq!(taken(b"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").target, b"*");
    // as it came: nothing is decoded, and no dots are taken away
    let odd = b"//a/../%2e%2E/%00%0d%0a\\|{}\"^`<>[]'?x=http://b/?#"[..].strip_suffix(b"#").unwrap();
    assert_eq!(taken(&[b"GET ", odd, b" HTTP/1.1\r\nHost: a\r\n\r\n"].concat()).target, odd);
}

#[test]
fn first_lines_that_are_none_are_refused() {
    let lines: Table<'_> = &[
        (b"GET / http/1.1", Fault::StartLine),
        (b"GET / Http/1.1", Fault::StartLine),
        (b"GET / HTTP/1.1 ", Fault::StartLine),
        (b"GET / HTTP/1.1\t", Fault::StartLine),
        (b"GET / HTTP/1.1 x", Fault::StartLine),
        (b"GET / HTTP/1", Fault::StartLine),
        (b"GET / HTTP/1.", Fault::StartLine),
        (b"GET / HTTP/.1", Fault::StartLine),
        (b"GET / HTTP/11", Fault::StartLine),
        (b"GET / HTTP/1.10", Fault::StartLine),
        (b"GET / HTTP/01.1", Fault::StartLine),
        (b"GET / HTTP/1,1", Fault::StartLine),
        (b"GET / HTTP/+1.1", Fault::StartLine),
        (b"GET / HTTP/4294967297.1", Fault::StartLine),
        (b"GET / HTTP /1.1", Fault::StartLine),
        (b"GET / XHTTP/1.1", Fault::StartLine),
        (b"GET / ICE/1.0", Fault::StartLine),
        (b"GET / RTSP/1.0", Fault::StartLine),
        (b"GET / HTTPS/1.1", Fault::StartLine),
        (b"GET / HTTP/0.9", Fault::Version),
        (b"GET / HTTP/1.2", Fault::Version),
        (b"GET / HTTP/1.9", Fault::Version),
        (b"GET / HTTP/2.0", Fault::Version),
        (b"GET / HTTP/3.0", Fault::Version),
        (b"PRI * HTTP/2.0", Fault::Version),
        (b"GET", Fault::StartLine),
        (b"GET ", Fault::StartLine),
        (b"GET /", Fault::StartLine),
        (b"GET / ", Fault::StartLine),
        (b"GET HTTP/1.1", Fault::StartLine),
        (b"GET  HTTP/1.1", Fault::StartLine),
        (b"GET\t/\tHTTP/1.1", Fault::StartLine),
        (b"GET\t/ HTTP/1.1", Fault::StartLine),
        (b"GET /\tHTTP/1.1", Fault::StartLine),
        (b"GET\x0b/ HTTP/1.1", Fault::StartLine),
        (b"GET  / HTTP/1.1", Fault::Target),
        (b"GET /  HTTP/1.1", Fault::Target),
        (b"GET / x HTTP/1.1", Fault::Target),
        (b"GET / HTTP/1.1 HTTP/1.1", Fault::Target),
        (b"G=\":<>(e),[T];?\" / HTTP/1.1", Fault::StartLine),
        (b"GET: / HTTP/1.1", Fault::StartLine),
        (b"G\0T / HTTP/1.1", Fault::StartLine),
        (b"G\xc9T / HTTP/1.1", Fault::StartLine),
        (b"HTTP/1.1 200 OK", Fault::StartLine),
        (b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03", Fault::StartLine),
        (b"CONNECT a:443 HTTP/1.1", Fault::Method),
        (b"CONNECT / HTTP/1.1", Fault::Method),
        (b"connect a:443 HTTP/1.1", Fault::Method),
        (b"Connect http://a/ HTTP/1.1", Fault::Method),
        (b"head / HTTP/1.1", Fault::Method),
        (b"HEAd / HTTP/1.1", Fault::Method),
    ];
    for (line, fault) in lines {
        refused(&[*line, b"\r\nHost: a\r\n\r\n"].concat(), *fault);
        // without the fields too: such a client may wait for an answer
        refused(&[*line, b"\r\n"].concat(), *fault);
    }
    for method in ["get", "M-SEARCH", "!", "PROPFIND", "CONNECTS", "HEADS"] {
        assert_eq!(taken(format!("{method} / HTTP/1.1\r\nHost: a\r\n\r\n").as_bytes()).method, method.as_bytes());
    }
}
