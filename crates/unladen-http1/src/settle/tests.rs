use crate::{Fault, Fields, Length, Name, Request, Response};

fn fields(list: &[(&str, &str)]) -> Fields {
    let mut fields = Fields::default();
    for (name, value) in list {
        fields.push(name.as_bytes(), value.as_bytes());
    }
    fields
}

fn request(method: &str, target: &str, authority: &str, list: &[(&str, &str)], ends: bool) -> Result<Request, Fault> {
    let mut request = Request {
        method: method.into(),
        target: target.into(),
        authority: authority.into(),
        fields: fields(list),
        ..Request::default()
    };
    request.settle(ends)?;
    Ok(request)
}

fn response(status: u16, list: &[(&str, &str)], method: &str, ends: bool) -> Result<Response, Fault> {
    let mut response = Response { status, fields: fields(list), ..Response::default() };
    response.settle(method.as_bytes(), ends)?;
    Ok(response)
}

#[test]
fn a_request_line_is_as_strict_as_a_parsed_one() {
    let refused = |method, target, authority, fault| {
        assert_eq!(
            request(method, target, authority, &[], true).map(|_| ()),
            Err(fault),
            "{method} {target} {authority}"
        );
    };
    for method in ["", "G T", "GET\r\nX: y", "G\0T", "GET:"] {
        refused(method, "/", "a", Fault::StartLine);
    }
    for method in ["CONNECT", "connect", "head", "Head"] {
        refused(method, "/", "a", Fault::Method);
    }
    for target in ["", "x", "*", "?x", "http://a/", "/a b", "/a#b", "/\r\nX: y", "/\0", "/\u{e9}", "/\u{7f}"] {
        refused("GET", target, "a", Fault::Target);
    }
    for authority in ["", "a b", "u@a", "a,b", "a/b", "a\r\nX: y", "a%00", "a:65536", "a..b", "[::1"] {
        refused("GET", "/", authority, Fault::Host);
    }
    assert_eq!(request("OPTIONS", "*", "a", &[], true).unwrap().target, b"*");
    // An empty port is none.
    assert_eq!(request("GET", "/", "a:", &[], true).unwrap().authority, b"a");
}

#[test]
fn fields_of_a_request_are_as_strict_as_parsed_ones() {
    for (name, fault) in [
        ("host", Fault::Host),
        ("connection", Fault::Field),
        ("x\"", Fault::Field),
        ("x y", Fault::Field),
        ("", Fault::Field),
        ("x:", Fault::Field),
        ("x\r\n", Fault::Field),
        ("transfer-encoding", Fault::Field),
        ("keep-alive", Fault::Field),
        ("proxy-connection", Fault::Field),
        ("upgrade", Fault::Field),
        ("content_length", Fault::Field),
        ("transfer_encoding", Fault::Field),
        ("x_forwarded_for", Fault::Field),
        ("x-forwarded_for", Fault::Field),
    ] {
        assert_eq!(request("GET", "/", "a", &[("x", "y"), (name, "1")], true).map(|_| ()), Err(fault), "{name}");
    }
    assert!(request("GET", "/", "a", &[("x_own", "y"), ("te", "trailers")], true).is_ok());
}

#[test]
fn lengths_of_requests_are_certain() {
    let length = |list: &[(&str, &str)], ends| request("POST", "/", "a", list, ends).map(|request| request.length);
    assert_eq!(length(&[], true), Ok(Length::None));
    assert_eq!(length(&[], false), Ok(Length::Chunked));
    assert_eq!(length(&[("content-length", "5")], false), Ok(Length::Exact(5)));
    assert_eq!(length(&[("content-length", "0")], true), Ok(Length::Exact(0)));
    for value in ["5", "", "+0", "0x0", "0,0", "0 0", "18446744073709551616"] {
        assert_eq!(length(&[("content-length", value)], true), Err(Fault::ContentLength), "{value}");
    }
    // Beyond what a signed number can hold.
    assert_eq!(length(&[("content-length", "9223372036854775808")], false), Err(Fault::ContentLength));
    assert_eq!(length(&[("content-length", "5"), ("content-length", "6")], false), Err(Fault::ContentLength));
    for list in [&[("content-length", "007")][..], &[("content-length", "7"), ("content-length", "07")]] {
        let request = request("POST", "/", "a", list, false).unwrap();
        let values: Vec<_> = request.fields.iter().map(|field| (field.id, field.value)).collect();
        assert_eq!((request.length, values), (Length::Exact(7), vec![(Name::ContentLength, &b"7"[..])]));
    }
}

#[test]
fn responses_without_a_body_have_none() {
    let length = |status, list: &[(&str, &str)], method, ends| {
        response(status, list, method, ends).map(|response| (response.length, response.fields.len()))
    };
    let five = [("content-length", "5")];
    assert_eq!(length(200, &five, "GET", false), Ok((Length::Exact(5), 1)));
    assert_eq!(length(200, &[], "GET", false), Ok((Length::Chunked, 0)));
    assert_eq!(length(200, &[], "GET", true), Ok((Length::None, 0)));
    assert_eq!(length(200, &five, "GET", true), Err(Fault::ContentLength));
    assert_eq!(length(200, &five, "HEAD", true), Ok((Length::None, 1)));
    // However many bytes come: HTTP/1 has no place for them.
    assert_eq!(length(304, &five, "GET", false), Ok((Length::None, 1)));
    assert_eq!(length(204, &[], "GET", false), Ok((Length::None, 0)));
    assert_eq!(length(200, &[], "HEAD", false), Ok((Length::None, 0)));
    for status in [103, 204] {
        assert_eq!(length(status, &five, "GET", true), Err(Fault::ContentLength));
        assert_eq!(length(status, &[("content-length", "0")], "GET", true), Ok((Length::None, 0)));
    }
    assert_eq!(length(600, &[], "GET", true), Err(Fault::StartLine));
    assert_eq!(length(200, &[("transfer-encoding", "chunked")], "GET", false), Err(Fault::Field));
}

#[test]
fn trailers_are_as_strict_as_parsed_ones() {
    for name in
        ["content-length", "transfer-encoding", "host", "x-forwarded-for", "set-cookie", "content_length", "te", "x\""]
    {
        assert_eq!(fields(&[("grpc-status", "0"), (name, "1")]).settle_trailers(), Err(Fault::Trailers), "{name}");
    }
    assert_eq!(fields(&[("grpc-status", "0"), ("date", "x")]).settle_trailers(), Ok(()));
}
