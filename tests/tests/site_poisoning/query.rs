//! The target and the host: the application is asked for what is in the key.

use unladen_tests::Site;
use unladen_tests::site::{app, page};

#[test]
fn parameters_that_are_ignored_do_not_reach_the_application() {
    let app = app(|request| page("Cache-Control: max-age=600\r\n", &request.target));
    for site in Site::each(&app, "[site.cache]\nignore_query = [\"utm_*\", \"gclid\"]") {
        for (number, more) in [
            "&utm_a=EVIL",
            ";utm_a=EVIL",
            "&%75tm_a=EVIL",
            "&utm%5Fa=EVIL",
            ";%75%74%6d_a=EVIL;gclid=EVIL",
            "&gclid&gclid=EVIL&gcl%69d=EVIL",
        ]
        .into_iter()
        .enumerate()
        {
            let clean = format!("/{number}?x=1");
            let first = site.get(&format!("{clean}{more}")).is_asked(200);
            assert_eq!(first.text(), clean, "{more}");
            assert_eq!(site.get(&clean).is_hit(200).text(), clean, "{more}");
            // In front of it, too.
            let first = more.trim_start_matches(['&', ';']);
            assert_eq!(site.get(&format!("/{number}?{first}&x=1")).is_hit(200).text(), clean, "{more}");
        }
        // What is not kept has all that was said.
        let request = "POST /form?utm_a=1 HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n";
        assert_eq!(site.wire().ask(request).is_asked(200).text(), "/form?utm_a=1");
        // Order and number are the application's.
        for path in ["/o?a=1&b=2", "/o?b=2&a=1", "/o?a=1&a=1&b=2", "/o?a=1;b=2", "/o?"] {
            assert_eq!(site.get(path).is_asked(200).text(), path);
        }
        site.stop();
    }
}

#[test]
fn the_application_is_told_the_host_that_is_in_the_key() {
    let app = app(|request| {
        let told = |name| request.field(name).unwrap_or_default();
        let server = format!("{}:{}", told("server_name"), told("server_port"));
        let named = request.field("x-forwarded-host").or(server.strip_suffix(":80")).unwrap_or(&server);
        page("Cache-Control: max-age=600\r\n", &format!("{} {named}", told("host")))
    });
    for first in ["SITE.TEST:80", "site.test.", "Site.Test.:80", "site.test:", "site.test"] {
        for site in Site::each(&app, "") {
            let ask = |host: &str| site.wire().ask(format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"));
            assert_eq!(ask(first).is_asked(200).text(), "site.test site.test", "{first}");
            for then in ["site.test", "SITE.test", "site.test:80", "site.test."] {
                assert_eq!(ask(then).is_hit(200).text(), "site.test site.test", "{first} {then}");
            }
            assert_eq!(ask("Site.Test.:8080").is_asked(200).text(), "site.test:8080 site.test:8080", "{first}");
            site.stop();
        }
    }
}
