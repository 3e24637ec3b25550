//! What `unladen load` sends, and over which connections.

use std::sync::LazyLock;

use unladen_tests::{Call, Document, Reply, Server, Subject};

static FAULTS: LazyLock<Subject> = LazyLock::new(|| Subject::up("faults"));

fn requests_over(kind: &str, document: &Document) -> Option<u64> {
    document[kind]["requests"].as_u64()
}

/// Whether so many draws of this probability are within five standard deviations.
#[track_caller]
fn assert_share(count: usize, of: usize, share: f64) {
    let (expected, sd) = (of as f64 * share, (of as f64 * share * (1.0 - share)).sqrt());
    assert!((count as f64 - expected).abs() < 5.0 * sd, "{count} of {of}, not {expected} ± {}", 5.0 * sd);
}

#[test]
fn connections_are_kept_and_told_apart_from_new_ones() {
    let server = Server::good();
    let document = Call::load(["-n", "50", &server.url("/")]).document();
    // The connection of the request that is tried first is used on.
    assert_eq!((document.number("connections"), server.accepted()), (0.0, 1), "{document}");
    assert_eq!(requests_over("reused_connections", &document), Some(50));
    assert!(document["new_connections"].is_null(), "{document}");
    assert_eq!(document["keep_alive"], true);

    let document = Call::load(["--no-keepalive", "-n", "50", &server.url("/")]).document();
    assert_eq!((document.number("connections"), server.accepted()), (50.0, 52), "{document}");
    assert_eq!(requests_over("new_connections", &document), Some(50));
    assert!(document["reused_connections"].is_null(), "{document}");
    assert_eq!(document["keep_alive"], false);
    assert_eq!(server.received().last().unwrap().header("connection"), Some("close"));
}

#[test]
fn a_server_that_closes_after_some_requests_costs_connections_and_no_errors() {
    let server =
        Server::replying(|asked| if asked.on_connection == 4 { Reply::good().and_close() } else { Reply::good() });
    let document = Call::load(["-n", "50", &server.url("/")]).document();
    // One was tried: 51 requests, five a connection.
    assert_eq!(server.accepted(), 11);
    assert_eq!(document.number("requests"), 50.0, "{document}");
    assert_eq!(document["errors"], serde_json::json!({}), "{document}");
    assert_eq!(requests_over("new_connections", &document), Some(10), "{document}");
    assert_eq!(requests_over("reused_connections", &document), Some(40), "{document}");
}

#[test]
fn http_2_over_tls_carries_all_at_once_over_one_connection() {
    let call = Call::load(["--cacert", FAULTS.get("CA_FILE"), "-c", "20", "-n", "60"]);
    let document = call.args([FAULTS.at("HTTPS_URL", "/slow")]).document();
    assert_eq!((&document["http"], document.number("requests")), (&"HTTP/2.0".into(), 60.0), "{document}");
    assert_eq!(document.number("connections"), 0.0, "the tried one's goes on: {document}");
    assert_eq!(requests_over("reused_connections", &document), Some(60));
    // One after the other they would take 6 s.
    assert!(document.number("elapsed_ns") < 5e9, "{document}");
}

#[test]
fn http_2_without_tls_by_prior_knowledge() {
    let document = Call::load(["--http", "2", "-c", "4", "-n", "100", &FAULTS.at("H2C_URL", "/ok")]).document();
    assert_eq!((&document["http"], document.number("requests")), (&"HTTP/2.0".into(), 100.0), "{document}");
}

#[test]
fn http_1_over_tls_if_asked_for() {
    let call = Call::load(["--cacert", FAULTS.get("CA_FILE"), "--http", "1.1", "--no-keepalive", "-n", "20"]);
    let document = call.args([FAULTS.at("HTTPS_URL", "/ok")]).document();
    assert_eq!((&document["http"], document.number("connections")), (&"HTTP/1.1".into(), 20.0), "{document}");
}

#[test]
fn a_unix_socket_instead_of_the_host() {
    let call = Call::load(["--unix-socket", FAULTS.get("UNIX_SOCKET"), "--rate", "200", "-n", "100"]);
    let document = call.args(["http://wiki.example/ok"]).document();
    assert_eq!(document["target"], "http://wiki.example/ok");
    assert_eq!((document.number("requests"), document.number("body_bytes")), (100.0, 47_600.0), "{document}");
}

#[test]
fn method_headers_cookies_and_body_arrive_with_each_request() {
    let server = Server::good();
    let args =
        ["-d", "title=Main", "-H", "X-Trace: a: b", "-b", "session=1", "-b", "theme=dark", "-n", "20", "--rate", "500"];
    Call::load(args).args([server.url("/api.php?action=edit")]).document();
    let received = server.received();
    assert_eq!(received.len(), 21);
    assert!(received.iter().all(|request| request == &received[0]), "all alike");
    assert_eq!(received[0].line, "POST /api.php?action=edit HTTP/1.1");
    assert_eq!(received[0].body, b"title=Main");
    assert_eq!(received[0].header("x-trace"), Some("a: b"));
    assert_eq!(received[0].header("cookie"), Some("session=1; theme=dark"));

    let server = Server::good();
    Call::load(["-X", "PURGE", "-n", "3", &server.url("/page")]).document();
    assert!(server.received().iter().all(|request| request.line == "PURGE /page HTTP/1.1"));
}

#[test]
fn a_list_of_urls_is_sent_by_weight() {
    let server = Server::good();
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("pages.txt");
    let [often, seldom, posted] = ["/often", "/seldom", "/posted"].map(|path| server.url(path));
    std::fs::write(&list, format!("# a wiki\n7.5 {often} the main page\n{seldom}\n1.5 POST {posted} an edit\n"))
        .unwrap();
    let document = Call::load(["-c", "3", "-n", "2000", "--seed", "1", "--urls"]).args([&list]).document();
    for (path, share) in [("/often", 0.75), ("/seldom", 0.1), ("/posted", 0.15)] {
        // Each is tried once.
        assert_share(server.asked_for(path) - 1, 2000, share);
    }
    assert!(
        server.received().iter().all(|request| request.line.starts_with("POST") == request.line.contains("/posted"))
    );
    // The most frequent first.
    let told: Vec<_> = document.list("by_request").iter().map(|part| part["name"].as_str().unwrap()).collect();
    assert_eq!(told, ["the main page", "an edit", &format!("GET {seldom}")], "{document}");
    let sum: u64 = document.list("by_request").iter().map(|part| part["requests"].as_u64().unwrap()).sum();
    assert_eq!(sum, 2000);
    assert_eq!(document["by_request"][0]["requests"].as_u64().unwrap() as usize, server.asked_for("/often") - 1);
    assert_eq!(document["target"], format!("3 URLs of {}", list.display()));
}

#[test]
fn several_urls_on_the_command_line_are_sent_as_often() {
    let server = Server::good();
    Call::load(["-n", "1000", "--seed", "5", &server.url("/a"), &server.url("/b")]).document();
    assert_share(server.asked_for("/a") - 1, 1000, 0.5);
}

#[test]
fn an_access_log_is_sent_as_often_as_it_says() {
    let server = Server::good();
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("access.log");
    let line = |request: &str, status: u16| {
        format!("203.0.113.7 - - [10/Oct/2026:13:55:36 +0000] \"{request} HTTP/1.1\" {status} 512 \"-\" \"curl/8\"\n")
    };
    let wanted = ["/a", "/b?x=%22", "/a", "/a"].map(|path| line(&format!("GET {path}"), 200)).concat();
    let others = [line("POST /a", 200), line("GET /gone", 404), line("GET //evil.example/x", 200)].concat();
    std::fs::write(&log, wanted + &others).unwrap();
    let call = Call::load(["-n", "1000", "--seed", "3", "--access-log"]).args([&log]).args([server.url("")]);
    let document = call.document();
    let told = &document["access_log"];
    assert_eq!((told["lines"].as_u64(), told["sent"].as_u64()), (Some(7), Some(5)), "{document}");
    let reasons = told["passed_over"].as_array().unwrap().iter();
    assert_eq!(reasons.map(|part| part["reason"].as_str().unwrap()).collect::<Vec<_>>(), ["method", "failed"]);
    assert_share(server.asked_for("/a") - 1, 1000, 0.6);
    let asked: usize = ["/a", "/b?x=%22", "//evil.example/x"].map(|path| server.asked_for(path)).iter().sum();
    assert_eq!(asked, 1003, "{document}");
    assert_eq!(document["target"], format!("3 URLs of {}", log.display()));
}

/// Sorting the requests by their shares took the square of their number: minutes for a log of a busy day.
#[test]
fn a_log_of_very_many_pages_is_no_trouble() {
    let server = Server::good();
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("access.log");
    let lines: String = (0..100_000).map(|page| format!("h - - [t] \"GET /{page} HTTP/1.1\" 200 5\n")).collect();
    std::fs::write(&log, lines).unwrap();
    let document = Call::load(["-n", "100", "--access-log"]).args([&log]).args([server.url("/")]).document();
    assert_eq!(document.number("requests"), 100.0);
    assert_eq!(document.list("by_request").len(), 20);
    assert_eq!(server.received().len(), 120, "twenty are tried");
}
