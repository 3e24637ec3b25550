//! One client does not switch a page's caching off for the others.

use unladen_tests::site::{app, page};
use unladen_tests::{Site, Upstream};

/// Whoever is odd gets an answer that may not be kept; all others one that may.
fn odd(answer: impl Fn() -> String + Send + Sync + 'static) -> Upstream {
    app(move |request| match request.field("x-odd") {
        Some(_) => answer(),
        None => page("Cache-Control: max-age=600\r\n", "good"),
    })
}

fn answers() -> Vec<String> {
    let status = |status: u16, lines: &str| format!("HTTP/1.1 {status} Odd\r\n{lines}Content-Length: 0\r\n\r\n");
    vec![
        page("Cache-Control: no-store\r\n", "odd"),
        page("Cache-Control: private\r\n", "odd"),
        page("Cache-Control: max-age=600\r\nSet-Cookie: a=1\r\n", "odd"),
        page("Cache-Control: max-age=600\r\nVary: *\r\n", "odd"),
        page("", "odd"),
        status(302, "Location: /login\r\n"),
        status(403, ""),
        status(500, ""),
        status(500, "Cache-Control: max-age=600\r\n"),
        status(400, "Cache-Control: max-age=600\r\n"),
    ]
}

#[test]
fn what_is_fresh_stays_whatever_one_client_has_it_asked_for_anew_with() {
    for answer in answers() {
        let said = answer.clone();
        let app = odd(move || said.clone());
        for site in Site::each(&app, "") {
            site.get("/").is_asked(200);
            for reload in ["Cache-Control: no-cache\r\n", "Cache-Control: max-age=0\r\n", "Pragma: no-cache\r\n"] {
                site.get_with("/", &format!("X-Odd: 1\r\n{reload}"));
                assert_eq!(site.get("/").is_hit(200).text(), "good", "{answer}");
            }
            site.stop();
        }
    }
}

#[test]
fn what_one_client_was_answered_alone_is_over_with_the_next() {
    for answer in answers().into_iter().filter(|answer| !answer.contains(" Odd\r\nCache-Control")) {
        let said = answer.clone();
        let app = odd(move || said.clone());
        for site in Site::each(&app, "") {
            site.get_with("/", "X-Odd: 1\r\n");
            assert_eq!(site.get("/").is_asked(200).text(), "good", "{answer}");
            // At the latest the second of those who come asks for all.
            assert_eq!(site.get("/").is(200).text(), "good", "{answer}");
            site.get("/").is_hit(200);
            site.stop();
        }
    }
}

/// A variant that becomes private takes no other with it.
#[test]
fn another_variant_stays() {
    let app = app(|request| {
        let lines = "Vary: Accept-Language\r\n";
        match (request.field("accept-language"), request.field("x-odd")) {
            (Some("de"), Some(_)) => page(&format!("{lines}Cache-Control: private\r\n"), "odd"),
            // Stale as soon as it is there.
            (Some("de"), None) => {
                page(&format!("{lines}Cache-Control: max-age=10\r\nAge: 20\r\nETag: \"a\"\r\n"), "de")
            }
            _ => page(&format!("{lines}Cache-Control: max-age=600\r\n"), "en"),
        }
    });
    for site in Site::each(&app, "") {
        for language in ["en", "de"] {
            site.get_with("/", &format!("Accept-Language: {language}\r\n")).is_asked(200);
        }
        site.get_with("/", "Accept-Language: de\r\nX-Odd: 1\r\n").is_asked(200);
        assert_eq!(site.get_with("/", "Accept-Language: en\r\n").is_hit(200).text(), "en");
        site.stop();
    }
}

#[test]
fn a_reload_can_be_passed_over() {
    let app = app(|_| page("Cache-Control: max-age=600\r\n", "good"));
    for site in Site::each(&app, "[site.cache]\nignore_reload = true") {
        site.get("/").is_asked(200);
        for reload in
            ["Cache-Control: no-cache", "Cache-Control: max-age=0", "Cache-Control: min-fresh=9999", "Pragma: no-cache"]
        {
            site.get_with("/", &format!("{reload}\r\n")).is_hit(200);
        }
        site.stop();
    }
}

#[test]
fn hits_count_where_that_is_asked_for() {
    let app = app(|_| page("Cache-Control: max-age=600\r\n", "good"));
    for (hits, limited) in [("", false), ("hits = true", true)] {
        for site in Site::each(&app, &format!("[[site.rate]]\nrate = 0.001\nburst = 3\n{hits}")) {
            let mut wire = site.wire();
            let statuses: Vec<u16> = (0..6).map(|_| wire.get("/").status).collect();
            let expected = if limited { [200, 200, 200, 429, 429, 429] } else { [200; 6] };
            assert_eq!(statuses, expected, "{hits}");
            site.stop();
        }
    }
}
