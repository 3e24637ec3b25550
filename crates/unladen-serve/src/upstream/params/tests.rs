use std::path::PathBuf;

use proptest::prelude::*;
use unladen_fastcgi::{HEADER, Header, PARAMS};
use unladen_http1::HeadLimits;
use unladen_serve_config::HostRule;

use super::*;
use crate::message::compose::tests::settings as proxy_settings;

fn settings() -> ScriptSettings {
    ScriptSettings {
        folder: None,
        script: Some(PathBuf::from("/usr/lib/app.fcgi")),
        name: "/app".into(),
        sendfile: Vec::new(),
        suffixes: vec![".php".into()],
        params: Vec::new(),
        status_path: None,
        keep: false,
    }
}

/// All parameters as a program gets them.
fn params(mut bytes: &[u8]) -> Vec<(String, String)> {
    let mut params = Vec::new();
    while let Some(header) = Header::read(bytes).unwrap() {
        let content = &bytes[HEADER..][..usize::from(header.length)];
        if header.kind == PARAMS {
            // PHP reads each record by itself.
            for (name, value) in unladen_fastcgi::Params::decode(content).unwrap().0 {
                params.push((String::from_utf8(name).unwrap(), String::from_utf8_lossy(&value).into_owned()));
            }
        }
        bytes = &bytes[HEADER + content.len() + usize::from(header.padding)..];
    }
    params
}

fn told_with(
    request: &Request,
    settings: &ScriptSettings,
    script: Option<&Script>,
    body: Option<u64>,
) -> Result<Vec<(String, String)>, Reason> {
    let proxy = unladen_serve_config::ProxySettings { host: HostRule::Keep, ..proxy_settings() };
    let additions = Additions {
        settings: &proxy,
        waited: None,
        authority: "localhost",
        tls: false,
        client: "192.0.2.1".parse().ok(),
        request_id: Some(b"id"),
        trace: None,
        upgrade: false,
    };
    let mut out = Vec::new();
    let of = ParamsOf { request, additions: &additions, client: None, port: Some(54321), script, settings, body };
    write_request(&mut out, 1, &of)?;
    Ok(params(&out))
}

fn request(head: &str) -> Request {
    let mut request = Request::default();
    let limits = HeadLimits { bytes: 1 << 20, fields: 128 };
    request.parse(head.replace('\n', "\r\n").as_bytes(), &limits).unwrap().unwrap();
    request
}

fn told(head: &str) -> Vec<(String, String)> {
    told_with(&request(head), &settings(), None, None).unwrap()
}

fn value<'p>(params: &'p [(String, String)], name: &str) -> Option<&'p str> {
    let mut of = params.iter().filter(|(own, _)| own == name);
    let first = of.next().map(|(_, value)| &**value);
    assert_eq!(of.next(), None, "{name} is written once");
    first
}

#[test]
fn what_a_program_is_told() {
    let params =
        told("GET /app/page?a=b%20c&d HTTP/1.1\nHost: example.org:8080\nAccept: */*\nX-Forwarded-Proto: https\n\n");
    let lines: Vec<_> = params.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        lines,
        [
            "SCRIPT_FILENAME=/usr/lib/app.fcgi",
            "SCRIPT_NAME=/app",
            "DOCUMENT_URI=/app/page",
            "PATH_INFO=/page",
            "GATEWAY_INTERFACE=CGI/1.1",
            &format!("SERVER_SOFTWARE=unladen/{version}"),
            "SERVER_PROTOCOL=HTTP/1.1",
            "SERVER_NAME=example.org",
            "SERVER_PORT=8080",
            "REQUEST_METHOD=GET",
            "REQUEST_SCHEME=https",
            "HTTPS=on",
            "REQUEST_URI=/app/page?a=b%20c&d",
            "QUERY_STRING=a=b%20c&d",
            "REDIRECT_STATUS=200",
            "REMOTE_ADDR=192.0.2.1",
            "REMOTE_PORT=54321",
            "HTTP_HOST=example.org:8080",
            "HTTP_ACCEPT=*/*",
            "HTTP_X_REQUEST_ID=id",
        ]
    );
}

#[test]
fn of_a_script_below_a_root() {
    let script = Script {
        filename: "/srv/www/a b.php".into(),
        root: "/srv/www".into(),
        name: b"/a b.php".to_vec(),
        path_info: b"/more".to_vec(),
    };
    let head = "POST /a%20b.php/more HTTP/1.0\nHost: [::1]\nContent-Type: text/x\nContent-Length: 7\n\n";
    let params = told_with(&request(head), &settings(), Some(&script), Some(7)).unwrap();
    for (name, expected) in [
        ("SCRIPT_FILENAME", "/srv/www/a b.php"),
        ("SCRIPT_NAME", "/a b.php"),
        ("PATH_INFO", "/more"),
        ("PATH_TRANSLATED", "/srv/www/more"),
        ("DOCUMENT_ROOT", "/srv/www"),
        ("DOCUMENT_URI", "/a b.php/more"),
        ("REQUEST_URI", "/a%20b.php/more"),
        ("SERVER_PROTOCOL", "HTTP/1.0"),
        ("SERVER_NAME", "[::1]"),
        ("SERVER_PORT", "80"),
        ("CONTENT_LENGTH", "7"),
        ("CONTENT_TYPE", "text/x"),
        ("QUERY_STRING", ""),
    ] {
        assert_eq!(value(&params, name), Some(expected), "{name}");
    }
    for name in ["HTTPS", "HTTP_CONTENT_LENGTH", "HTTP_CONTENT_TYPE"] {
        assert_eq!(value(&params, name), None, "{name}");
    }
}

/// HTTP/1.0 without `Host` gave the program an empty `SERVER_NAME`, and the address that it listens at as `HTTP_HOST`.
#[test]
fn of_a_host_that_nobody_has_named_only_a_name_is_told() {
    let params = told("GET /app HTTP/1.0\n\n");
    assert_eq!(
        ["SERVER_NAME", "SERVER_PORT", "HTTP_HOST"].map(|name| value(&params, name)),
        [Some("localhost"), Some("80"), None]
    );
    assert!(params.iter().filter(|(name, _)| name != "QUERY_STRING").all(|(_, value)| !value.is_empty()), "{params:?}");
}

#[test]
fn the_length_is_that_of_the_body_as_it_is_sent_whatever_the_head_says() {
    let mut chunked = request("POST / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n");
    let params = told_with(&chunked, &settings(), None, Some(12)).unwrap();
    assert_eq!(value(&params, "CONTENT_LENGTH"), Some("12"));
    assert_eq!(value(&params, "HTTP_TRANSFER_ENCODING"), None);
    // As no parser would let it pass.
    chunked.fields.push(b"content-length", b"5");
    chunked.fields.push(b"Content_Length", b"6");
    let params = told_with(&chunked, &settings(), None, Some(12)).unwrap();
    assert_eq!(value(&params, "CONTENT_LENGTH"), Some("12"));
    assert_eq!(value(&params, "HTTP_CONTENT_LENGTH"), None);
    let none = told_with(&request("POST / HTTP/1.1\nHost: a\n\n"), &settings(), None, None).unwrap();
    assert_eq!(value(&none, "CONTENT_LENGTH"), Some("0"));
}

#[test]
fn a_proxy_for_what_it_calls_is_named_by_nobody() {
    for name in ["Proxy", "proxy", "PROXY"] {
        assert_eq!(value(&told(&format!("GET / HTTP/1.1\nHost: a\n{name}: http://evil\n\n")), "HTTP_PROXY"), None);
    }
}

#[test]
fn fields_of_one_name_are_one_parameter() {
    let head = "GET / HTTP/1.1\nHost: a\nX-A: 1\nCookie: b=2\nx-a: 3\nCookie: c=4\nX_A: 5\nX.A: 6\n\n";
    let params = told(head);
    assert_eq!(value(&params, "HTTP_X_A"), Some("1, 3, 5"));
    assert_eq!(value(&params, "HTTP_COOKIE"), Some("b=2; c=4"));
    assert!(!params.iter().any(|(name, _)| name.contains('.')));
}

#[test]
fn for_whom_it_is_cannot_be_told_by_the_client() {
    let mut asked = request("GET / HTTP/1.1\nHost: a\nRemote-Addr: 1.2.3.4\nHttps: on\n\n");
    let params = told_with(&asked, &settings(), None, None).unwrap();
    assert_eq!((value(&params, "REMOTE_ADDR"), value(&params, "HTTPS")), (Some("192.0.2.1"), None));
    assert_eq!(value(&params, "HTTP_REMOTE_ADDR"), Some("1.2.3.4"));
    // What `prepare` has found out of what a trusted proxy says.
    asked.fields.push(b"x-forwarded-for", b"2001:db8::1");
    let params = told_with(&asked, &settings(), None, None).unwrap();
    assert_eq!(value(&params, "REMOTE_ADDR"), Some("2001:db8::1"));
    assert_eq!(value(&params, "HTTP_X_FORWARDED_FOR"), None);
}

/// With `forwarded = "forwarded"`, what is fetched for the cache named the proxy in front.
#[test]
fn for_whom_it_is_is_told_whichever_field_says_it() {
    for (field, address) in [
        ("Forwarded: for=198.51.100.7;proto=https", "198.51.100.7"),
        ("Forwarded: for=\"[2001:db8::1]\";proto=http", "2001:db8::1"),
        ("X-Forwarded-For: 198.51.100.7", "198.51.100.7"),
    ] {
        let params = told(&format!("GET / HTTP/1.1\nHost: a\n{field}\n\n"));
        assert_eq!(value(&params, "REMOTE_ADDR"), Some(address), "{field}");
        assert_eq!(value(&params, "HTTP_FORWARDED"), None);
    }
}

#[test]
fn what_the_settings_say_stands_alone() {
    let own = [("HTTP_X_A", "ours"), ("SERVER_NAME", "fixed"), ("APP_ENV", "")];
    let own: Vec<_> = own.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let settings = ScriptSettings { params: own, ..settings() };
    let asked = request("GET / HTTP/1.1\nHost: a\nX-A: theirs\nx-a: theirs\n\n");
    let params = told_with(&asked, &settings, None, None).unwrap();
    for (name, expected) in [("HTTP_X_A", "ours"), ("SERVER_NAME", "fixed"), ("APP_ENV", "")] {
        assert_eq!(value(&params, name), Some(expected));
    }
    assert_eq!(params.last().map(|(name, _)| &**name), Some("APP_ENV"));
}

#[test]
fn a_path_is_a_programs_own_up_to_whole_segments() {
    for (path, name, info) in [
        ("/app", "/app", None),
        ("/app/", "/app", Some("/")),
        ("/app/x/y", "/app", Some("/x/y")),
        ("/apple", "", Some("/apple")),
        ("/", "", Some("/")),
        ("/app/%41%20b", "/app", Some("/A b")),
    ] {
        let params = told(&format!("GET {path} HTTP/1.1\nHost: a\n\n"));
        assert_eq!((value(&params, "SCRIPT_NAME"), value(&params, "PATH_INFO")), (Some(name), info), "{path}");
    }
}

#[test]
fn what_is_no_path_and_what_does_not_fit_is_refused() {
    let refused = |head: &str| told_with(&request(head), &settings(), None, None).unwrap_err();
    for path in ["/app/%00", "/app/%0d%0aX: y", "/app/../x", "/app/%2e%2e/x", "/%zz"] {
        assert_eq!(refused(&format!("GET {} HTTP/1.1\nHost: a\n\n", path.replace(' ', "%20"))).status(), 400, "{path}");
    }
    let long = format!("GET / HTTP/1.1\nHost: a\nX: {}\n\n", "x".repeat(70_000));
    assert_eq!(refused(&long).status(), 431);
}

proptest! {
    #[test]
    fn each_name_is_told_once_and_no_value_is_changed(
        fields in prop::collection::vec(("[A-Za-z_-]{1,6}", "[!-~][ -~]{0,200}[!-~]"), 0..40),
    ) {
        let mut asked = request("GET /app HTTP/1.1\nHost: a\n\n");
        for (name, value) in &fields {
            asked.fields.push(name.as_bytes(), value.as_bytes());
        }
        let params = told_with(&asked, &settings(), None, None).unwrap();
        let mut names: Vec<_> = params.iter().map(|(name, _)| name).collect();
        names.sort();
        let count = names.len();
        names.dedup();
        prop_assert_eq!(names.len(), count);
        prop_assert!(!names.iter().any(|name| *name == "HTTP_PROXY"));
    }
}

#[test]
fn addresses_of_ipv4_are_written_as_they_are_by_everybody() {
    for address in ["0.0.0.0", "1.2.3.4", "10.0.100.9", "192.0.2.1", "255.255.255.25", "255.255.255.255"] {
        assert_eq!(dotted(address.parse().unwrap(), &mut [0; 16]), address.as_bytes());
    }
}
