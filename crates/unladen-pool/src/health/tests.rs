use std::net::SocketAddr;
use std::sync::Mutex;
use std::time::Duration;

use http::{StatusCode, Version};
use proptest::prelude::*;
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;

use super::*;
use crate::endpoint::Address;
use crate::settings::{HealthSettings, Protocol, TlsSettings};
use crate::tests::testing::{Authority, Seen, Site, serve_plain, serve_unix};
use crate::tls::Connector;

fn check() -> Check {
    let settings = HealthSettings {
        path: "/health?deep=1".into(),
        every: Duration::from_millis(20),
        timeout: Duration::from_secs(10),
        healthy: 2,
        unhealthy: 3,
    };
    Check { settings, connector: None, http: Protocol::Auto, authority: "upstream.example:9200".into() }
}

fn endpoint(address: SocketAddr) -> Arc<Endpoint> {
    Arc::new(Endpoint::new(Address::Tcp(vec![address]), 0, 1))
}

/// The only request seen: version, URI, host.
fn only(seen: &Seen) -> (Version, String, Option<String>) {
    let requests = seen.requests.lock().unwrap();
    let [request] = requests.as_slice() else { panic!("{requests:?}") };
    assert!(request.headers()["user-agent"].to_str().unwrap().starts_with("unladen-health/"));
    let host = request.headers().get("host").map(|host| host.to_str().unwrap().to_owned());
    (request.version(), request.uri().to_string(), host)
}

#[tokio::test]
async fn it_asks_over_plain_http_1() {
    let (address, seen) = serve_plain(false).await;
    check().ask(&endpoint(address)).await.unwrap();
    let host = Some("upstream.example:9200".to_owned());
    assert_eq!(only(&seen), (Version::HTTP_11, "/health?deep=1".to_owned(), host));
}

#[tokio::test]
async fn it_asks_over_plain_http_2_where_that_alone_is_spoken() {
    let (address, seen) = serve_plain(true).await;
    Check { http: Protocol::Http2, ..check() }.ask(&endpoint(address)).await.unwrap();
    let uri = "http://upstream.example:9200/health?deep=1".to_owned();
    assert_eq!(only(&seen), (Version::HTTP_2, uri, None));
}

#[tokio::test]
async fn it_asks_over_tls_what_was_agreed_on() {
    let authority = Authority::new();
    let settings = TlsSettings { ca: Some(authority.path().to_owned()), ..TlsSettings::default() };
    let connector = Some(Connector::new(&settings, Protocol::Auto).unwrap());
    for (alpn, version) in [(&["h2"][..], Version::HTTP_2), (&["http/1.1"], Version::HTTP_11), (&[], Version::HTTP_11)]
    {
        let (address, seen) = Site { alpn, ..authority.site() }.serve().await;
        Check { connector: connector.clone(), ..check() }.ask(&endpoint(address)).await.unwrap();
        assert_eq!(only(&seen).0, version);
    }
    let (address, _) = Authority::named("Another").site().serve().await;
    let said = Check { connector, ..check() }.ask(&endpoint(address)).await.unwrap_err();
    assert!(matches!(said, Unhealthy::Tls(_)), "{said}");
}

#[tokio::test]
async fn it_asks_over_a_unix_socket() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let seen = serve_unix(&path);
    check().ask(&Endpoint::new(Address::Unix(path), 0, 1)).await.unwrap();
    assert_eq!(only(&seen).0, Version::HTTP_11);
}

#[tokio::test]
async fn only_a_success_in_time_is_well() {
    let (address, seen) = serve_plain(false).await;
    for status in [302, 404, 500, 503] {
        *seen.status.lock().unwrap() = Some(StatusCode::from_u16(status).unwrap());
        let said = check().ask(&endpoint(address)).await.unwrap_err().to_string();
        assert!(said.contains(&status.to_string()), "{said}");
    }
    *seen.status.lock().unwrap() = Some(StatusCode::NO_CONTENT);
    check().ask(&endpoint(address)).await.unwrap();

    let refused = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert!(matches!(check().ask(&endpoint(refused)).await, Err(Unhealthy::Connect(_))));

    let (address, _) = serve_plain(true).await;
    assert!(matches!(check().ask(&endpoint(address)).await, Err(Unhealthy::Http(_))), "what is no HTTP/1");

    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut hasty = check();
    hasty.settings.timeout = Duration::from_millis(50);
    let asked = hasty.ask(&endpoint(silent.local_addr().unwrap())).await;
    assert!(matches!(asked, Err(Unhealthy::Timeout { .. })));
    let (mut stream, _) = silent.accept().await.unwrap();
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).await.unwrap();
    assert!(rest.starts_with(b"GET /health?deep=1 HTTP/1.1\r\n"), "and the connection is closed");
}

#[tokio::test]
async fn it_goes_down_and_up_as_answers_go_and_ends_with_its_endpoint() {
    let (address, seen) = serve_plain(false).await;
    let endpoint = endpoint(address);
    let changes = Arc::new(Mutex::new(Vec::new()));
    let told = changes.clone();
    let on_change = move |endpoint: &Endpoint, change: Result<(), &Unhealthy>| {
        assert_eq!(endpoint.healthy.load(Ordering::Relaxed), change.is_ok());
        told.lock().unwrap().push(change.map_err(ToString::to_string));
    };
    let failures = Arc::new(Mutex::new(0));
    let failed = failures.clone();
    let on_failure = move |_: &Endpoint, _: &Unhealthy| *failed.lock().unwrap() += 1;
    let running = tokio::spawn(check().run(endpoint.clone(), on_change, on_failure));
    let until = async |healthy: bool| {
        while endpoint.healthy.load(Ordering::Relaxed) != healthy {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let set = |status| *seen.status.lock().unwrap() = Some(status);
    let asked = || seen.requests.lock().unwrap().len();

    set(StatusCode::INTERNAL_SERVER_ERROR);
    tokio::time::timeout(Duration::from_secs(20), until(false)).await.unwrap();
    assert!(asked() >= 3, "three in a row");
    let before = asked();
    set(StatusCode::OK);
    tokio::time::timeout(Duration::from_secs(20), until(true)).await.unwrap();
    assert!(asked() >= before + 2, "two in a row");
    let down = Err("it answered 500 Internal Server Error".to_owned());
    assert_eq!(*changes.lock().unwrap(), [down, Ok(())]);

    drop(endpoint);
    tokio::time::timeout(Duration::from_secs(20), running).await.unwrap().unwrap();
}

#[test]
fn intervals_are_jittered_by_a_tenth() {
    let every = Duration::from_secs(10);
    let all: Vec<_> = (0..1_000).map(|_| jittered(every)).collect();
    assert!(all.iter().all(|wait| (9_000..=11_000).contains(&wait.as_millis())));
    assert!(all.iter().any(|wait| *wait < every) && all.iter().any(|wait| *wait > every));
}

fn settings(healthy: u32, unhealthy: u32) -> HealthSettings {
    HealthSettings { path: "/".into(), every: Duration::ZERO, timeout: Duration::ZERO, healthy, unhealthy }
}

#[test]
fn only_answers_in_a_row_change_it() {
    let mut count = Count::new(&settings(2, 3), true);
    let changes = [false, false, true, false, false, false, false, true, false, true, true].map(|ok| count.take(ok));
    let mut expected = [None; 11];
    (expected[5], expected[10]) = (Some(false), Some(true));
    assert_eq!(changes, expected);
}

proptest! {
    #[test]
    fn it_changes_after_exactly_so_many_against_it(
        to_healthy in 0_u32..5,
        to_unhealthy in 0_u32..5,
        mut healthy: bool,
        answers in prop::collection::vec(any::<bool>(), 0..200),
    ) {
        let mut count = Count::new(&settings(to_healthy, to_unhealthy), healthy);
        let mut since = 0;
        for (index, answer) in answers.iter().enumerate() {
            let needed = if healthy { to_unhealthy } else { to_healthy }.max(1) as usize;
            let row = answers[since..=index].iter().rev().take_while(|answer| **answer != healthy).count();
            let expected = (row == needed).then_some(!healthy);
            prop_assert_eq!(count.take(*answer), expected);
            if expected.is_some() {
                healthy = !healthy;
                since = index + 1;
            }
        }
    }
}
