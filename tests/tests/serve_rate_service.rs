//! Bounds of rates that a service keeps for all who ask it: Envoy's own, and such as refuse, are silent or speak something
//! else.

use std::net::{SocketAddr, TcpListener};
use std::time::{Duration, Instant};

use unladen_tests::{Answer, Outbound, RateLimits, Site, Upstream, Wire, free_address, site, wait};

const DOMAIN: &str = "
domain: shop
descriptors:
  - key: generic_key
    value: search
    rate_limit: { unit: month, requests_per_unit: 5 }
  - key: api_key
    rate_limit: { unit: month, requests_per_unit: 2 }
";

/// Far more than a busy machine takes, where it is not the deadline that is tested.
const PATIENT: &str = "deadline = \"1s\"";

fn app() -> Upstream {
    Upstream::forgetful(|peer| while peer.request().is_some() && peer.answer("yes") {})
}

fn outbound(app: &Upstream, service: SocketAddr, rate: &str) -> Outbound {
    let service = format!("service = \"grpc://{service}/shop\"");
    Outbound::of(&format!("http://{}", app.address()), &format!("[[outbound.rate]]\n{service}\n{rate}"))
}

fn asked(outbound: &Outbound, result: &str) -> f64 {
    let line = "unladen_rate_limit_service_requests_total{service=";
    let metrics = outbound.metrics();
    let line = metrics.lines().find(|one| one.starts_with(line) && one.contains(&format!("result=\"{result}\"")));
    line.and_then(|line| line.rsplit(' ').next()?.parse().ok()).unwrap_or_else(|| panic!("{metrics}"))
}

fn get(outbound: &Outbound, key: &str) -> Answer {
    outbound.wire().ask(format!("GET / HTTP/1.1\r\nHost: a\r\nX-Api-Key: {key}\r\n\r\n"))
}

#[test]
fn a_limit_holds_for_all_processes_together_and_each_keeps_its_own_while_the_service_is_away() {
    if !RateLimits::is_here("a_limit_holds_for_all_processes_together_and_each_keeps_its_own_while_the_service_is_away")
    {
        return;
    }
    let (app, mut limits) = (app(), RateLimits::start(DOMAIN));
    let rate = format!("descriptor = [\"generic_key=search\"]\nrate = 0.001\nburst = 3\n{PATIENT}");
    let [one, two] = [(); 2].map(|()| outbound(&app, limits.address(), &rate));
    for _ in 0..3 {
        one.wire().get("/").is(200);
    }
    for _ in 0..2 {
        two.wire().get("/").is(200);
    }
    for outbound in [&one, &two] {
        let refused = outbound.wire().get("/").refuses(429, "rate_limited");
        // The reset is at the end of the month; what is told is a day at most.
        let after: u64 = refused.field("retry-after").unwrap().parse().unwrap();
        assert!((1..=86_400).contains(&after), "{after}");
        assert_eq!(asked(outbound, "over"), 1.0);
    }
    assert_eq!((asked(&one, "within"), asked(&two, "within")), (3.0, 2.0));

    limits.kill();
    for _ in 0..3 {
        one.wire().get("/").is(200);
    }
    for _ in 0..5 {
        one.wire().get("/").refuses(429, "rate_limited");
    }
    // After five failures in a row, nobody waits for it.
    assert!(asked(&one, "failed") + asked(&one, "late") >= 5.0);
    assert_eq!(one.metric("unladen_rate_limit_service_open{"), Some(1.0));

    limits.restart();
    wait::until("it is asked again", || {
        one.wire().get("/");
        one.metric("unladen_rate_limit_service_open{") == Some(0.0)
    });
    assert!(asked(&one, "over") > 1.0, "what was counted is counted still");
    let said = one.stop().stderr;
    let told = said.lines().filter(|line| line.contains("[rate_limit_service]")).count();
    assert_eq!(told, 1, "{said}");
    two.stop();
}

#[test]
fn each_value_of_a_field_has_a_limit_of_its_own() {
    if !RateLimits::is_here("each_value_of_a_field_has_a_limit_of_its_own") {
        return;
    }
    let (app, limits) = (app(), RateLimits::start(DOMAIN));
    let rate = format!("descriptor = [\"api_key=$header:X-Api-Key\"]\nrate = 0.001\nburst = 1\n{PATIENT}");
    let outbound = outbound(&app, limits.address(), &rate);
    for key in ["one", "two"] {
        get(&outbound, key).is(200);
        get(&outbound, key).is(200);
        get(&outbound, key).refuses(429, "rate_limited");
    }
    // Without the field, the process's own bound holds.
    outbound.wire().get("/").is(200);
    outbound.wire().get("/").refuses(429, "rate_limited");
    assert_eq!(asked(&outbound, "within") + asked(&outbound, "over"), 6.0);
    outbound.stop();
}

#[test]
fn a_service_that_is_not_there_costs_its_failures_and_nothing_more() {
    let app = app();
    let outbound =
        outbound(&app, free_address(), "descriptor = [\"api_key=$header:X-Api-Key\"]\nrate = 0.001\nburst = 2");
    for key in ["one", "two", "three"] {
        get(&outbound, key).is(200);
        get(&outbound, key).is(200);
        get(&outbound, key).refuses(429, "rate_limited");
    }
    assert_eq!(asked(&outbound, "within") + asked(&outbound, "over"), 0.0);
    assert!(asked(&outbound, "open") > 0.0);
    let said = outbound.stop().stderr;
    let told: Vec<&str> = said.lines().filter(|line| line.contains("[rate_limit_service]")).collect();
    assert_eq!(told.len(), 1, "{said}");
    assert!(told[0].contains("/shop: no "), "{said}");
}

#[test]
fn a_silent_service_is_waited_for_no_longer_than_its_deadline() {
    let (app, silent) = (app(), TcpListener::bind("127.0.0.1:0").unwrap());
    let service = silent.local_addr().unwrap();
    // It takes connections, as its system does for it, and says nothing.
    let outbound = outbound(&app, service, "descriptor = [\"a=b\"]\nrate = 1000\nburst = 1000");
    let began = Instant::now();
    for _ in 0..200 {
        outbound.wire().get("/").is(200);
    }
    // Waited for each time, it would have taken four seconds of deadlines; it is given up after five.
    let waited = asked(&outbound, "late");
    assert!((5.0..=20.0).contains(&waited), "{waited} in {:?}", began.elapsed());
    assert!(asked(&outbound, "open") >= 180.0);
    assert!(began.elapsed() < Duration::from_secs(60));
    outbound.stop();
}

#[test]
fn what_memory_answers_asks_nobody_unless_it_is_to() {
    let app = site::app(|_| site::page("Cache-Control: max-age=600\r\n", "a page"));
    for (hits, expected) in [(false, 1.0), (true, 4.0)] {
        let site = Site::of(
            &app,
            &format!(
                "[[site.rate]]\nrate = 1000\nhits = {hits}\nservice = \"grpc://{}/shop\"\ndescriptor = [\"remote_address=$client\"]",
                free_address()
            ),
        );
        site.get("/").is(200);
        for _ in 0..3 {
            site.get("/").is_hit(200);
        }
        let metrics = Wire::unix(&site.path("admin.sock")).get("/metrics").is(200).text();
        let lines = metrics.lines().filter(|line| line.starts_with("unladen_rate_limit_service_requests_total{"));
        let asked: f64 = lines.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum();
        assert_eq!(asked, expected, "hits = {hits}\n{metrics}");
        site.stop();
    }
}
