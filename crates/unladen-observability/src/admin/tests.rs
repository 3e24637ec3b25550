use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use unladen_local::{CONNECTIONS, HEAD, HEAD_BYTES};

use super::*;
use crate::families::tests::busy;

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// An admin address of its own, and where it is.
async fn started() -> (std::net::SocketAddr, Arc<Observability>, tokio::task::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let observability = busy();
    let serving = tokio::spawn(serve(Listener::Tcp(listener), Arc::clone(&observability)));
    (address, observability, serving)
}

async fn exchange(mut stream: impl AsyncRead + AsyncWrite + Unpin, request: &str) -> (u16, String, String) {
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // A reset after the answer (of a request with a body that nobody read) loses nothing of it here.
    let _ = stream.read_to_end(&mut answer).await;
    let answer = String::from_utf8(answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer to {request:?}: {answer:?}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head.to_ascii_lowercase(), body.to_owned())
}

async fn get(address: std::net::SocketAddr, target: &str, more: &str) -> (u16, String, String) {
    let stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {target} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{more}\r\n");
    exchange(stream, &request).await
}

#[test]
fn each_path() {
    runtime().block_on(async {
        let (address, observability, _serving) = started().await;
        let (status, head, body) = get(address, "/metrics", "").await;
        assert_eq!(status, 200);
        assert!(head.contains("content-type: text/plain; version=0.0.4; charset=utf-8"), "{head}");
        assert!(body.contains("\nunladen_requests_total{") && !body.contains("# EOF"));
        let (_, head, body) = get(address, "/metrics", "Accept: application/openmetrics-text\r\n").await;
        assert!(head.contains("content-type: application/openmetrics-text; version=1.0.0; charset=utf-8"), "{head}");
        assert!(body.ends_with("# EOF\n"));
        let (_, head, body) = get(address, "/stats?x", "").await;
        assert!(head.contains("content-type: application/json"), "{head}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&body).unwrap()["schema"], "unladen.serve-stats/1");
        let (_, head, body) = get(address, "/history", "").await;
        assert!(head.contains("content-type: application/json"), "{head}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&body).unwrap()["schema"], "unladen.serve-history/1");
        let (_, _, body) = get(address, "/config", "").await;
        assert_eq!(serde_json::from_str::<serde_json::Value>(&body).unwrap()["threads"], 2);
        let (status, _, body) = get(address, "/healthz", "").await;
        assert_eq!((status, &*body), (200, "ok\n"));
        observability.drain();
        let (status, _, body) = get(address, "/healthz", "").await;
        assert_eq!((status, &*body), (503, "draining\n"));
        let (status, _, body) = get(address, "/readyz", "").await;
        assert!(status == 503 && body.starts_with("not ready\nFAILED  stopping: "), "{body}");
        let (status, _, body) = get(address, "/etc/passwd", "").await;
        assert_eq!(status, 404);
        assert!(body.contains("/metrics"));
    });
}

#[test]
fn the_page_runs_what_is_in_it_and_nothing_else() {
    runtime().block_on(async {
        let (address, _seeing, _serving) = started().await;
        let (_, head, page) = get(address, "/", "").await;
        let nonce =
            head.split("script-src 'nonce-").nth(1).and_then(|rest| rest.split('\'').next()).unwrap().to_owned();
        assert_eq!(nonce.len(), 32);
        assert!(head.contains("default-src 'none'") && head.contains("frame-ancestors 'none'"), "{head}");
        for (tag, times) in [("<script", 1), ("<style", 1)] {
            assert_eq!(page.matches(&format!("{tag} nonce=\"{nonce}\">")).count(), times);
            assert_eq!(page.matches(tag).count(), times, "{tag}");
        }
        for elsewhere in
            ["http://", "https://", "src=", "url(", "@import", "NONCE", "STYLE", "SCRIPT", " style=", " on"]
        {
            let from = page.replace("http://www.w3.org/2000/svg", "");
            let at = from.find(elsewhere);
            // Words of prose begin like attributes for handlers do.
            let is_attribute = elsewhere != " on" || from.contains("onclick=") || from.contains("onload=");
            assert!(at.is_none() || !is_attribute, "{elsewhere}: {}", &from[at.unwrap()..at.unwrap() + 60]);
        }
        let (_, other, _) = get(address, "/", "").await;
        assert!(!other.contains(&nonce), "the word is the same twice");
    });
}

#[test]
fn who_asks_under_another_name_is_refused() {
    runtime().block_on(async {
        let (address, _seeing, _serving) = started().await;
        for (request, expected) in [
            ("GET /config HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", 421),
            ("GET http://evil.example/config HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 421),
            ("GET http://localhost/config HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", 421),
            ("GET /config HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n", 421),
            ("GET /config HTTP/1.1\r\nHost: \u{e9}\r\nConnection: close\r\n\r\n", 421),
            ("POST /config HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", 421),
            ("GET /config HTTP/1.0\r\n\r\n", 200),
            ("GET http://localhost/config HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 200),
        ] {
            let (status, _, body) = exchange(TcpStream::connect(address).await.unwrap(), request).await;
            assert_eq!(status, expected, "{request:?}");
            assert_eq!(body.contains("threads"), expected == 200);
        }
    });
}

#[test]
fn a_unix_socket_answers_under_any_name() {
    runtime().block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("admin.sock");
        let _serving = tokio::spawn(serve(Listener::Unix(UnixListener::bind(&path).unwrap()), busy()));
        let stream = UnixStream::connect(&path).await.unwrap();
        let request = "GET /healthz HTTP/1.1\r\nHost: whatever\r\nConnection: close\r\n\r\n";
        assert_eq!(exchange(stream, request).await.0, 200);
    });
}

/// A kubelet asks by the address of a pod.
#[test]
fn an_exposed_address_answers_probes_and_metrics_under_any_name_and_nothing_else() {
    runtime().block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let _serving = tokio::spawn(serve_probes(Listener::Exposed(listener), busy()));
        for (method, path, expected) in [
            ("GET", "/livez", 200),
            ("GET", "/readyz", 503),
            ("GET", "/metrics", 200),
            ("GET", "/", 404),
            ("GET", "/config", 404),
            ("GET", "/stats", 404),
            ("GET", "/history", 404),
            ("POST", "/purge", 405),
            ("POST", "/livez", 405),
        ] {
            let request = format!("{method} {path} HTTP/1.1\r\nHost: 10.1.2.3:9902\r\nConnection: close\r\n\r\n");
            let (status, _, body) = exchange(TcpStream::connect(address).await.unwrap(), &request).await;
            assert_eq!(status, expected, "{method} {path}: {body}");
        }
    });
}

/// The runtime's own thread carries requests here.
#[test]
fn a_thread_that_answers_is_alive_and_one_that_does_not_is_named() {
    runtime().block_on(async {
        let (address, observability, _serving) = started().await;
        let (status, _, body) = get(address, "/livez", "").await;
        assert_eq!((status, &*body), (200, "live: 0 of 0 threads answer\n"));
        let [first, second] = [0, 1].map(|thread| observability.pulse(thread, 2));
        let answering = tokio::spawn(first.answer());
        tokio::time::pause();
        let (status, _, body) = get(address, "/livez", "").await;
        assert_eq!((status, &*body), (503, "not live: of 2 threads, [1] have not answered within 5s\n"));
        tokio::spawn(second.answer());
        let (status, head, body) = get(address, "/livez", "Accept: application/json\r\n").await;
        assert!(head.contains("content-type: application/json"), "{head}");
        let told: serde_json::Value = serde_json::from_str(&body).unwrap();
        let expected =
            serde_json::json!({ "schema": "unladen.serve-live/1", "live": true, "threads": 2, "silent": [] });
        assert_eq!((status, told), (200, expected));
        // It has ended.
        answering.abort();
        let _ = answering.await;
        assert_eq!(get(address, "/livez", "").await.2, "live: 1 of 1 threads answer\n");
    });
}

#[test]
fn nothing_can_be_changed() {
    runtime().block_on(async {
        let (address, _seeing, _serving) = started().await;
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "BREW"] {
            let request = format!(
                "{method} /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc"
            );
            let (status, head, _) = exchange(TcpStream::connect(address).await.unwrap(), &request).await;
            assert!(status == 405 && head.contains("allow: get, head"), "{head}");
        }
        let request = "HEAD /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        let (status, head, body) = exchange(TcpStream::connect(address).await.unwrap(), request).await;
        assert_eq!((status, &*body), (200, ""));
        assert!(head.contains("content-length: "), "{head}");
    });
}

#[test]
fn what_is_kept_is_forgotten_by_post_alone() {
    runtime().block_on(async {
        let (address, observability, _serving) = started().await;
        let site = crate::sites::tests::told("site", Some(3));
        observability.set_sites(vec![site.clone()]);
        let body = r#"{"url":"//a.example/b"}"#;
        let ask = async |method: &str, more: &str| {
            let request = format!(
                "{method} /purge HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {}\r\n{more}\r\n{body}",
                body.len()
            );
            exchange(TcpStream::connect(address).await.unwrap(), &request).await
        };
        let json = "Content-Type: application/json\r\n";
        let (status, head, told) = ask("POST", json).await;
        assert_eq!((status, &*told), (200, "{\"purged\":3}\n"), "{head}");
        let (status, _, told) = ask("POST", "").await;
        assert!(status == 415 && told.starts_with("{\"error\":"), "{status} {told}");
        for method in ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"] {
            let (status, head, _) = ask(method, json).await;
            assert!(status == 405 && head.contains("allow: post"), "{method}: {head}");
            assert!(!head.contains("access-control"), "{head}");
        }
        assert_eq!(site.told.lock().unwrap().len(), 1);
    });
}

#[test]
fn a_head_without_end_is_refused() {
    runtime().block_on(async {
        let (address, _seeing, _serving) = started().await;
        let long = format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n", "x".repeat(2 * HEAD_BYTES));
        let (status, ..) = exchange(TcpStream::connect(address).await.unwrap(), &long).await;
        assert_eq!(status, 431);
    });
}

/// Whoever held all places without asking anything kept others out for [`HEAD`].
#[test]
fn connections_that_ask_nothing_keep_nobody_out() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (address, observability, _serving) = started().await;
        // One that is being answered keeps its place: its turn to make a history has not come.
        let turn = observability.history.turn().await.unwrap();
        let mut asks = TcpStream::connect(address).await.unwrap();
        asks.write_all(b"GET /history HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await.unwrap();
        let mut idle = Vec::new();
        for n in 0..CONNECTIONS + 6 {
            let mut stream = TcpStream::connect(address).await.unwrap();
            // Some have asked before, and some have begun to.
            match n % 3 {
                0 => stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap(),
                1 => stream.write_all(b"GET /hea").await.unwrap(),
                _ => {}
            }
            idle.push(stream);
        }
        let asked = tokio::time::timeout(HEAD - Duration::from_secs(1), get(address, "/healthz", ""));
        assert_eq!(asked.await.expect("it waits for those that ask nothing").0, 200);
        // The first of them had to go; the last may ask still.
        let first = &mut idle[1];
        let ended = tokio::time::timeout(HEAD - Duration::from_secs(1), first.read_u8()).await;
        assert!(ended.expect("it is open still").is_err());
        let last = idle.len() - 3;
        idle[last].write_all(b"lthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await.unwrap();
        let mut answer = Vec::new();
        idle[last].read_to_end(&mut answer).await.unwrap();
        assert!(answer.starts_with(b"HTTP/1.1 200 "), "{}", String::from_utf8_lossy(&answer));
        drop(turn);
        let mut answer = Vec::new();
        asks.read_to_end(&mut answer).await.unwrap();
        assert!(answer.starts_with(b"HTTP/1.1 "), "the one that was being answered lost its place");
    });
}

#[test]
fn connections_end_with_the_address() {
    runtime().block_on(async {
        let (address, _seeing, serving) = started().await;
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
        let mut byte = [0; 1];
        stream.read_exact(&mut byte).await.unwrap();
        serving.abort();
        let mut rest = Vec::new();
        let ended = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut rest)).await;
        assert!(ended.is_ok(), "it is open still");
        assert!(TcpStream::connect(address).await.is_err());
    });
}

/// Each took as much memory as all of the answer, for as long as its client read.
#[test]
fn there_is_one_history_at_a_time() {
    runtime().block_on(async {
        let (address, observability, _serving) = started().await;
        let turn = observability.history.turn().await.unwrap();
        // Made, and not sent yet.
        let text = observability.history.document(observability.started, turn);
        let (status, head, _) = get(address, "/history", "").await;
        assert_eq!(status, 503);
        assert!(head.contains("\r\nretry-after: 1\r\n"), "{head}");
        drop(text);
        // Several at once: each waits for the one before.
        let (one, other) = tokio::join!(get(address, "/history", ""), get(address, "/history", ""));
        assert_eq!((one.0, other.0), (200, 200));
    });
}
