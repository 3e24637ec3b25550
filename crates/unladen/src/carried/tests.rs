use super::*;

fn request() -> Request {
    Request::get("http://127.0.0.1/?a=b")
        .and_then(|builder| builder.method("POST"))
        .and_then(|builder| builder.header("Accept-Language: cy".parse().unwrap()).cookie("session=1"))
        .map(|builder| builder.header("X-Api-Key: 2".parse().unwrap()).body("name=joe"))
        .and_then(unladen_load::RequestBuilder::build)
        .unwrap()
}

#[test]
fn what_was_given_is_carried_and_nothing_else() {
    let config = DriverConfig::new(vec![request()]);
    let all = carried(&request(), &config, Secrets::Kept);
    let headers: Vec<(&str, Option<&str>)> =
        all.headers.iter().map(|header| (header.name.as_str(), header.value.as_deref())).collect();
    assert_eq!(headers, [("accept-language", Some("cy")), ("x-api-key", Some("2")), ("cookie", Some("session=1"))]);
    assert_eq!(all.body, Some(BodyCarried { bytes: 8, text: Some("name=joe".into()) }));
    assert_eq!(all.options, []);
    let plain = Request::get("http://127.0.0.1/").unwrap().build().unwrap();
    assert!(carried(&plain, &config, Secrets::LeftOut).is_empty());
}

#[test]
fn secrets_are_left_out_of_what_is_printed() {
    let config = DriverConfig::new(vec![request()]);
    let shown = carried(&request(), &config, Secrets::LeftOut);
    let values: Vec<Option<&str>> = shown.headers.iter().map(|header| header.value.as_deref()).collect();
    assert_eq!(values, [Some("cy"), None, None]);
    for name in ["Authorization", "proxy-authorization", "Cookie", "X-CSRF-Token", "X-Auth-User"] {
        assert!(is_secret(name), "{name}");
    }
    assert!(!is_secret("accept-encoding") && !is_secret("content-type"));
    let of = |body: &str| text_of(body.as_bytes(), Secrets::LeftOut).map(str::to_owned);
    assert_eq!(of("a=1").as_deref(), Some("a=1"));
    assert_eq!((of("Password=x"), of(&"a".repeat(1_001))), (None, None));
    assert_eq!(text_of(b"\xff", Secrets::Kept), None);
}

#[test]
fn how_it_is_sent_is_carried() {
    let mut config = DriverConfig::new(Vec::new());
    (config.keep_alive, config.keep_cookies, config.tls.insecure) = (false, false, true);
    config.timeout = std::time::Duration::from_secs(5);
    config.expect = unladen_load::Expect { statuses: "200,304".parse().unwrap(), body: None, same: true };
    config.connect_to = Some(ConnectTo::Unix("/run/app.sock".into()));
    let words: Vec<String> = options(&config)
        .into_iter()
        .map(|option| option.value.map_or(option.name.clone(), |value| format!("{}={value}", option.name)))
        .collect();
    assert_eq!(
        words,
        [
            "--unix-socket=/run/app.sock",
            "--no-keepalive",
            "--no-cookies",
            "--timeout=5000ms",
            "--insecure",
            "--expect-status=200,304",
            "--expect-same"
        ]
    );
}

#[test]
fn basic_is_as_curl_sends_it() {
    assert_eq!(
        ["", "a", "ab", "abc", "user:pass"].map(|text| basic(text.as_bytes())),
        ["", "YQ==", "YWI=", "YWJj", "dXNlcjpwYXNz"].map(|code| format!("Authorization: Basic {code}"))
    );
}
