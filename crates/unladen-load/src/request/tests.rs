use super::*;

fn host(url: &str) -> String {
    let request = Request::get(url).unwrap().build().unwrap();
    request.http1.headers()[header::HOST].to_str().unwrap().to_owned()
}

fn error(result: Result<RequestBuilder, RequestError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn the_host_carries_a_port_only_where_it_differs() {
    assert_eq!(host("http://example.org/"), "example.org");
    assert_eq!(host("http://example.org:80/"), "example.org");
    assert_eq!(host("https://example.org:80/"), "example.org:80");
    assert_eq!(host("http://[::1]:8080/"), "[::1]:8080");
    assert_eq!(host("http://bücher.example/"), "xn--bcher-kva.example");
}

#[test]
fn each_version_gets_its_shape() {
    let request = Request::get("https://example.org:8443/a%20b?q=1#part").unwrap().build().unwrap();
    assert_eq!(request.http1.uri(), "/a%20b?q=1");
    assert_eq!(request.http2.uri(), "https://example.org:8443/a%20b?q=1");
    assert!(!request.http2.headers().contains_key(header::HOST));
    assert_eq!(request.name(), "GET https://example.org:8443/a%20b?q=1");
}

#[test]
fn a_given_host_becomes_the_authority() {
    let request =
        Request::get("http://127.0.0.1:8080/").unwrap().header("Host: wiki.example".parse().unwrap()).build().unwrap();
    assert_eq!(request.http1.headers()[header::HOST], "wiki.example");
    assert_eq!(request.http2.uri().authority().unwrap(), "wiki.example");
}

#[test]
fn cookies_share_one_header() {
    let request = Request::get("http://h/").unwrap().cookie("a=1").unwrap().cookie("b=").unwrap().build().unwrap();
    assert_eq!(request.http1.headers()[header::COOKIE], "a=1; b=");
}

#[test]
fn cookies_share_one_header_with_those_of_headers() {
    let lines = |headers: &[&str], cookies: &[&str]| {
        let mut builder = Request::get("http://h/").unwrap();
        for header in headers {
            builder = builder.header(header.parse().unwrap());
        }
        for cookie in cookies {
            builder = builder.cookie(cookie).unwrap();
        }
        let request = builder.build().unwrap();
        let lines = request.http1.headers().get_all(header::COOKIE).iter();
        lines.map(|line| line.to_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(lines(&["Cookie: a=1"], &["b=2", "c=3"]), ["a=1; b=2; c=3"]);
    assert_eq!(lines(&["Cookie: a=1", "cookie: b=2"], &[]), ["a=1; b=2"]);
    assert_eq!(lines(&["Cookie:"], &["b=2"]), ["b=2"]);
    assert_eq!(lines(&["Cookie: a=1"], &[]), ["a=1"]);
}

#[test]
fn only_the_lonely_connection_says_close() {
    let request = Request::get("http://h/").unwrap().build().unwrap();
    assert!(!request.http1.headers().contains_key(header::CONNECTION));
    let request = request.closing();
    assert_eq!(request.http1.headers()[header::CONNECTION], "close");
    assert!(!request.http2.headers().contains_key(header::CONNECTION), "forbidden by RFC 9113, section 8.2.2");
}

#[test]
fn says_what_is_wrong() {
    assert!(error(Request::get("/page")).contains("is not a URL"));
    assert!(error(Request::get("mailto:me")).contains("scheme `mailto`"));
    assert!(error(Request::get("ftp://h/")).contains("expected http:// or https://"));
    let credentials = error(Request::get("http://me:secret@h/"));
    assert!(credentials.contains("Authorization") && !credentials.contains("secret"), "{credentials}");
    // To the parser, some have another scheme, a port that is no number, or no scheme.
    for typed in [
        "joe:secret@h/page",
        "ftp://joe:secret@h/",
        "http://joe:sec/ret@h:99999/",
        "joe_x:secret@h/",
        "http://a:secret@:x/",
    ] {
        let told = error(Request::get(typed));
        assert!(!told.contains("sec") && told.contains('h'), "{told}");
    }
    assert!(error(Request::get("joe:secret@h/page")).contains("-u USER:PASSWORD"));
    for cookie in ["secret", "a=secret; b=2", "=secret"] {
        let told = error(Request::get("http://h/").unwrap().cookie(cookie));
        assert!(!told.contains("secret"), "{told}");
    }
    for cookie in ["a", "=a", "a=1; b=2", " a=1", "a=\n"] {
        assert!(error(Request::get("http://h/").unwrap().cookie(cookie)).contains("name=value"), "{cookie}");
    }
    assert!(error(Request::get("http://h/").unwrap().method("GE T")).contains("not a method"));
    assert!(error(Request::get("http://h/").unwrap().method("CONNECT")).contains("tunnel"));
}

#[test]
fn what_was_given_is_told_from_what_the_client_adds() {
    let given = |request: &Request| -> Vec<String> {
        request.given_headers().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect()
    };
    let plain = Request::get("http://h:8080/").unwrap().method("POST").unwrap().build().unwrap();
    assert_eq!(given(&plain), Vec::<String>::new());
    assert!(plain.body().is_empty());
    let header = |line: &str| line.parse().unwrap();
    let builder = Request::get("http://h:8080/").unwrap().header(header("Host: other")).header(header("Accept: a/b"));
    let builder = builder.header(header("User-Agent: me")).cookie("a=1").unwrap().cookie("b=2").unwrap();
    let dressed = builder.body("x=1").build().unwrap();
    let mut all = given(&dressed);
    all.sort();
    assert_eq!(all, ["accept: a/b", "cookie: a=1; b=2", "host: other", "user-agent: me"]);
    assert_eq!(&dressed.body()[..], b"x=1");
}

#[test]
fn past_caches_no_two_requests_are_alike() {
    let request = |url: &str| Request::get(url).unwrap().past_cache(true).build().unwrap();
    for (url, begins) in [("http://h/a", "/a?unladen="), ("http://h/a?b=c%2Fd", "/a?b=c%2Fd&unladen=")] {
        let request = request(url);
        let sent = |version| request.message(version).uri().path_and_query().unwrap().to_string();
        let all = [sent(Version::HTTP_11), sent(Version::HTTP_11), sent(Version::HTTP_2)];
        assert!(all.iter().all(|target| target.starts_with(begins)), "{all:?}");
        assert!(all[0] != all[1] && all[1] != all[2], "{all:?}");
        assert_eq!(request.message(Version::HTTP_2).uri().authority().unwrap(), "h");
        assert_eq!(request.target(), &url["http://h".len()..], "its name in reports");
    }
}
