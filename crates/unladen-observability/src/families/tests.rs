use std::collections::BTreeSet;
use std::sync::Arc;

use super::*;
use crate::observability::tests::{observability, record};
use crate::prometheus::{self, Format};
use crate::upstreams::tests::told;
use crate::{CacheResult, End, Reason, RequestAccount, Reuse, Version};
use crate::{Observability, sites};

/// A bit of everything.
pub(crate) fn busy() -> Arc<Observability> {
    let observability = observability(vec![told("search"), told("im\"ages"), told("site")]);
    observability.set_sites(vec![sites::tests::told("site", Some(0))]);
    let (search, images) = (observability.upstream("search"), observability.upstream("im\"ages"));
    let thread = observability.thread(0);
    thread.client_opened(search);
    thread.begin(search);
    thread.observe(&record(), search);
    thread.observe(&RequestAccount { method: b"BREW", status: 418, ..record() }, search);
    thread.observe(&RequestAccount { status: 500, reuse: Reuse::New, attempts: 2, ..record() }, search);
    let local =
        RequestAccount { status: 503, end: End::Local(Reason::BreakerOpen), attempts: 0, connected: None, ..record() };
    thread.observe(&local, search);
    thread.observe(&RequestAccount { status: 0, end: End::ClientGone, ..record() }, search);
    thread.observe(&RequestAccount { end: End::Broken(Reason::UpstreamClosed), ..record() }, images);
    thread.observe(
        &RequestAccount { status: 101, end: End::Upgraded, client_version: Version::Http2, ..record() },
        images,
    );
    let site = observability.upstream("site");
    let unsent = RequestAccount { reuse: Reuse::None, attempts: 0, connected: None, first_byte: None, ..record() };
    thread.observe(&RequestAccount { cache: Some((CacheResult::Hit, "")), ..unsent.clone() }, site);
    thread.observe(&RequestAccount { cache: Some((CacheResult::Miss, "private")), ..unsent.clone() }, site);
    thread.fetched(&RequestAccount { bytes_out: 2_000, reuse: Reuse::New, ..record() }, site);
    thread.observe(&RequestAccount { cache: Some((CacheResult::Pass, "")), target: b"/<i>\x1b", ..record() }, site);
    observability.upstream("gone");
    observability.thread(1).observe(&record(), observability.upstream("gone"));
    observability
}

fn text() -> String {
    prometheus::write(&families(&busy().snapshot()), Format::Text)
}

#[track_caller]
fn has(text: &str, line: &str) {
    assert!(text.lines().any(|other| other == line), "{line}\nis not in\n{text}");
}

#[test]
fn what_is_told_of_requests() {
    let text = text();
    for line in [
        r#"http_server_request_duration_seconds_count{upstream="search",url_scheme="http",http_request_method="GET",http_response_status_code="200"} 1"#,
        r#"http_server_request_duration_seconds_count{upstream="search",url_scheme="http",http_request_method="_OTHER",http_response_status_code="418"} 1"#,
        r#"http_server_request_duration_seconds_count{upstream="search",url_scheme="http",http_request_method="GET",http_response_status_code="500",error_type="500"} 1"#,
        r#"http_server_request_duration_seconds_count{upstream="search",url_scheme="http",http_request_method="GET",http_response_status_code="503",error_type="breaker_open"} 1"#,
        r#"http_server_request_duration_seconds_count{upstream="search",url_scheme="http",http_request_method="GET",error_type="client_gone"} 1"#,
        r#"http_client_request_duration_seconds_count{upstream="im\"ages",server_address="search.example",server_port="9243",http_request_method="GET",http_response_status_code="101"} 1"#,
        r#"http_server_active_requests{upstream="search"} 1"#,
        r#"unladen_client_connections_open{upstream="search"} 1"#,
        r#"unladen_client_connections_opened_total{upstream="search"} 1"#,
        r#"unladen_requests_total{upstream="search",end="local_reply",reason="breaker_open"} 1"#,
        r#"unladen_requests_total{upstream="search",end="answered"} 3"#,
        r#"unladen_requests_by_connection_total{upstream="search",connection="same_thread"} 4"#,
        r#"unladen_requests_by_connection_total{upstream="search",connection="new"} 1"#,
        r#"unladen_handshakes_avoided_total{upstream="search"} 4"#,
        r#"unladen_requests_by_version_total{upstream="im\"ages",network_protocol_version="2"} 1"#,
        r#"unladen_retries_total{upstream="search"} 1"#,
        r#"unladen_response_body_bytes_total{upstream="search"} 2380"#,
        r#"unladen_requests_total{upstream="gone",end="answered"} 1"#,
    ] {
        has(&text, line);
    }
    assert!(!text.contains(r#"http_client_request_duration_seconds_count{upstream="search",server_address="search.example",server_port="9243",http_request_method="GET",http_response_status_code="503""#));
}

#[test]
fn what_is_told_of_upstreams() {
    let text = text();
    for line in [
        r#"http_client_open_connections{upstream="search",server_address="search.example",server_port="9243",http_connection_state="idle"} 5"#,
        r#"http_client_open_connections{upstream="search",server_address="search.example",server_port="9243",http_connection_state="active"} 2"#,
        r#"http_client_active_requests{upstream="search",server_address="search.example",server_port="9243"} 4"#,
        r#"unladen_pending_requests{upstream="search"} 1"#,
        r#"unladen_limit{upstream="search",of="connections"} 1024"#,
        r#"unladen_breaker{upstream="search",state="half_open"} 1"#,
        r#"unladen_breaker{upstream="search",state="open"} 0"#,
        r#"unladen_endpoint_ejected{upstream="search",endpoint="10.0.0.2:9243"} 1"#,
        r#"unladen_endpoint_healthy{upstream="search",endpoint="10.0.0.2:9243"} 1"#,
        r#"unladen_connections_made_total{upstream="search"} 11"#,
        r#"unladen_tls_handshakes_total{upstream="search",result="resumed"} 4"#,
        r#"unladen_connections_closed_total{upstream="search",reason="closed_by_peer"} 0"#,
    ] {
        has(&text, line);
    }
    assert!(!text.contains("unladen_pool_events"), "the pool counts something that has no name here: {text}");
}

#[test]
fn what_is_told_of_sites() {
    let text = text();
    for line in [
        r#"unladen_site_requests_total{site="site",result="hit"} 1"#,
        r#"unladen_site_requests_total{site="site",result="miss",reason="private"} 1"#,
        r#"unladen_site_response_body_bytes_total{site="site",result="hit"} 476"#,
        r#"unladen_site_upstream_duration_seconds_count{site="site",by="fetch",result="whole"} 1"#,
        r#"unladen_site_upstream_duration_seconds_count{site="site",by="pass",result="whole"} 1"#,
        r#"unladen_site_upstream_body_bytes_total{site="site"} 2476"#,
        // Of 0.888 ms.
        r#"unladen_site_upstream_saved_estimate_seconds{site="site"} 0.000888"#,
        r#"unladen_cache_size_bytes{site="site"} 4096"#,
        r#"unladen_cache_limit_bytes{site="site"} 65536"#,
        r#"unladen_cache_resources{site="site"} 3"#,
        r#"unladen_cache_stored_total{site="site"} 9"#,
        r#"unladen_cache_evicted_total{site="site"} 2"#,
        r#"unladen_cache_purged_total{site="site"} 4"#,
        r#"unladen_cache_fetches_in_flight{site="site"} 1"#,
        r#"unladen_cache_fetch_body_bytes{site="site"} 512"#,
        r#"unladen_validator_asked_total{site="site",validator="/{ref}"} 7"#,
        r#"unladen_validator_collapsed_total{site="site",validator="/{ref} (2)"} 5"#,
        r#"unladen_validator_failed_total{site="site",validator="/{ref}",reason="timeout"} 1"#,
        r#"unladen_validator_failed_total{site="site",validator="/{ref}",reason="error"} 2"#,
        r#"unladen_validator_remembered_total{site="site",validator="/{ref}"} 8"#,
        r#"unladen_validator_bypassed_total{site="site",validator="/{ref}"} 6"#,
        r#"unladen_validator_listening{site="site",validator="/{ref}"} 1"#,
        r#"unladen_validator_from_others_total{site="site",validator="/{ref}"} 9"#,
        r#"unladen_validator_share_failed_total{site="site",validator="/{ref}"} 2"#,
        r#"unladen_validator_sharing{site="site",validator="/{ref}"} 0"#,
        // What was fetched for several is a request to the upstream, and not one of a client.
        r#"unladen_requests_total{upstream="site",end="answered"} 3"#,
        r#"unladen_attempts_total{upstream="site"} 2"#,
        r#"unladen_requests_by_connection_total{upstream="site",connection="new"} 1"#,
        r#"unladen_requests_by_connection_total{upstream="site",connection="none"} 2"#,
        r#"unladen_response_body_bytes_total{upstream="site"} 1428"#,
        r#"http_client_request_duration_seconds_count{upstream="site",server_address="search.example",server_port="9243",http_request_method="GET",http_response_status_code="200"} 2"#,
        r#"http_server_request_duration_seconds_count{upstream="site",url_scheme="https",http_request_method="GET",http_response_status_code="200"} 3"#,
    ] {
        has(&text, line);
    }
    assert!(!text.contains(r#"site="search""#), "{text}");
}

/// Prometheus refuses all of a scrape in which a sample is there twice.
#[test]
fn no_sample_is_there_twice() {
    let upstream = told("search");
    let again = upstream.state.lock().unwrap().endpoints[0].clone();
    upstream.state.lock().unwrap().endpoints.extend([again.clone(), again]);
    let observability = observability(vec![upstream]);
    for status in 100..1000 {
        observability.thread(0).observe(&RequestAccount { status, ..record() }, observability.upstream("search"));
    }
    let text = prometheus::write(&families(&observability.snapshot()), Format::OpenMetrics);
    let mut seen = BTreeSet::new();
    for line in text.lines() {
        let (sample, _) = line.rsplit_once(' ').unwrap();
        assert!(line.starts_with("# HELP") || seen.insert(sample), "{line}");
    }
    has(&text, r#"unladen_endpoint_healthy{upstream="search",endpoint="10.0.0.1:9243 (3)"} 1"#);
    assert!(text.contains(r#"http_server_request_duration_seconds_count{upstream="search",url_scheme="http",otel_metric_overflow="true"} "#));
}

#[test]
fn each_family_is_there_once_and_has_its_page() {
    let families = families(&busy().snapshot());
    let names: BTreeSet<_> = families.iter().map(|family| family.name).collect();
    assert_eq!(names.len(), families.len());
    let page = include_str!("../../../../docs/reference/observability.md");
    let text = prometheus::write(&families, Format::Text);
    for line in text.lines().filter_map(|line| line.strip_prefix("# TYPE ")) {
        let name = line.split(' ').next().unwrap();
        assert!(page.contains(&format!("`{name}`")), "docs/reference/observability.md does not tell of {name}");
    }
}

/// For `promtool check metrics` by hand, and for those who want to see it: `cargo test -- --ignored --nocapture
/// print_metrics`.
#[test]
#[ignore = "prints"]
fn print_metrics() {
    eprint!("{}", text());
}

/// A metric that is not listed would be a gauge without a word, and one that nobody makes would be a promise.
#[test]
fn metrics_are_those_that_are_listed() {
    let sources = [
        include_str!("../families.rs"),
        include_str!("requests.rs"),
        include_str!("site.rs"),
        include_str!("upstream.rs"),
    ];
    let quoted = sources.iter().flat_map(|source| source.split('"').skip(1).step_by(2));
    let attributes = ["http.connection.state", "http.request.method", "http.response.status_code"];
    let is_metric = |text: &&str| {
        ["unladen.", "http.", "process."].iter().any(|begin| text.starts_with(begin)) && !attributes.contains(text)
    };
    let made: BTreeSet<&str> = quoted.filter(is_metric).collect();
    let listed: Vec<&str> = family::METRICS.iter().map(|metric| metric.name).collect();
    assert_eq!(listed.iter().copied().collect::<BTreeSet<_>>(), made);
    assert_eq!(listed.len(), made.len(), "one is listed twice");
    assert_eq!(listed.len(), include_str!("metrics.txt").split("\n\n").skip(1).count());
}
