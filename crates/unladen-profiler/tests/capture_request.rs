//! What a web server hands to PHP-FPM for a request of ours. Needs root, eBPF, nginx and php-fpm.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "tests fail by them")]

mod support;

use support::{Settings, Site, skip};
use unladen_load::{Cancel, DriverConfig, Header, Request};
use unladen_profiler::{Address, Kind, capture_request};

#[test]
fn nginx_and_fpm_over_each_kind_of_connection() {
    if skip("capture_request::nginx_and_fpm_over_each_kind_of_connection") {
        return;
    }
    for (tcp, keep) in [(false, false), (false, true), (true, false), (true, true)] {
        let site = Site::start(&Settings { tcp, keep, ..Settings::default() });
        let script = site.page("show.php", "<?php echo json_encode(getallheaders());");
        // Connections that are kept were made before anybody looked.
        for _ in 0..3 {
            assert!(site.get_text("/show.php").contains("Host"));
        }
        let captured = capture_request(&site.driver("/show.php?a=1"), &Cancel::new()).unwrap();
        assert_eq!(captured.params.text("SCRIPT_FILENAME"), script.to_str());
        assert_eq!(captured.params.text("QUERY_STRING"), Some("a=1"));
        assert_eq!(captured.status, 200);
        assert!(captured.body.is_empty());
        let marks: Vec<_> = captured.params.0.iter().filter(|(name, _)| name.starts_with(b"HTTP_X_UNLADEN")).collect();
        assert!(marks.is_empty(), "{marks:?}");
        let address =
            if tcp { Address::Tcp(site.listen.parse().unwrap()) } else { Address::Unix((&site.listen).into()) };
        assert_eq!(captured.address, address);
        assert_eq!((captured.application.kind, captured.application.pid), (Kind::PhpFpm, site.fpm.id()));
    }
}

#[test]
fn a_body_and_a_second_web_server_are_followed() {
    if skip("capture_request::a_body_and_a_second_web_server_are_followed") {
        return;
    }
    let site = Site::start(&Settings::default());
    site.page("show.php", "<?php echo strlen(file_get_contents('php://input'));");
    let post = |body: &str| {
        let request = Request::get(&site.url("/hop/show.php")).unwrap().method("POST").unwrap();
        DriverConfig::new(vec![request.body(body.to_owned().into_bytes()).build().unwrap()])
    };
    let captured = capture_request(&post("a=1&b=2"), &Cancel::new()).unwrap();
    assert_eq!(captured.body, b"a=1&b=2");
    assert_eq!(captured.params.text("REQUEST_METHOD"), Some("POST"));

    let error = capture_request(&post(&"x".repeat(9000)), &Cancel::new()).unwrap_err().to_string();
    assert!(error.contains("its body cannot be seen completely"), "{error}");
    let cookie: Header = format!("Cookie: a={}", "x".repeat(6000)).parse().unwrap();
    let request = Request::get(&site.url("/show.php")).unwrap().header(cookie).build().unwrap();
    let error = capture_request(&DriverConfig::new(vec![request]), &Cancel::new()).unwrap_err().to_string();
    assert!(error.contains("its parameters cannot be seen completely"), "{error}");
}

#[test]
fn what_goes_to_no_application_is_told() {
    if skip("capture_request::what_goes_to_no_application_is_told") {
        return;
    }
    let site = Site::start(&Settings::default());
    let error = capture_request(&site.driver("/plain"), &Cancel::new()).unwrap_err().to_string();
    assert!(error.contains("nginx (process ") && error.contains("answers itself"), "{error}");
    let error = capture_request(&site.driver("/hop/plain"), &Cancel::new()).unwrap_err().to_string();
    assert!(error.contains("with HTTP"), "{error}");
    let elsewhere = DriverConfig::new(vec![Request::get("http://192.0.2.1/").unwrap().build().unwrap()]);
    let error = capture_request(&elsewhere, &Cancel::new()).unwrap_err().to_string();
    assert!(error.contains("is not served by this machine"), "{error}");
}
