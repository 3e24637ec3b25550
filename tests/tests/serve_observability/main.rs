//! What `unladen serve` shows of itself: the admin address, its page in a browser, the access log, what a collector is
//! sent.

mod helping;
mod page;
mod site;

use nix::sys::signal::Signal;
use serde_json::Value;
use unladen_tests::{Reply, Serve, Server};

use helping::{Admin, ask, config, eventually, free_port, lines, python};

#[test]
fn metrics_stats_settings_and_health() {
    let upstream = Server::good();
    let serve = Serve::start(&config("unix:DIR/admin.sock", &upstream, ""));
    for _ in 0..3 {
        assert_eq!(ask(serve.connect("good.sock"), "GET", "/a").0, 200);
    }
    let admin = Admin::Unix(serve.path("admin.sock"));
    let count = |name: &str| admin.sample(name);
    eventually(|| count(r#"unladen_requests_total{upstream="good",end="answered"}"#) == Some(3.0));
    let made = count(r#"unladen_requests_by_connection_total{upstream="good",connection="new"}"#);
    assert_eq!((made, count(r#"unladen_connections_made_total{upstream="good"}"#)), (Some(1.0), Some(1.0)));
    let stats: Value = serde_json::from_str(&admin.get("/stats").1).unwrap();
    assert_eq!((&stats["schema"], &stats["upstreams"][0]["requests"]), (&"unladen.serve-stats/1".into(), &3.into()));
    let settings: Value = serde_json::from_str(&admin.get("/config").1).unwrap();
    assert_eq!(settings["outbound"][1]["upstream"]["breaker"]["open_ns"], 60_000_000_000_u64);
    assert_eq!(admin.get("/healthz"), (200, "ok\n".to_owned()));
    // What was counted outlives a reload.
    serve.running().signal(Signal::SIGHUP);
    for _ in 0..2 {
        assert_eq!(ask(serve.connect("good.sock"), "GET", "/a").0, 200);
    }
    eventually(|| count(r#"unladen_requests_total{upstream="good",end="answered"}"#) == Some(5.0));
    serve.stop();
}

#[test]
fn the_access_log_of_a_real_run() {
    let upstream = Server::replying(|asked| match &*asked.request.line {
        "GET /500 HTTP/1.1" => Reply::text("500 Internal Server Error", "no"),
        _ => Reply::good(),
    });
    let log = "[log]\nfile = \"DIR/access.json\"\nsample = 0.0\n";
    let serve = Serve::start(&config("unix:DIR/admin.sock", &upstream, log));
    for target in ["/a", "/500", "/b"] {
        ask(serve.connect("good.sock"), "GET", target);
    }
    ask(serve.connect("broken.sock"), "POST", "/c");
    let file = serve.path("access.json");
    eventually(|| lines(&file).len() >= 2);
    // As logrotate does it.
    let old = serve.path("access.json.1");
    std::fs::rename(&file, &old).unwrap();
    serve.running().signal(Signal::SIGHUP);
    eventually(|| file.exists());
    // Lines go to the old file until the one that writes them has heard of the new one, a moment after that is there.
    let mut asked = 0;
    while lines(&file).is_empty() {
        assert!(asked < 100, "lines go on to the old file: {:?}", lines(&old));
        ask(serve.connect("good.sock"), "GET", "/500");
        asked += 1;
        eventually(|| lines(&old).len() + lines(&file).len() == 2 + asked);
    }
    assert_eq!(lines(&file).len(), 1);
    let found = lines(&old);
    let [failed, refused, ..] = &found[..] else { panic!("{found:?}") };
    assert_eq!(failed["target"], "/500", "{failed}");
    assert_eq!((&failed["upstream"], &failed["status"], &failed["attempts"]), (&"good".into(), &500.into(), &1.into()));
    assert!(failed["total_ns"].as_u64() >= failed["first_byte_ns"].as_u64(), "{failed}");
    assert!(failed["request_id"].is_string(), "{failed}");
    assert_eq!((&refused["target"], &refused["method"]), (&"/c".into(), &"POST".into()), "{refused}");
    assert_eq!((&refused["end"], &refused["reason"]), (&"local_reply".into(), &"connect_failed".into()), "{refused}");
    serve.stop();
}

/// What a collector is sent, read by OpenTelemetry's own messages.
#[test]
fn what_a_collector_is_sent() {
    let upstream = Server::good();
    let collector = Server::answering(|_| "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".to_owned());
    let url = collector.url("");
    let otlp = format!("[otlp]\nendpoint = \"{url}\"\nsample = 1.0\nservice = \"shop\"\nevery = \"1s\"\n");
    let serve = Serve::start(&config("unix:DIR/admin.sock", &upstream, &otlp));
    assert_eq!(ask(serve.connect("good.sock"), "GET", "/a?b").0, 200);
    ask(serve.connect("broken.sock"), "GET", "/c");
    // Spans each second, and then metrics that tell of the same.
    let came = |path: &str| collector.asked_for(path);
    eventually(|| came("/v1/traces") > 0);
    let before = came("/v1/metrics");
    eventually(|| came("/v1/metrics") > before);
    serve.stop();
    let received = collector.received();
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for (n, request) in received.iter().enumerate() {
        let kind = request.line.strip_prefix("POST /v1/").and_then(|rest| rest.strip_suffix(" HTTP/1.1")).unwrap();
        files.push(folder.path().join(format!("{kind}-{n}.json")));
        std::fs::write(&files[n], &request.body).unwrap();
    }
    let read: Value = serde_json::from_str(&python(include_str!("read_otlp.py"), &files)).unwrap();
    let spans = read["spans"].as_array().unwrap();
    assert_eq!(spans.len(), 2, "{read:#}");
    assert!(spans.iter().all(|span| span["kind"] == "SPAN_KIND_CLIENT" && span["service"] == "shop"), "{read:#}");
    let good = spans.iter().find(|span| span["unladen.upstream"] == "good").unwrap();
    assert_eq!(good["url.full"], upstream.url("/a?b"));
    // What the upstream was told is this span.
    let sent = upstream.received();
    let (_, traceparent) = sent[0].headers.iter().find(|(name, _)| name == "traceparent").unwrap();
    let (trace, span) = (good["trace_id"].as_str().unwrap(), good["span_id"].as_str().unwrap());
    assert_eq!(*traceparent, format!("00-{trace}-{span}-01"));
    let metrics = read["metrics"].as_object().unwrap();
    assert_eq!(metrics["http.server.request.duration"]["count"], 2, "{read:#}");
    assert_eq!(metrics["unladen.requests"]["sum"], 2, "{read:#}");
}

/// An admin address is no way for pages of the web to what only this machine should see; the browser's part of it is in
/// `page`.
#[test]
fn an_admin_address_of_tcp_answers_under_its_own_names_alone() {
    let (upstream, port) = (Server::good(), free_port());
    let serve = Serve::start(&config(&format!("127.0.0.1:{port}"), &upstream, ""));
    let admin = Admin::Tcp(port);
    eventually(|| admin.is_up());
    assert_eq!(admin.get_as("evil.example", "/config").0, 421);
    assert_eq!(admin.get("/config").0, 200);
    serve.stop();
}
