use unladen_pool::{EndpointAddress, Origin, UpstreamSettings};
use unladen_serve_config::{ClientSettings, ListenAddress};

use super::*;

mod framing;

pub(crate) fn settings() -> ProxySettings {
    let at = EndpointAddress::Tcp("search.example".to_owned(), 9243);
    let origin = Origin { at, tls: true, weight: 1, authority: "search.example:9243".to_owned(), discovery: None };
    ProxySettings {
        listen: vec![ListenAddress::Tcp(([127, 0, 0, 1], 6102).into())],
        socket_mode: 0o660,
        upstream: UpstreamSettings::new("search", vec![origin]),
        host: HostRule::Upstream,
        forwarded: Forwarded::Pass,
        via: false,
        request_id: false,
        http2: true,
        client: ClientSettings::default(),
        rates: Vec::new(),
        buffer: unladen_serve_config::BufferSettings::default(),
    }
}

fn request(head: &str) -> Request {
    let mut request = Request::default();
    let text = head.replace('\n', "\r\n") + "\r\n\r\n";
    assert_eq!(request.parse(text.as_bytes(), &Default::default()), Ok(Some(text.len())));
    request
}

fn additions<'a>(settings: &'a ProxySettings, trace: Option<&'a Trace>) -> Additions<'a> {
    Additions {
        waited: None,
        settings,
        authority: "search.example:9243",
        tls: true,
        client: Some([10, 0, 0, 7].into()),
        request_id: None,
        trace,
        upgrade: false,
    }
}

fn sent(request: &Request, settings: &ProxySettings, trace: Option<&Trace>) -> String {
    let mut out = Vec::new();
    request_to_h1(&mut out, request, &additions(settings, trace));
    let h1 = String::from_utf8(out).unwrap();
    // By HTTP/2 the same fields go on, but for the framing.
    let h2 = request_to_h2(request, &additions(settings, trace)).unwrap();
    for (name, value) in h2.headers() {
        let line = format!("{name}: {}\r\n", value.to_str().unwrap());
        assert!(h1.to_ascii_lowercase().contains(&line.to_ascii_lowercase()), "{line} is not in {h1}");
    }
    h1.replace("\r\n", "\n")
}

#[test]
fn what_belongs_to_one_connection_stays_there() {
    let given = request(
        "GET /a?b HTTP/1.1\nHost: 127.0.0.1:6102\nConnection: close, X-Own\nX-Own: 1\nKeep-Alive: timeout=5\nProxy-Connection: x\nTE: gzip\nX-Kept: 2",
    );
    assert_eq!(sent(&given, &settings(), None), "GET /a?b HTTP/1.1\nhost: search.example:9243\nX-Kept: 2\n\n");
}

#[test]
fn the_host_is_the_upstreams_or_the_clients_or_the_one_that_is_set() {
    let given = request("GET / HTTP/1.1\nHost: here:6102");
    let with = |host| sent(&given, &ProxySettings { host, ..settings() }, None);
    assert!(with(HostRule::Upstream).contains("\nhost: search.example:9243\n"));
    assert!(with(HostRule::Keep).contains("\nhost: here:6102\n"));
    assert!(with(HostRule::Fixed("set.example".to_owned())).contains("\nhost: set.example\n"));
}

#[test]
fn a_trace_that_begins_here_has_no_state_of_another() {
    let head = "GET / HTTP/1.1\nHost: a\nTraceparent: 00-nonsense\nTracestate: vendor=1";
    let mut trace = Trace { trace_id: [1; 16], parent_id: None, span_id: [2; 8], sampled: true };
    let begun = sent(&request(head), &settings(), Some(&trace));
    assert!(!begun.contains("vendor") && !begun.contains("nonsense"), "{begun}");
    assert!(begun.contains("\ntraceparent: 00-01010101010101010101010101010101-0202020202020202-01\n"), "{begun}");
    trace.parent_id = Some([3; 8]);
    assert!(sent(&request(head), &settings(), Some(&trace)).contains("\nTracestate: vendor=1\n"));
    assert!(sent(&request(head), &settings(), None).contains("\nTraceparent: 00-nonsense\nTracestate: vendor=1\n"));
}

#[test]
fn who_called_is_added_to_who_called_before() {
    let given = request("GET / HTTP/1.1\nHost: app.example\nX-Forwarded-For: 192.0.2.1\nForwarded: for=192.0.2.1");
    let with = |forwarded| sent(&given, &ProxySettings { forwarded, ..settings() }, None);
    assert!(with(Forwarded::Pass).contains("\nX-Forwarded-For: 192.0.2.1\nForwarded: for=192.0.2.1\n"));
    assert!(!with(Forwarded::Strip).contains("192.0.2.1"));
    let added = with(Forwarded::XForwarded);
    assert!(
        added.contains(
            "\nx-forwarded-for: 192.0.2.1, 10.0.0.7\nx-forwarded-host: app.example\nx-forwarded-proto: http\n"
        ),
        "{added}"
    );
    let added = with(Forwarded::Forwarded);
    assert!(added.contains("\nforwarded: for=192.0.2.1, for=10.0.0.7;proto=http;host=\"app.example\"\n"), "{added}");
    // A site says by which scheme it was asked, and an application of whoever asks it.
    for (scheme, told) in [("https", "https"), ("http", "http"), ("https;host=evil", "http"), ("HTTPS", "http")] {
        let given = request(&format!("GET / HTTP/1.1\nHost: app.example\nX-Forwarded-Proto: {scheme}"));
        let added = sent(&given, &ProxySettings { forwarded: Forwarded::Forwarded, ..settings() }, None);
        assert!(added.contains(&format!("\nforwarded: for=10.0.0.7;proto={told};host=")), "{added}");
    }
}

fn response(head: &str, to: &[u8]) -> Response {
    let mut response = Response::default();
    let text = head.replace('\n', "\r\n") + "\r\n\r\n";
    assert_eq!(response.parse(text.as_bytes(), to, &Default::default()), Ok(Some(text.len())));
    response
}

/// The framing, the fields that tell of it, and whether the connection is kept.
fn framed(head: &str, minor: u8, to: &[u8]) -> (Length, String, bool) {
    let response = response(head, to);
    let mut client = ToClient { minor, keep: true, head: to == b"HEAD", via: false };
    let framing = client.framing(&response);
    let mut out = Vec::new();
    response_to_h1(&mut out, &response, &Fields::default(), framing, client, Instant::now());
    let text = String::from_utf8(out).unwrap().to_ascii_lowercase();
    let telling =
        |line: &&str| ["content-length", "transfer-encoding", "connection"].iter().any(|name| line.starts_with(name));
    (framing, text.lines().filter(telling).collect::<Vec<_>>().join("; "), client.keep)
}

#[test]
fn an_answer_is_framed_as_its_client_can_read_it() {
    let chunked = "HTTP/1.1 200 OK\nTransfer-Encoding: chunked";
    let open = "HTTP/1.1 200 OK\nServer: x";
    let five = "HTTP/1.1 200 OK\nContent-Length: 5";
    let ended = |length, text: &str, keep| (length, text.to_owned(), keep);
    assert_eq!(framed(five, 1, b"GET"), ended(Length::Exact(5), "content-length: 5", true));
    assert_eq!(framed(five, 0, b"GET"), ended(Length::Exact(5), "content-length: 5; connection: keep-alive", true));
    assert_eq!(framed(chunked, 1, b"GET"), ended(Length::Chunked, "transfer-encoding: chunked", true));
    assert_eq!(framed(open, 1, b"GET"), ended(Length::Chunked, "transfer-encoding: chunked", true));
    // HTTP/1.0 knows no chunks: the body's end is the connection's.
    assert_eq!(framed(chunked, 0, b"GET"), ended(Length::UntilClose, "", false));
    assert_eq!(framed(open, 0, b"GET"), ended(Length::UntilClose, "", false));
    // What a GET would have had (RFC 9110, section 9.3.2), and nothing that is waited for.
    assert_eq!(framed(five, 1, b"HEAD"), ended(Length::None, "content-length: 5", true));
    assert_eq!(framed("HTTP/1.1 204 No Content\nServer: x", 1, b"GET"), ended(Length::None, "", true));
    assert_eq!(framed("HTTP/1.1 304 Not Modified\nServer: x", 1, b"GET"), ended(Length::None, "", true));
}
