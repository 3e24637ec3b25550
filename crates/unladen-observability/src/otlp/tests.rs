use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::{Request, Response};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::*;
use crate::observability::tests::{record, with};
use crate::otlp::client::Target;
use crate::upstreams::tests::told;
use crate::{End, Observability, ObservabilitySettings, Reason, Reuse, Trace};

const TRACE: Trace = Trace { trace_id: [0xAB; 16], parent_id: Some([0xEF; 8]), span_id: [0xCD; 8], sampled: true };

type Said = (u16, Vec<(&'static str, &'static str)>, &'static str);

/// A collector: what it was sent, and what it is to answer (status, further fields, body); 200 where nothing is left.
#[derive(Default)]
struct Collector {
    sent: Mutex<Vec<(String, Value)>>,
    answers: Mutex<VecDeque<Said>>,
    connections: AtomicU64,
}

impl Collector {
    async fn start(self: &Arc<Self>) -> SocketAddr {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let collector = Arc::clone(self);
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                collector.connections.fetch_add(1, Ordering::Relaxed);
                let collector = Arc::clone(&collector);
                let service = hyper::service::service_fn(move |request| Arc::clone(&collector).answer(request));
                let io = hyper_util::rt::TokioIo::new(stream);
                tokio::spawn(hyper::server::conn::http1::Builder::new().serve_connection(io, service));
            }
        });
        address
    }

    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
        assert_eq!(request.method(), "POST");
        assert_eq!(request.headers()["content-type"], "application/json");
        let path = request.uri().path().to_owned();
        let body = request.into_body().collect().await.unwrap().to_bytes();
        self.sent.lock().unwrap().push((path, serde_json::from_slice(&body).unwrap()));
        let (status, fields, body) = self.answers.lock().unwrap().pop_front().unwrap_or((200, vec![], "{}"));
        let mut response = Response::builder().status(status);
        for (name, value) in fields {
            response = response.header(name, value);
        }
        Ok(response.body(Full::new(Bytes::from(body))).unwrap())
    }

    fn of(&self, path: &str) -> Vec<Value> {
        self.sent.lock().unwrap().iter().filter(|(to, _)| to == path).map(|(_, body)| body.clone()).collect()
    }
}

fn spans(document: &Value) -> &Vec<Value> {
    document["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap()
}

fn with_collector(endpoint: String) -> ObservabilitySettings {
    let (every, service) = (Duration::from_secs(3600), "shop".to_owned());
    ObservabilitySettings {
        otlp: Some(OtlpSettings { endpoint, sample: 1.0, every, service, environment: None, zone: None }),
        ..ObservabilitySettings::default()
    }
}

fn on_runtime(test: impl AsyncFnOnce()) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test());
}

/// An observability that exports to there until it is told to stop.
fn exporting(endpoint: String) -> (Arc<Observability>, oneshot::Sender<()>, tokio::task::JoinHandle<()>) {
    let observability = Arc::new(with(&with_collector(endpoint)).unwrap());
    observability.set_upstreams(vec![told("search")]);
    let (stop, stopped) = oneshot::channel::<()>();
    let export = tokio::spawn(Arc::clone(&observability).export(async {
        let _ = stopped.await;
    }));
    (observability, stop, export)
}

fn observe(observability: &Arc<Observability>, record: &RequestAccount<'_>) {
    let upstream = observability.upstream("search");
    observability.thread(0).observe(record, upstream);
}

async fn eventually(what: impl Fn() -> bool) {
    let start = Instant::now();
    while !what() {
        assert!(start.elapsed() < Duration::from_secs(30), "never came true");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[test]
fn where_collectors_are() {
    let target = |text: &str| text.parse::<Target>();
    let of = |tls, host: &str, port, authority: &str, prefix: &str| {
        Ok(Target { tls, host: host.into(), port, authority: authority.into(), prefix: prefix.into() })
    };
    assert_eq!(target("http://127.0.0.1:4318"), of(false, "127.0.0.1", 4318, "127.0.0.1:4318", ""));
    assert_eq!(target("https://otel.example/"), of(true, "otel.example", 443, "otel.example", ""));
    assert_eq!(target("http://[::1]:4318/otlp/"), of(false, "::1", 4318, "[::1]:4318", "/otlp"));
}

#[test]
fn a_span_by_the_conventions() {
    on_runtime(async || {
        let collector = Arc::new(Collector::default());
        let address = collector.start().await;
        let (observability, stop, export) = exporting(format!("http://{address}/prefix"));
        let endpoint = unladen_pool::Address::Tcp(vec!["10.1.2.3:9243".parse().unwrap()]);
        let sampled = RequestAccount { trace: Some(TRACE), ..record() };
        observe(&observability, &record());
        observe(&observability, &RequestAccount { trace: Some(Trace { sampled: false, ..TRACE }), ..record() });
        observe(
            &observability,
            &RequestAccount {
                endpoint: Some(&endpoint),
                method: b"BREW",
                target: b"/a?sig=secret&b=c",
                status: 503,
                reuse: Reuse::Resumed,
                attempts: 3,
                bytes_in: 5,
                cache: Some((crate::CacheResult::Pass, "cookies")),
                ..sampled.clone()
            },
        );
        let began_here = Trace { parent_id: None, ..TRACE };
        let end = End::Local(Reason::ConnectFailed);
        observe(&observability, &RequestAccount { end, status: 502, target: b"*", trace: Some(began_here), ..sampled });
        stop.send(()).unwrap();
        export.await.unwrap();
        let documents = collector.of("/prefix/v1/traces");
        assert_eq!(documents.len(), 1);
        let resource = documents[0]["resourceSpans"][0]["resource"]["attributes"].as_array().unwrap();
        assert_eq!(resource[0], json!({ "key": "service.name", "value": { "stringValue": "shop" } }));
        let [first, second] = &spans(&documents[0])[..] else { panic!("{documents:?}") };
        assert_eq!(first["traceId"], "ab".repeat(16));
        assert_eq!(first["spanId"], "cd".repeat(8));
        assert_eq!(first["parentSpanId"], "ef".repeat(8));
        assert_eq!((&first["flags"], &first["kind"], &first["name"]), (&0x301.into(), &3.into(), &"HTTP".into()));
        assert_eq!(first["status"]["code"], 2);
        let ns = |value: &Value| value.as_str().unwrap().parse::<u64>().unwrap();
        let start = ns(&first["startTimeUnixNano"]);
        assert_eq!(ns(&first["endTimeUnixNano"]) - start, 900_000);
        assert_eq!(first["events"][1]["name"], "unladen.first_byte");
        assert_eq!(ns(&first["events"][1]["timeUnixNano"]) - start, 800_000);
        let attributes: serde_json::Map<String, Value> = first["attributes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|pair| (pair["key"].as_str().unwrap().to_owned(), pair["value"].clone()))
            .collect();
        let text = |text: &str| json!({ "stringValue": text });
        let number = |n: u64| json!({ "intValue": n.to_string() });
        assert_eq!(
            Value::Object(attributes),
            json!({
                "http.request.method": text("_OTHER"), "http.request.method_original": text("BREW"),
                "server.address": text("search.example"), "server.port": number(9243), "url.scheme": text("https"),
                "url.full": text("https://search.example:9243/a?sig=REDACTED&b=c"),
                "network.peer.address": text("10.1.2.3"), "network.peer.port": number(9243),
                "network.protocol.version": text("1.1"), "http.response.status_code": number(503),
                "unladen.cache": text("pass"), "unladen.cache_reason": text("cookies"),
                "error.type": text("503"), "http.request.resend_count": number(2), "http.request.body.size": number(5),
                "http.response.body.size": number(476), "unladen.upstream": text("search"), "unladen.end": text("answered"),
                "unladen.connection": text("resumed"), "unladen.request_id": text("7f3c"),
            })
        );
        assert_eq!(second["parentSpanId"], Value::Null);
        assert_eq!((&second["flags"], &second["name"]), (&0x101.into(), &"GET".into()));
        let second = second["attributes"].to_string();
        assert!(second.contains("\"connect_failed\"") && !second.contains("url.full"), "{second}");
        let totals = observability.exporter.totals();
        assert_eq!((totals.spans_sent, totals.spans_full, totals.spans_failed), (2, 0, 0));
    });
}

#[test]
fn metrics_of_all_kinds() {
    on_runtime(async || {
        let collector = Arc::new(Collector::default());
        let address = collector.start().await;
        let (observability, stop, export) = exporting(format!("http://{address}"));
        observe(&observability, &record());
        stop.send(()).unwrap();
        export.await.unwrap();
        let documents = collector.of("/v1/metrics");
        assert_eq!(documents.len(), 1);
        let metrics = documents[0]["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array().unwrap();
        let of = |name: &str| metrics.iter().find(|metric| metric["name"] == name).unwrap_or_else(|| panic!("{name}"));
        let duration = of("http.server.request.duration");
        assert_eq!((&duration["unit"], &duration["histogram"]["aggregationTemporality"]), (&"s".into(), &2.into()));
        let point = &duration["histogram"]["dataPoints"][0];
        assert_eq!((&point["count"], &point["sum"]), (&"1".into(), &0.0009.into()));
        assert_eq!(point["bucketCounts"].as_array().unwrap().len(), 16);
        assert_eq!(point["explicitBounds"].as_array().unwrap().len(), 15);
        let status = json!({ "key": "http.response.status_code", "value": { "intValue": "200" } });
        assert!(point["attributes"].as_array().unwrap().contains(&status), "{point}");
        let open = of("http.client.open_connections");
        assert_eq!((&open["unit"], &open["sum"]["isMonotonic"]), (&"{connection}".into(), &false.into()));
        let retries = of("unladen.retries");
        assert_eq!(retries["sum"]["isMonotonic"], true);
        assert_eq!(retries["sum"]["dataPoints"][0]["asInt"], "0");
        let breaker = of("unladen.breaker");
        assert!(breaker["gauge"]["dataPoints"][0]["timeUnixNano"].is_string());
        assert!(breaker["gauge"]["dataPoints"][0]["startTimeUnixNano"].is_null());
        assert!(of("process.cpu")["sum"]["dataPoints"][0]["asDouble"].is_f64());
    });
}

#[test]
fn what_is_not_taken_is_sent_again_and_what_never_will_be_is_not() {
    on_runtime(async || {
        let collector = Arc::new(Collector::default());
        let address = collector.start().await;
        collector.answers.lock().unwrap().extend([
            (503, vec![("retry-after", "0")], ""),
            (429, vec![("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")], ""),
            (200, vec![], r#"{"partialSuccess":{"rejectedSpans":"1","errorMessage":"too old"}}"#),
            (400, vec![], "what?"),
            // Longer than anyone would wait.
            (503, vec![("retry-after", "3600")], ""),
        ]);
        let (observability, _stop, _export) = exporting(format!("http://{address}"));
        let sampled = RequestAccount { trace: Some(TRACE), ..record() };
        let totals = || observability.exporter.totals();
        observe(&observability, &sampled);
        observe(&observability, &sampled);
        eventually(|| totals().taken == 1).await;
        eventually(|| totals().spans_failed == 1).await;
        assert_eq!((totals().spans_sent, totals().retried, totals().given_up), (1, 2, 0));
        let documents = collector.of("/v1/traces");
        assert!(documents.len() == 3 && documents.iter().all(|document| document == &documents[0]), "{documents:?}");
        observe(&observability, &sampled);
        eventually(|| totals().given_up == 1).await;
        observe(&observability, &sampled);
        eventually(|| totals().given_up == 2).await;
        eventually(|| totals().spans_failed == 3).await;
        assert_eq!((totals().spans_sent, totals().retried), (1, 2));
        assert_eq!(collector.of("/v1/traces").len(), 5);
        assert_eq!(collector.connections.load(Ordering::Relaxed), 1, "the connection is kept");
    });
}

#[test]
fn a_collector_that_is_away_costs_spans_and_no_memory() {
    on_runtime(async || {
        // Nobody listens there once it is dropped.
        let address = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let (observability, stop, export) = exporting(format!("http://{address}"));
        let sampled = RequestAccount { trace: Some(TRACE), ..record() };
        for _ in 0..3 * QUEUE {
            observe(&observability, &sampled);
        }
        assert_eq!(observability.exporter.totals().spans_full, 2 * QUEUE as u64);
        stop.send(()).unwrap();
        export.await.unwrap();
        let totals = observability.exporter.totals();
        assert_eq!((totals.spans_sent, totals.spans_failed), (0, QUEUE as u64));
        // Of those 4096, 512 at a time; and the metrics.
        assert_eq!(totals.given_up, 9);
    });
}

#[test]
fn stopping_does_not_wait_for_a_collector_that_says_nothing() {
    on_runtime(async || {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (observability, stop, export) = exporting(format!("http://{}", listener.local_addr().unwrap()));
        observe(&observability, &RequestAccount { trace: Some(TRACE), ..record() });
        stop.send(()).unwrap();
        let ended = tokio::time::timeout(Duration::from_secs(9), export).await;
        assert!(ended.is_ok(), "longer than a request to it may take");
    });
}

#[test]
fn a_reload_switches_it_on_and_off() {
    on_runtime(async || {
        let collector = Arc::new(Collector::default());
        let address = collector.start().await;
        let observability = Arc::new(with(&ObservabilitySettings::default()).unwrap());
        let _export = tokio::spawn(Arc::clone(&observability).export(std::future::pending()));
        let sampled = RequestAccount { trace: Some(TRACE), ..record() };
        observe(&observability, &sampled);
        tokio::time::sleep(Duration::from_millis(300)).await;
        observability.reload(with_collector(format!("http://{address}"))).unwrap();
        observe(&observability, &sampled);
        eventually(|| observability.exporter.totals().spans_sent == 1).await;
        observability.reload(ObservabilitySettings::default()).unwrap();
        observe(&observability, &sampled);
        assert!(!observability.exporter.is_on.load(Ordering::Relaxed));
        assert_eq!(spans(&collector.of("/v1/traces")[0]).len(), 1);
        assert_eq!(observability.exporter.totals().spans_full, 0);
    });
}

/// Its certificate is verified: spans tell where an application calls, and with what.
#[test]
fn tls_with_a_certificate_that_nobody_knows_is_refused() {
    on_runtime(async || {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let target: Target = format!("https://{address}").parse().unwrap();
        let peer = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut hello = [0; 3];
            tokio::io::AsyncReadExt::read_exact(&mut stream, &mut hello).await.unwrap();
            hello
        });
        let error = client::Client::default().post(&target, "/v1/traces", Bytes::new()).await.unwrap_err();
        assert!(matches!(error, client::ClientError::Tls(_)), "{error}");
        // A record of TLS with a handshake, and no request in the clear.
        assert_eq!(peer.await.unwrap(), [22, 3, 1]);
    });
}
