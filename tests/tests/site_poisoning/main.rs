//! Nobody can have `unladen serve` keep for others what they did not ask for (cache poisoning), nor keep what is theirs
//! alone (cache deception).

mod cookies;
mod invariant;
mod names;
mod programs;
mod query;
mod status;
mod switching;

use unladen_tests::site::{app, get, page};
use unladen_tests::{Seen, Site, Upstream};

const FRESH: &str = "Cache-Control: max-age=600\r\nVary: X-GeoIP-Country\r\n";

/// An application that puts all it is told into its page, and lets it be kept.
fn telling() -> Upstream {
    app(|request| page(FRESH, &told(request)))
}

/// All that may differ between requests, without what is made anew for each.
fn told(request: &Seen) -> String {
    let is_own = |name: &str| matches!(name, "x-request-id" | "traceparent");
    let fields: Vec<_> = request.fields.iter().filter(|(name, _)| !is_own(name)).collect();
    format!("{} {} {fields:?} {:?}", request.method, request.target, String::from_utf8_lossy(&request.body))
}

#[test]
fn what_is_no_part_of_the_key_does_not_change_what_is_kept() {
    let app = telling();
    for site in Site::each(&app, "") {
        let clean = site.get("/clean").is_asked(200).text();
        let fields = [
            "X-Forwarded-Host: evil",
            "X-Forwarded-Proto: evil",
            "X-Forwarded-For: 6.6.6.6",
            "X-Forwarded-Prefix: /evil",
            "X-Forwarded-Port: 666",
            "X-Forwarded-Scheme: evil",
            "X-Forwarded-Server: evil",
            "X-Forwarded-Ssl: evil",
            "x_forwarded_host: evil",
            "X_Forwarded-Host: evil",
            "X.Forwarded.Host: evil",
            "X~Forwarded!Host: evil",
            "Forwarded: for=6.6.6.6;host=evil;proto=evil",
            "X-Forwarded: for=evil",
            "X-Original-URL: /evil",
            "X_Original_URL: /evil",
            "X-Rewrite-URL: /evil",
            "X-Original-Host: evil",
            "X-Host: evil",
            "X-HTTP-Host-Override: evil",
            "X-HTTP-Method-Override: POST",
            "X_HTTP_METHOD_OVERRIDE: POST",
            "X-HTTP-Method: POST",
            "X-Method-Override: POST",
            "X-Scheme: evil",
            "X-GeoIP-Country: EV",
            "x_geoip_country: EV",
            "X.GeoIP.Country: EV",
            "Content-Length: 0",
            "Content_Length: 7",
            "Content_Type: evil",
            "Proxy: http://evil",
            "Proxy-Connection: evil",
            "Keep-Alive: evil",
            "TE: trailers",
            "Expect: 100-continue",
            "X-Request-Id: evil",
            "Traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "If-None-Match: \"evil\"",
            "If-Modified-Since: Sun, 06 Nov 2094 08:49:37 GMT",
            "If-Range: \"evil\"",
            "Range: bytes=0-0",
            "Remote_Addr: 6.6.6.6",
            "HTTP/1.0",
        ];
        for (number, field) in fields.into_iter().enumerate() {
            let path = format!("/{number}");
            let request = match field {
                "HTTP/1.0" => format!("GET {path} HTTP/1.0\r\nHost: test\r\n\r\n"),
                field => get(&path, &format!("{field}\r\n")),
            };
            let asked = site.wire().ask(&request);
            // What CGI takes for a field that matters on the way is refused.
            assert!(asked.status == 200 || (asked.status == 400 && field.contains('_')), "{field}: {asked:?}");
            let after = site.get(&path).is(200).text();
            assert_eq!(after, clean.replace("/clean", &path), "{field}");
            // And what is kept is not for whoever says it.
            let disguised = site.wire().ask(&request);
            assert!(
                disguised.status == 400
                    || disguised.status == 206
                    || disguised.text() == after
                    || !disguised.cache().starts_with("hit"),
                "{field}: {disguised:?}"
            );
        }
        site.stop();
    }
}

#[test]
fn what_connection_lists_is_not_asked_for_nor_found_by_anything() {
    let app = app(|request| {
        let vary = "Vary: Cookie, Accept-Language, X-GeoIP-Country, X-Theme\r\n";
        page(&format!("Cache-Control: max-age=600\r\n{vary}"), &told(request))
    });
    for site in Site::each(&app, "") {
        for (number, name) in
            ["Cookie", "Authorization", "Accept-Language", "X-Theme", "cookie, X-THEME"].into_iter().enumerate()
        {
            let path = format!("/{number}");
            let own = "Cookie: a=b\r\nAccept-Language: de\r\nX-Theme: dark\r\n";
            let listed = site.get_with(&path, &format!("Connection: {name}\r\n{own}Authorization: Basic YTpi\r\n"));
            listed.is(200);
            let kept = site.get_with(&path, own).is(200).text();
            for field in ["(\"cookie\", \"a=b\")", "(\"accept-language\", \"de\")", "(\"x-theme\", \"dark\")"] {
                assert!(kept.contains(field), "{name}: {field} is missing of {kept}");
            }
            let nothing = site.get(&path).is(200).text();
            assert!(!["a=b", "dark", "YTpi"].iter().any(|own| nothing.contains(own)), "{name}: {nothing}");
        }
        // What is added on the way is not taken off.
        for name in
            ["X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Via", "Host", "X-Request-Id", "X-Other"]
        {
            let answer = site.get_with(&format!("/{name}"), &format!("Connection: close, {name}\r\n"));
            if answer.reason() == Some("field") {
                continue;
            }
            let body = answer.is(200).text();
            let fields = match body.contains("script_name") {
                true => ["remote_addr", "server_name", "request_scheme", "\"host\""],
                false => ["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "\"host\""],
            };
            for field in fields {
                assert!(body.contains(field), "{name}: {body}");
            }
        }
        site.stop();
    }
}

#[test]
fn who_asks_with_a_body_gets_what_is_made_of_it_and_nobody_else_does() {
    let app = telling();
    for site in Site::each(&app, "") {
        for (path, request) in [
            ("/length", "GET /length HTTP/1.1\r\nHost: test\r\nContent-Length: 4\r\n\r\nevil"),
            (
                "/chunks",
                "GET /chunks HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nevil\r\n0\r\n\r\n",
            ),
            ("/none", "GET /none HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        ] {
            site.wire().ask(request).is_asked(200);
            let clean = site.get(path).is_asked(200).text();
            assert!(!clean.contains("evil") && clean.ends_with("\"\""), "{clean}");
            site.wire().ask(request).is_asked(200);
            assert_eq!(site.get(path).is_hit(200).text(), clean);
        }
        site.stop();
    }
}

#[test]
fn other_targets_and_hosts_have_other_pages() {
    let app = app(|request| page(FRESH, &format!("{} {}", request.field("host").unwrap_or_default(), request.target)));
    for site in Site::each(&app, "") {
        let targets = [
            "/",
            "//",
            "/./",
            "/.",
            "/..",
            "/a/../",
            "/%2e%2e/",
            "/%2E%2E/",
            "/%2f",
            "/%2F",
            "/a",
            "/A",
            "/a/",
            "/a//",
            "/a;jsessionid=1",
            "/a;jsessionid=2",
            "/a?",
            "/a?b",
            "/a?b=",
            "/a?b=1&c=2",
            "/a?c=2&b=1",
            "/a?b=1;c=2",
            "/a%3Fb",
            "/a%00",
            "/a%0d%0aX:%20y",
            "/a%20",
            "/a%",
            "/a%zz",
            "/%61",
            "/a\\b",
            "/a|b",
            "/a?/../b",
            "/a?http://evil/",
        ];
        for host in ["test", "test:8080", "other", "xn--test"] {
            for target in targets {
                let request = format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n");
                let first = site.wire().ask(&request);
                if first.reason().is_some() {
                    assert_eq!(first.status, 400, "{host} {target}");
                    continue;
                }
                let first = first.is_asked(200);
                assert_eq!(first.text(), format!("{host} {target}"));
                assert_eq!(site.wire().ask(&request).is_hit(200).text(), format!("{host} {target}"));
            }
        }
        // The same host, as it may be written.
        for same in ["TEST", "Test:80", "test:80", "test:", "test.", "TEST.:80"] {
            let answer = site.wire().ask(format!("GET / HTTP/1.1\r\nHost: {same}\r\n\r\n"));
            assert!(answer.reason().is_some() || answer.text() == "test /", "{same}: {answer:?}");
        }
        // An absolute target is what counts.
        let absolute = site.wire().ask("GET http://other/absolute HTTP/1.1\r\nHost: test\r\n\r\n").is(200);
        assert_eq!(absolute.text(), "other /absolute");
        assert_eq!(site.get("/absolute").is_asked(200).text(), "test /absolute");
        site.wire().ask("GET http://test HTTP/1.1\r\nHost: other\r\n\r\n").is_hit(200);
        assert_eq!(site.wire().ask("GET http://test?x HTTP/1.1\r\nHost: other\r\n\r\n").is(200).text(), "test /?x");
        site.stop();
    }
}

#[test]
fn what_is_no_host_and_no_target_is_refused() {
    let app = telling();
    for site in Site::each(&app, "") {
        for host in [
            "a/b",
            "a?b",
            "a#b",
            "a b",
            "a\tb",
            "a,b",
            "a@b",
            "a\\b",
            "a\u{7f}",
            "",
            "a\r\nHost: b",
            "[::1",
            "a:b",
            "a:99999999",
        ] {
            let answer = site.wire().ask(format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"));
            let is_told = answer.status == 200 && answer.text().contains(&format!("(\"host\", {host:?})"));
            assert!(answer.status == 400 || (host.is_empty() && is_told), "{host:?}: {answer:?}");
        }
        for target in [
            "/a b",
            "/a\tb",
            "/a\u{0}",
            "/a\u{1}",
            "/a\u{7f}",
            "/a\rb",
            "a",
            "?a",
            "",
            "http:///a",
            "ftp://test/",
            "//",
            "/a#b",
        ] {
            let answer = site.wire().ask(format!("GET {target} HTTP/1.1\r\nHost: test\r\n\r\n"));
            let is_told = answer.status == 200 && answer.text().starts_with(&format!("GET {target} "));
            assert!(answer.status == 400 || is_told, "{target:?}: {answer:?}");
        }
        site.stop();
    }
}

#[test]
fn private_pages_with_names_of_files_are_not_kept() {
    let app = app(|request| {
        let user = request.field("cookie").or(request.field("authorization")).unwrap_or("nobody");
        // As applications do that say nothing of caches.
        let lines = "Content-Type: text/css\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nETag: \"a\"\r\n";
        page(lines, user)
    });
    for site in Site::each(&app, "") {
        for path in [
            "/account.php/x.css",
            "/account/x.js",
            "/account%2fx.png",
            "/account;x.css",
            "/account%00.css",
            "/account?.css",
        ] {
            for user in ["Cookie: user=alice\r\n", "Authorization: Bearer alice\r\n"] {
                let own = site.get_with(path, user);
                // No program gets a path with a NUL.
                if own.reason() == Some("target") {
                    continue;
                }
                assert!(own.is_asked(200).text().contains("alice"));
                assert_eq!(site.get(path).is(200).text(), "nobody", "{path}");
                assert_eq!(site.get_with(path, "Cookie: user=bob\r\n").is_asked(200).text(), "user=bob", "{path}");
            }
        }
        site.stop();
    }
}

#[test]
fn an_answer_to_a_fault_of_one_client_is_not_kept_for_others() {
    for status in
        [400, 401, 403, 405, 408, 411, 412, 413, 414, 415, 416, 417, 421, 426, 428, 429, 431, 500, 501, 502, 503, 504]
    {
        let app = app(move |request| match request.field("x-odd") {
            Some(_) => format!("HTTP/1.1 {status} Fault\r\nContent-Length: 5\r\n\r\nfault"),
            None => page(FRESH, "good"),
        });
        for site in Site::each(&app, "") {
            let odd = format!("X-Odd: {}\r\n", "x".repeat(if status == 431 { 20_000 } else { 1 }));
            assert_eq!(site.get_with("/", &odd).status, status);
            assert_eq!(site.get("/").is_asked(200).text(), "good", "{status}");
            // Of a failure it is remembered for a moment that nobody has to wait for it, of 401 and 403 for longer.
            if status < 500 && status != 401 && status != 403 {
                assert_eq!(site.get("/").is_hit(200).text(), "good", "{status}");
            }
            // Nor does it take off what is kept.
            site.get_with("/", &format!("{odd}Cache-Control: no-cache\r\n"));
            site.stop();
        }
    }
}

#[test]
fn twice_the_same_field_is_both_or_refused() {
    let app = app(|request| {
        let is_authorized = request.fields.iter().any(|(name, _)| name == "authorization");
        let own = if is_authorized { "private" } else { "max-age=600" };
        page(&format!("Cache-Control: {own}\r\nVary: Cookie, Accept-Encoding\r\n"), &told(request))
    });
    for site in Site::each(&app, "") {
        for (number, fields) in [
            "Cookie: a=1\r\nCookie: b=2\r\n",
            "Authorization: Basic YTpi\r\nAuthorization: Basic Yjpi\r\n",
            "Accept-Encoding: gzip\r\nAccept-Encoding: br\r\n",
            "Cache-Control: max-age=1\r\nCache-Control: only-if-cached\r\n",
            "If-None-Match: \"a\"\r\nIf-None-Match: *\r\n",
        ]
        .into_iter()
        .enumerate()
        {
            let path = format!("/{number}");
            let answer = site.get_with(&path, fields);
            assert!(matches!(answer.status, 200 | 304 | 504), "{answer:?}");
            let clean = site.get(&path).is(200).text();
            assert!(!fields.lines().any(|line| clean.contains(line.split(": ").nth(1).unwrap_or_default())), "{clean}");
        }
        site.stop();
    }
}
