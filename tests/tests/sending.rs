//! How and what requests are sent.

use std::sync::LazyLock;

use unladen_tests::{Call, Document, Server, Subject};

static FAULTS: LazyLock<Subject> = LazyLock::new(|| Subject::up("faults"));

fn connections_per_request(document: &Document) -> f64 {
    let url = &document["urls"][0];
    url["connections"].as_f64().unwrap() / url["requests"].as_f64().unwrap()
}

#[test]
fn http_2_by_prior_knowledge() {
    let document = Call::quick(["--http", "2", "-c", "4", &FAULTS.at("H2C_URL", "/ok")]).document();
    assert_eq!(document["urls"][0]["http"], "HTTP/2.0");
    assert_eq!(document["concurrency"], 4);
}

#[test]
fn a_unix_socket_instead_of_the_host() {
    let document = Call::quick(["--unix-socket", FAULTS.get("UNIX_SOCKET"), "http://wiki.example/ok"]).document();
    assert_eq!(document["target"], "http://wiki.example/ok");
    assert_eq!(document["urls"][0]["response_bytes"], 476);
}

#[test]
fn another_address_instead_of_the_host() {
    let server = Server::good();
    let address = server.url("");
    let document = Call::quick(["--connect-to", &address["http://".len()..], "http://wiki.example/page"]).document();
    assert_eq!(document["target"], "http://wiki.example/page");
    assert_eq!(server.received()[0].header("host"), Some("wiki.example"));
}

#[test]
fn connections_are_kept_or_opened_for_each_request() {
    let kept = Call::quick([FAULTS.url()]).document();
    assert_eq!(kept["keep_alive"], true);
    assert!(connections_per_request(&kept) < 0.01, "{kept}");

    let each = Call::quick(["--no-keepalive", FAULTS.url()]).document();
    assert_eq!(each["keep_alive"], false);
    assert_eq!(connections_per_request(&each), 1.0, "{each}");
    let opened = each.weight("machine", "tcp_opened");
    // Others on the machine open connections too, which widens the interval.
    assert!(opened.low < 1.05 && opened.high > 0.95, "{opened:?}\n{each}");
}

#[test]
fn method_headers_cookies_and_body_arrive() {
    let server = Server::good();
    let folder = tempfile::tempdir().unwrap();
    let body = folder.path().join("body");
    std::fs::write(&body, b"title=M\xc3\xbcnchen&n=1").unwrap();
    let data = format!("@{}", body.display());
    let call = Call::quick(["--data", &data, "-H", "X-Trace: a: b", "-H", "Accept-Language: de"]);
    call.args(["-b", "session=1", "-b", "theme=dark", &server.url("/api.php?action=edit")]).document();

    // But for the few that bear a mark, by which those who pass them on are found.
    let mut received = server.received();
    received.retain(|request| !request.has_mark());
    assert!(received.iter().all(|request| request == &received[0]), "all alike");
    let request = &received[0];
    assert_eq!(request.line, "POST /api.php?action=edit HTTP/1.1");
    assert_eq!(request.body, b"title=M\xc3\xbcnchen&n=1");
    assert_eq!(request.header("x-trace"), Some("a: b"));
    assert_eq!(request.header("accept-language"), Some("de"));
    assert_eq!(request.header("cookie"), Some("session=1; theme=dark"));
}

#[test]
fn another_method_without_a_body() {
    let server = Server::good();
    Call::quick(["-X", "PURGE", &server.url("/page")]).document();
    assert_eq!(server.received()[0].line, "PURGE /page HTTP/1.1");
}

#[test]
fn a_rate_is_kept_below_what_the_server_could_do() {
    let document = Call::quick(["--rate", "100", FAULTS.url()]).document();
    assert_eq!(document.number("rate"), 100.0);
    // Back to back it would be thousands; half of the four seconds, less the settle gaps, are on phases.
    assert!((50.0..=200.0).contains(&document.number("requests")), "{document}");
}

#[test]
fn several_urls_on_the_command_line_have_weights_of_their_own() {
    let (small, big) = (FAULTS.url(), FAULTS.at("HTTP_URL", "/big"));
    let document = Call::lasting("6s", ["--group-by", "pid", small, &big]).document();
    assert_eq!(document["target"], format!("{small} {big}"));
    assert_eq!(document["urls"][0]["response_bytes"], 476);
    assert_eq!(document["urls"][1]["response_bytes"], 1_048_576);
    // Its own worker: other tests have servers of that name, with work of theirs.
    let master = FAULTS.pid("nginx");
    let children = std::fs::read_to_string(format!("/proc/{master}/task/{master}/children")).unwrap();
    let worker = children.trim().parse().unwrap_or_else(|_| panic!("workers: {children:?}"));
    let cpu = |url| document.weight_of_process(url, worker, "cpu").per_request;
    assert!(cpu(&big) > cpu(small), "{document}");
}
