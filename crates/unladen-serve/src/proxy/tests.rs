use super::*;

/// At an address of several sites, a site took a field more than at one of its own.
#[test]
fn the_host_is_one_of_the_fields() {
    let mut request = Request::default();
    let limits = HeadLimits { bytes: 1000, fields: 9 };
    request.parse(b"GET / HTTP/1.1\r\nHost: a\r\nX-One: 1\r\n\r\n", &limits).unwrap();
    assert_eq!((lines(&request, Version::Http11), lines(&request, Version::Http2)), (2, 1));
}
