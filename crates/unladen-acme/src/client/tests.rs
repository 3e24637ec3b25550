use tokio::net::TcpListener;

use super::*;
use crate::error::AcmeError;
use crate::tests::fake::{Fake, answer};
use crate::trial::try_directory;

const DIRECTORY: &str = r#"{"newNonce":"https://x/n","newAccount":"https://x/a","newOrder":"https://x/o"}"#;

#[tokio::test]
async fn a_directory_is_one() {
    let fake = Fake::start(&answer("200 OK", "", DIRECTORY)).await;
    try_directory(&fake.authority).await.unwrap();
    let fake = Fake::start(&answer("200 OK", "", "<html>")).await;
    let error = try_directory(&fake.authority).await.unwrap_err().to_string();
    assert!(error.contains("/dir is not an ACME directory"), "{error}");
}

#[tokio::test]
async fn what_an_authority_in_trouble_says_is_told_with_its_time() {
    let html = answer("503 Service Unavailable", "retry-after: 120\r\n", "<html>down</html>");
    let error = try_directory(&Fake::start(&html).await.authority).await.unwrap_err();
    assert!(error.to_string().contains("/dir answers 503 Service Unavailable"), "{error}");
    let wait = error.retry_after().unwrap() - now();
    assert!((119..=120).contains(&wait), "{wait}");

    let problem = r#"{"type":"urn:ietf:params:acme:error:rateLimited","detail":"too many requests"}"#;
    let fields = "content-type: application/problem+json\r\nretry-after: Wed, 21 Oct 2099 07:28:00 GMT\r\n";
    let limited = answer("429 Too Many Requests", fields, problem);
    let error = try_directory(&Fake::start(&limited).await.authority).await.unwrap_err();
    assert!(error.to_string().ends_with("429 Too Many Requests: too many requests (rateLimited)"), "{error}");
    assert_eq!(error.retry_after(), Some(4_096_250_880));
    assert_eq!(error.as_str(), "authority_unreachable");
}

#[tokio::test]
async fn an_answer_without_end_is_not_read_to_it() {
    let endless = format!("HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\n{}", " ".repeat(LONGEST + 1));
    let error = try_directory(&Fake::start(&endless).await.authority).await.unwrap_err();
    assert!(error.to_string().contains("longer than"), "{error}");
}

#[tokio::test]
async fn whom_nobody_vouches_for_is_not_talked_to() {
    let fake = Fake::start(&answer("200 OK", "", DIRECTORY)).await;
    let other = Fake::start(&answer("200 OK", "", DIRECTORY)).await;
    let authority = Authority { ca: other.authority.ca.clone(), ..fake.authority.clone() };
    let error = try_directory(&authority).await.unwrap_err().to_string();
    assert!(error.contains("set `ca` to the file of its root certificate"), "{error}");
}

#[tokio::test]
async fn nobody_there_is_told() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let fake = Fake::start("").await;
    let authority = Authority { directory: format!("https://localhost:{free}/dir"), ..fake.authority.clone() };
    let error = try_directory(&authority).await.unwrap_err().to_string();
    assert!(error.contains("localhost") && error.contains("refused"), "{error}");
}

#[tokio::test]
async fn a_connection_is_kept_and_one_that_was_closed_is_replaced() {
    for (fields, expected) in [("", 1), ("connection: close\r\n", 3)] {
        let fake = Fake::start(&answer("200 OK", fields, DIRECTORY)).await;
        let client = Client::new(&fake.authority).unwrap();
        for _ in 0..3 {
            let request = Request::get(&fake.authority.directory).body(BodyWrapper::default()).unwrap();
            client.request(request).await.map(drop).unwrap();
        }
        assert_eq!(fake.connections.load(Ordering::Relaxed), expected);
    }
}

#[tokio::test]
async fn a_url_of_the_authority_that_is_not_https_is_not_followed() {
    let fake = Fake::start("").await;
    let client = Client::new(&fake.authority).unwrap();
    let request = Request::get("http://127.0.0.1:1/").body(BodyWrapper::default()).unwrap();
    let error = client.request(request).await.map(drop).map_err(AcmeError::of("asking", None)).unwrap_err();
    assert!(error.to_string().contains("is not an https:// URL"), "{error}");
}

#[test]
fn what_was_said_is_one_line_of_bounded_length() {
    let problem: Problem = serde_json::from_value(serde_json::json!({
        "type": "urn:ietf:params:acme:error:connection",
        "detail": "192.0.2.1: Fetching http://a.org/: Connection refused\n\u{1b}[2J",
        "subproblems": [{"identifier": {"type": "dns", "value": "a.org"}, "detail": "no"}],
    }))
    .unwrap();
    assert_eq!(text(&problem), "192.0.2.1: Fetching http://a.org/: Connection refused  [2J (connection); a.org: no");
    assert_eq!(kind(&problem), "connection");
    assert_eq!(clean(&"ä".repeat(10_000)).chars().count(), LONGEST_PROBLEM + 1);
}
