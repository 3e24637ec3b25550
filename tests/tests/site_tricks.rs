//! Odd requests and odd answers do not have `unladen serve` mix up what it keeps, nor work more than for plain ones.

use std::net::TcpStream;
use std::time::Duration;

use unladen_tests::frames::{Frame, Http2, code, kind};
use unladen_tests::site::{app, get, page};
use unladen_tests::{Site, h2};

const FRESH: &str = "Cache-Control: max-age=600\r\nVary: X-GeoIP-Country\r\n";

#[test]
fn responses_cannot_bring_lines_of_their_own() {
    for fields in [
        "X-A: b\rX-Evil: 1",
        "X-A: b\nX-Evil: 1",
        "X-A: b\0X-Evil: 1",
        "X-A: b\r\n X-Evil: 1",
        "X-A : b",
        "X-Evil",
        ": b",
        "X A: b",
        "Content-Length: 0\r\nContent-Length: 5",
        "Transfer-Encoding: chunked\r\nContent-Length: 5",
    ] {
        let app = app(move |_| format!("HTTP/1.1 200 OK\r\n{FRESH}{fields}\r\nContent-Length: 0\r\n\r\n"));
        let site = Site::of(&app, "");
        for _ in 0..2 {
            let answer = site.get("/");
            assert!(answer.field("x-evil").is_none(), "{fields:?}: {answer:?}");
            assert!(answer.status == 502 || answer.body.is_empty(), "{fields:?}: {answer:?}");
        }
        site.stop();
    }
}

#[test]
fn vary_cannot_be_made_to_mix_what_it_tells_apart() {
    let many: Vec<_> = (0..100).map(|number| format!("X-Field-{number}")).collect();
    let long = "X".repeat(30_000);
    for vary in [
        many.join(", "),
        format!("X-Theme, {long}"),
        "X-Theme,X-Theme,x-theme".to_owned(),
        "X-Theme, *".to_owned(),
        "X-Theme\r\nVary: *".to_owned(),
        "X-Theme, \"".to_owned(),
        "x-theme;q=1".to_owned(),
        "X-Forwarded-For, X-Theme".to_owned(),
        "Cookie, X-Theme".to_owned(),
    ] {
        let app = app(move |request| {
            let theme = request.field("x-theme").or(request.field("x-field-50")).unwrap_or("none");
            page(&format!("Cache-Control: max-age=600\r\nVary: {vary}\r\n"), theme)
        });
        let site = Site::of(&app, "");
        for theme in ["a", "b", "a, b", "a,b ", "a", "b", &"a".repeat(20_000), &"b".repeat(20_000)] {
            let line = format!("X-Theme: {theme}\r\nX-Field-50: {theme}\r\n");
            let text = site.get_with("/", &line).is(200).text();
            assert_eq!(text.replace(' ', ""), theme.replace(' ', ""));
        }
        assert_eq!(site.get("/").is(200).text(), "none");
        // Two lines are not one of them, and no field runs into the next one.
        assert_ne!(site.get_with("/", "X-Theme-: a\r\n").is(200).text(), "a");
        site.stop();
    }
}

#[test]
fn what_depends_on_the_clients_address_is_not_for_others() {
    for vary in ["X-Forwarded-For", "x-forwarded-for, Accept", "Forwarded"] {
        let app = app(move |_| page(&format!("Cache-Control: max-age=600\r\nVary: {vary}\r\n"), "for this address"));
        let site = Site::of(&app, "forwarded = \"forwarded\"");
        site.get("/").is_asked(200);
        site.get("/").is_asked(200);
        site.stop();
    }
}

#[test]
fn many_and_overlapping_ranges_cost_no_more_than_the_whole() {
    let app = app(|_| page("Cache-Control: max-age=600\r\n", &"x".repeat(10_000)));
    let site = Site::of(&app, "");
    site.get("/").is_asked(200);
    let ranges = |count: usize, range: &dyn Fn(usize) -> String| (0..count).map(range).collect::<Vec<_>>().join(",");
    for range in [
        ranges(1000, &|_| "0-".to_owned()),
        ranges(1000, &|at| format!("{at}-")),
        ranges(1000, &|at| format!("{}-{}", at * 3, at * 3)),
        ranges(9, &|at| format!("{}-{}", at * 3, at * 3)),
        ranges(2, &|_| "0-9998".to_owned()),
        ranges(5000, &|_| String::new()),
        "0-18446744073709551615,-18446744073709551615".to_owned(),
        "18446744073709551616-".to_owned(),
    ] {
        let answer = site.wire().ask(get("/", &format!("Range: bytes={range}\r\n")));
        assert!(answer.body.len() <= 10_000 + 200, "{} bytes for {:.50}", answer.body.len(), range);
        assert!(matches!(answer.status, 200 | 206 | 416), "{answer:?}");
    }
    site.stop();
}

#[test]
fn requests_that_two_would_read_differently_are_refused() {
    let app = app(|request| page(FRESH, &format!("{} {}", request.method, request.target)));
    let site = Site::of(&app, "");
    for framing in [
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
        "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding : chunked\r\n",
        "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: +5\r\n",
        "Content-Length: 5, 5\r\n",
        "Content_Length: 5\r\n",
        " Content-Length: 5\r\n",
    ] {
        for method in ["GET", "POST"] {
            let smuggled = "0\r\n\r\nGET /evil HTTP/1.1\r\nHost: test\r\n\r\n";
            let mut wire = site.wire();
            wire.send(format!("{method} / HTTP/1.1\r\nHost: test\r\n{framing}\r\n{smuggled}"));
            let answer = wire.answer();
            // Two lengths that are the same are one (RFC 9110, section 8.6); then what follows is read as what it is.
            assert!(matches!(answer.status, 400 | 501) || framing.contains("5, 5"), "{method} {framing:?}: {answer:?}");
        }
    }
    assert!(app.seen().iter().all(|request| request.target != "/evil"), "{:?}", app.seen());
    assert_eq!(site.get("/").is_asked(200).text(), "GET /");
    site.stop();
}

#[test]
fn what_comes_in_pieces_by_http_2_is_one() {
    let app = app(|request| {
        let cookie = request.fields.iter().filter(|(name, _)| name == "cookie");
        let cookie: Vec<_> = cookie.map(|(_, value)| value.as_str()).collect();
        let body = String::from_utf8_lossy(&request.body).into_owned();
        page("Cache-Control: max-age=600\r\nVary: Cookie\r\n", &format!("{} {cookie:?} {body:?}", request.method))
    });
    let site = Site::of(&app, "");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let client = h2::H2Client::unix(&site.socket()).await;
        for (method, path, body) in
            [("GET", "/", ""), ("GET", "/body", "evil"), ("POST", "/", "form"), ("GET", "/body", ""), ("GET", "/", "")]
        {
            let mut head = h2::request(method, path);
            for cookie in ["a=1", "b=2"] {
                head.headers_mut().append("cookie", cookie.parse().expect("a value"));
            }
            let (answer, send) = client.send(head, body.is_empty()).await;
            if !body.is_empty() {
                // Nothing says beforehand that there is one.
                tokio::time::sleep(Duration::from_millis(20)).await;
                h2::send_body(send, bytes::Bytes::from(body), None).await.expect("it is taken");
            }
            let answer = h2::H2Answer::read(answer).await.expect("an answer").is(200);
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            assert_eq!(text, format!("{method} [\"a=1; b=2\"] {body:?}"), "{method} {path}");
        }
    });
    assert_eq!(site.unix().ask(get("/body", "Cookie: b=2; a=1\r\n")).is_hit(200).text(), "GET [\"a=1; b=2\"] \"\"");
    site.stop();
}

#[test]
fn a_fragment_in_a_path_of_http_2_reaches_neither_the_application_nor_a_key() {
    let app = app(|seen| page("Cache-Control: max-age=600\r\n", &seen.target));
    let site = Site::of(&app, "");
    let asked = |path: &str| {
        let stream = TcpStream::connect(site.address()).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(40))).expect("an option");
        let mut client = Http2::client(stream);
        let fields: [(&[u8], &[u8]); 4] =
            [(b":method", b"GET"), (b":scheme", b"http"), (b":authority", b"test"), (b":path", path.as_bytes())];
        client.send(&Frame::head(1, &fields, true));
        let head = client.wait(|frame| frame.stream == 1).expect("an answer");
        if head.kind != kind::HEADERS {
            assert_eq!((head.kind, head.code()), (kind::RST_STREAM, Some(code::PROTOCOL_ERROR)), "{path}");
            return None;
        }
        if head.status() != Some(200) {
            assert_eq!(head.status(), Some(400), "{path}");
            return None;
        }
        Some(client.wait(|frame| frame.kind == kind::DATA).expect("a body").payload)
    };
    // What a fragment is cut off from is what is asked for, and what is kept.
    for (path, target) in [("/page#x", "/page"), ("/page?a=1#b?c", "/page?a=1"), ("/#", "/"), ("/a%23b", "/a%23b")] {
        let body = asked(path);
        assert!(body.as_deref().is_none_or(|body| body == target.as_bytes()), "{path}: {body:?}");
        let answer = site.get(target);
        assert!(body.is_none() || answer.cache().contains("hit"), "{path}: {answer:?}");
        assert_eq!(answer.is(200).text(), target);
    }
    for path in ["#x", "page#x"] {
        assert!(asked(path).is_none_or(|body| body == b"/"), "{path}");
    }
    // HTTP/1.1 has no such target (RFC 9112, section 3.2.1).
    site.wire().ask(get("/page#x", "")).refuses(400, "target");
    assert!(app.seen().iter().all(|seen| !seen.target.contains('#')), "{:?}", app.seen());
    site.stop();
}
