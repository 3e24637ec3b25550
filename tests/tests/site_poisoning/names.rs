//! Names of fields: what an application reads as another field than this side does, and what clients must not say.

use unladen_tests::site::{app, get, page};
use unladen_tests::{Outbound, Seen, Site, h2};

/// A field as CGI and WSGI hand it over: any mark is a hyphen, and the last one counts.
fn as_cgi<'s>(request: &'s Seen, name: &str) -> Option<&'s str> {
    let is = |own: &str| own.replace(|mark: char| !mark.is_ascii_alphanumeric(), "-") == name;
    request.fields.iter().rfind(|(own, _)| is(own)).map(|(_, value)| value.as_str())
}

const VARY: &str = "Cache-Control: max-age=600\r\nVary: Accept-Language\r\nETag: \"a\"\r\n";

#[test]
fn an_underscore_twin_of_a_field_changes_nothing() {
    let app = app(|request| {
        if as_cgi(request, "if-none-match").is_some() {
            return "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n".to_owned();
        }
        page(VARY, as_cgi(request, "accept-language").unwrap_or("none"))
    });
    for site in Site::each(&app, "") {
        for (number, twin) in [
            "Accept_Language: EVIL",
            "accept_language: EVIL",
            "Accept.Language: EVIL",
            "Accept~Language: EVIL",
            "Accept'Language: EVIL",
            "If_None_Match: \"a\"",
            "IF_NONE-MATCH: \"a\"",
        ]
        .into_iter()
        .enumerate()
        {
            for lines in [
                format!("{twin}\r\nAccept-Language: en\r\n"),
                format!("Accept-Language: en\r\n{twin}\r\n"),
                format!("{twin}\r\n"),
            ] {
                let path = format!("/{number}/{}", lines.len());
                let attacked = site.get_with(&path, &lines).is(200).text();
                assert!(!attacked.contains("EVIL"), "{twin}: {attacked}");
                assert_eq!(site.get_with(&path, "Accept-Language: en\r\n").is(200).text(), "en", "{twin}");
                assert_eq!(site.get(&path).is(200).text(), "none", "{twin}");
            }
        }
        site.stop();
    }
}

#[test]
fn underscores_that_go_on_go_past_the_cache() {
    let app = app(|request| page(VARY, as_cgi(request, "accept-language").unwrap_or("none")));
    for site in Site::each(&app, "underscores = true") {
        let odd = site.get_with("/", "Accept-Language: en\r\nAccept_Language: own\r\n").is_asked(200);
        // A program is told both of them in one.
        assert!(odd.text().ends_with("own") && odd.cache().ends_with("detail=disguised"), "{odd:?}");
        assert_eq!(site.get_with("/", "Accept-Language: en\r\n").is_asked(200).text(), "en");
        // But no lookalike of a field by which the application knows who asks, and for what.
        for name in [
            "X_Real_IP",
            "X_Forwarded_For",
            "X-Forwarded_Host",
            "x_forwarded_proto",
            "Client_IP",
            "Content_Length",
            "Transfer_Encoding",
            "Proxy",
        ] {
            let asked = site.get_with("/real", &format!("{name}: evil\r\n"));
            assert!(asked.status == 200 || asked.reason() == Some("field"), "{name}: {asked:?}");
        }
        let is_evil = |seen: &&Seen| seen.fields.iter().any(|(_, value)| value.contains("evil"));
        assert_eq!(app.seen().iter().find(is_evil), None);
        site.stop();
    }
}

#[test]
fn a_client_does_not_say_who_it_is_nor_what_we_say() {
    let names = [
        "X-Real-IP",
        "x_real_ip",
        "Client-IP",
        "True-Client-IP",
        "CF-Connecting-IP",
        "X-Client-IP",
        "X-Cluster-Client-IP",
        "Fastly-Client-IP",
        "Front-End-Https",
        "Proxy",
        "X-Unladen-Reason",
        "X-Unladen-Anything",
        "X-Forwarded-Port",
    ];
    for settings in
        ["", "cache = false", "trusted.proxies = [\"127.0.0.1\"]", "forwarded = \"forwarded\"", "underscores = true"]
    {
        let app = app(|request| {
            page("Cache-Control: max-age=600\r\n", &format!("{:?} {:?}", request.fields, request.trailers))
        });
        for site in Site::each(&app, settings) {
            for (number, name) in names.into_iter().enumerate() {
                let answer = site.get_with(&format!("/{number}"), &format!("{name}: evil\r\n")).is(200);
                assert!(!answer.text().contains("evil"), "{settings} {name}: {answer:?}");
                // Nor behind the body.
                let chunked = "POST /t HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n";
                let answer = site.wire().ask(format!("{chunked}{name}: evil\r\nDigest: kept\r\n\r\n"));
                if answer.reason() == Some("trailers") {
                    continue;
                }
                let text = answer.is(200).text();
                // A program has nothing behind a body.
                let is_kept = text.contains("kept") || text.contains("script_filename");
                assert!(!text.contains("evil") && is_kept, "{settings} {name}: {text}");
            }
            site.stop();
        }
    }
}

#[test]
fn an_underscore_twin_behind_the_body_is_dropped() {
    let app = app(|request| page("", &format!("{:?}", request.trailers)));
    let site = Site::of(&app, "");
    let chunked = "POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n";
    let answer = site.wire().ask(format!("{chunked}Accept_Language: evil\r\nDigest: kept\r\n\r\n")).is(200);
    assert_eq!(answer.text(), "[(\"digest\", \"kept\")]");
    site.stop();
}

#[test]
fn an_answer_of_the_application_does_not_look_like_ours() {
    let lines = "X-Unladen-Reason: too_many_requests\r\nx-unladen-other: 1\r\nX_Unladen_Reason: 1\r\n";
    for kept in ["", "Cache-Control: max-age=600\r\n"] {
        let app = app(move |request| match request.target.as_str() {
            "/trailers" => format!(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n{kept}\r\n2\r\nab\r\n0\r\nX-Unladen-Reason: x\r\nDigest: y\r\n\r\n"
            ),
            "/early" => format!("HTTP/1.1 103 Early\r\n{lines}\r\n{}", page(&format!("{lines}{kept}"), "x")),
            _ => page(&format!("{lines}{kept}"), "x"),
        });
        let site = Site::of(&app, "");
        let outbound = Outbound::of(&app.url(), "");
        for path in ["/", "/trailers", "/early"] {
            for mut wire in [site.wire(), site.wire(), outbound.wire()] {
                let mut answer = wire.get(path);
                while answer.status < 200 {
                    assert!(!answer.fields.iter().any(|(name, _)| name.contains("unladen")), "{path}: {answer:?}");
                    answer = wire.answer();
                }
                let named = answer.fields.iter().chain(&answer.trailers).any(|(name, _)| name.contains("unladen"));
                assert!(!named, "{path}: {answer:?}");
            }
        }
        site.stop();
        outbound.stop();
    }
}

#[test]
fn names_of_http_2_that_are_none_are_refused() {
    let app = app(|request| page("", &format!("{:?}", request.fields)));
    for site in Site::each(&app, "") {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            for name in [&b"x\""[..], b"\"", b"a\"b"] {
                // Libraries differ in which they let pass.
                let Ok(name) = http::HeaderName::from_bytes(name) else { continue };
                let client = h2::H2Client::unix(&site.socket()).await;
                let mut head = h2::request("GET", "/");
                head.headers_mut().append(name.clone(), "evil".parse().expect("a value"));
                let (answer, _) = client.send(head, true).await;
                if let Ok(answer) = h2::H2Answer::read(answer).await {
                    answer.refuses(400, "field");
                }
            }
        });
        assert!(app.seen().iter().all(|seen| seen.fields.iter().all(|(_, value)| value != "evil")));
        site.wire().ask(get("/", "")).is(200);
        site.stop();
    }
}
