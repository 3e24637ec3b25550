//! What is told of many nodes: the dashboard and the rules of `docs/guides/observability` hold what `unladen serve`
//! tells, exemplars lead to traces, and a live page shows the other nodes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use unladen_tests::{Authority, Serve, Server, Valkey, Wire, free_port, promtool, pypi, wait};

/// Names that rules and panels may use though they are no metrics of ours: Prometheus makes them.
const PROMETHEUS: [&str; 1] = ["up"];

/// A strict reader of OpenMetrics, by those who specified it; it prints each exemplar's labels.
const READER: &str = "
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as read
for family in read(sys.stdin.read()):
    for sample in family.samples:
        if sample.exemplar:
            print(sample.name, sample.exemplar.labels['trace_id'], sample.exemplar.labels['span_id'])
";

fn guide(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guides/observability").join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(guide(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// With all that has metrics of its own.
struct Node {
    serve: Serve,
    app: Server,
    _valkey: Valkey,
    /// The certificate's.
    _folder: tempfile::TempDir,
}

fn node() -> Node {
    let (app, valkey) = (Server::good(), Valkey::start());
    let upstream = app.url("");
    let (collector, limits, peer) = (free_port(), free_port(), free_port());
    let certificate = Authority::new().certificate("shop.example");
    let folder = tempfile::tempdir().unwrap();
    for (name, pem) in [("chain.pem", &certificate.chain), ("key.pem", &certificate.key)] {
        std::fs::write(folder.path().join(name), pem).unwrap();
    }
    let [chain, key] = ["chain.pem", "key.pem"].map(|name| folder.path().join(name).display().to_string());
    let config = format!(
        r#"
threads = 1
[admin]
listen = "unix:DIR/admin.sock"
peers = ["unix:DIR/admin.sock", "http://127.0.0.1:{peer}"]
[log]
file = "DIR/access.json"
[otlp]
endpoint = "http://127.0.0.1:{collector}"
sample = 1.0
[fleet]
purges = "{fleet}"
node = "here"
[[outbound]]
name = "search"
listen = "unix:DIR/search.sock"
upstream = "{upstream}"
health.path = "/up"
[[outbound.rate]]
service = "grpc://127.0.0.1:{limits}/shop"
descriptor = ["generic_key=search"]
rate = 1000
[[site]]
name = "shop"
hosts = "shop.example"
listen = ["127.0.0.1:{site}"]
tls = {{ cert = "{chain}", key = "{key}" }}
upstream = "{upstream}"
queue.running = 4
snapshot.file = "DIR/shop.snapshot"
[[site.validator]]
path = "/"
head = true
"#,
        site = free_port(),
        fleet = Valkey::url_at(valkey.address()),
    );
    let serve = Serve::start(&config);
    Node { serve, app, _valkey: valkey, _folder: folder }
}

impl Node {
    fn get(&self, target: &str, accept: &str) -> String {
        let request = format!("GET {target} HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\n\r\n");
        Wire::unix(&self.serve.path("admin.sock")).ask(request).is(200).text()
    }

    fn metrics(&self) -> String {
        self.get("/metrics", "text/plain")
    }

    fn ask(&self) {
        let mut wire = Wire::unix(&self.serve.path("search.sock"));
        wire.ask("GET / HTTP/1.1\r\nHost: search.example\r\n\r\n").is(200);
    }
}

/// Words of PromQL that begin as our metrics do, or are rules of ours.
fn metric_names(text: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let words = text.split(|c| !is_part(c)).filter(|word| {
        let is_ours = ["unladen_", "http_server_", "http_client_", "process_"].iter().any(|one| word.starts_with(one));
        is_ours || (word.starts_with("job_") && word.contains(':'))
    });
    words.map(str::to_owned).collect()
}

/// All values of a key, however deep.
fn values<'a>(document: &'a Value, key: &str, into: &mut Vec<&'a str>) {
    match document {
        Value::Object(object) => {
            into.extend(object.get(key).and_then(Value::as_str));
            object.values().for_each(|value| values(value, key, into));
        }
        Value::Array(array) => array.iter().for_each(|value| values(value, key, into)),
        _ => {}
    }
}

/// What a panel asks for, as Grafana sends it.
fn queries() -> Vec<String> {
    let dashboard: Value = serde_json::from_str(&text("dashboard.json")).unwrap();
    let mut found = Vec::new();
    values(&dashboard, "expr", &mut found);
    assert!(found.len() > 40, "{found:?}");
    let plain = |query: &&str| query.replace("$__rate_interval", "5m").replace("$", "");
    found.iter().map(plain).collect()
}

/// The lines of a file of rules that say what is evaluated, and those that name it.
fn of_key(yaml: &str, key: &str) -> Vec<String> {
    let lines = yaml.lines().map(|line| line.trim_start().trim_start_matches("- "));
    lines.filter_map(|line| Some(line.strip_prefix(key)?.strip_prefix(": ")?.to_owned())).collect()
}

/// Without comments, and without what is said to people.
fn expressions(yaml: &str) -> String {
    let is_said = |line: &&str| ["#", "summary:", "description:"].iter().any(|one| line.trim_start().starts_with(one));
    yaml.lines().filter(|line| !is_said(line)).fold(String::new(), |text, line| text + line + "\n")
}

#[test]
fn the_dashboard_and_the_rules_use_what_serve_tells_and_nothing_else() {
    let node = node();
    node.ask();
    wait::until("the engine has confirmed it", || node.metrics().contains("unladen_fleet_last_beat_age_seconds "));
    wait::until("it is counted", || node.metrics().contains("http_client_request_duration_seconds_count"));
    let told = node.metrics();
    let sample = |line: &str| line.split(['{', ' ']).next().unwrap_or_default().to_owned();
    let mut known: BTreeSet<String> = told.lines().filter(|line| !line.starts_with('#')).map(sample).collect();
    let rules = [text("recording.yml"), text("alerts.yml")];
    known.extend(of_key(&rules[0], "record"));
    let dashboard: Value = serde_json::from_str(&text("dashboard.json")).unwrap();
    let mut asked = Vec::new();
    for key in ["expr", "query", "definition"] {
        values(&dashboard, key, &mut asked);
    }
    let used = metric_names(&(asked.join("\n") + "\n" + &rules.map(|yaml| expressions(&yaml)).join("\n")));
    assert!(used.len() > 60, "{used:?}");
    // Of a site that nobody has asked for anything, of certificates that are ordered, of tiers, of what tells of changes.
    let of_requests = [
        "unladen_site_requests_total",
        "unladen_site_response_body_bytes_total",
        "unladen_certificate_failures",
        "unladen_validator_listening",
        "unladen_tier_asked_total",
        "unladen_tier_questions_total",
    ];
    let later = |name: &&String| {
        of_requests.contains(&name.as_str())
            || name.starts_with("unladen_site_upstream_")
            || PROMETHEUS.contains(&name.as_str())
    };
    let page = std::fs::read_to_string(guide("../../reference/observability.md")).unwrap();
    let unknown: Vec<_> = used.difference(&known).filter(|name| !later(name)).collect();
    assert!(unknown.is_empty(), "{unknown:?} are not told: {told}");
    for name in used.iter().filter(later) {
        let family = ["_bucket", "_sum", "_count"].iter().fold(name.as_str(), |name, end| name.trim_end_matches(end));
        assert!(page.contains(&format!("`{family}`")), "{name} is not documented");
    }
    // What people should know of when it goes wrong is in some rule, and what is told of fleets in some panel.
    for wanted in
        ["fleet_connected", "certificate_not_after_seconds", "queue_overload", "breaker", "validator_failed_total"]
    {
        let wanted = format!("unladen_{wanted}");
        assert!(text("alerts.yml").contains(&wanted), "no alert uses {wanted}");
    }
    let panels = asked.join("\n");
    for family in known.iter().filter(|name| name.starts_with("unladen_fleet_") && !name.contains("cut_offs")) {
        assert!(panels.contains(family.as_str()), "no panel shows {family}");
    }
    node.serve.stop();
}

#[test]
fn prometheus_accepts_rules_queries_and_metrics_and_each_alert_fires_when_it_should_and_not_else() {
    let test = "prometheus_accepts_rules_queries_and_metrics_and_each_alert_fires_when_it_should_and_not_else";
    let alerts: BTreeSet<_> = of_key(&text("alerts.yml"), "alert").into_iter().collect();
    let tests = text("alerts.test.yml");
    assert!(alerts.len() > 20, "{alerts:?}");
    for alert in &alerts {
        let one = tests.split("\n  - name: ").find(|one| one.starts_with(&format!("{alert}\n")));
        let one = one.unwrap_or_else(|| panic!("{alert} has no test"));
        assert!(
            one.contains("exp_alerts: []") && one.contains("- exp_labels:"),
            "{alert} does not fire, or is not silent: {one}"
        );
    }
    let Some(promtool) = promtool(test) else { return };
    let folder = tempfile::tempdir().unwrap();
    let check = |arguments: &[&str], input: Stdio| {
        let output = Command::new(&promtool).args(arguments).current_dir(guide(".")).stdin(input).output().unwrap();
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        assert!(output.status.success(), "{arguments:?}: {said}");
        said
    };
    let panels = folder.path().join("panels.yml");
    let rule =
        |(index, query): (usize, String)| format!("  - record: panel:{index}\n    expr: {}\n", Value::from(query));
    let rules: String = queries().into_iter().enumerate().map(rule).collect();
    std::fs::write(&panels, format!("groups:\n- name: panels\n  rules:\n{rules}")).unwrap();
    check(&["check", "rules", "recording.yml", "alerts.yml", panels.to_str().unwrap()], Stdio::null());
    check(&["test", "rules", "alerts.test.yml"], Stdio::null());
    let node = node();
    node.ask();
    let metrics = folder.path().join("metrics");
    std::fs::write(&metrics, node.metrics()).unwrap();
    // Names are OpenTelemetry's, which its linter does not always like: what it cannot read, it ends on.
    let said = check(&["check", "metrics", "--extended", "--lint=none"], std::fs::File::open(&metrics).unwrap().into());
    assert!(said.contains("http_client_request_duration_seconds") && !said.contains("error"), "{said}");
    node.serve.stop();
}

#[test]
fn exemplars_of_open_metrics_are_those_of_requests_that_were_traced() {
    let test = "exemplars_of_open_metrics_are_those_of_requests_that_were_traced";
    let Some(reader) = pypi(test, &["prometheus_client==0.22.1"]) else { return };
    let node = node();
    node.ask();
    let traces = || {
        let all = node.app.received();
        let ids = all.iter().filter_map(|one| one.header("traceparent").map(|value| value.to_owned()));
        ids.collect::<Vec<_>>()
    };
    wait::until("it is counted", || node.metrics().contains("http_server_request_duration_seconds_count"));
    let [sent] = &traces()[..] else { panic!("{:?}", traces()) };
    let [_, trace, span, "01"] = sent.split('-').collect::<Vec<_>>()[..] else { panic!("{sent}") };
    let open = node.get("/metrics", "application/openmetrics-text; version=1.0.0");
    assert!(open.ends_with("\n# EOF\n") && !node.metrics().contains(" # {"), "{open}");
    let mut python = Command::new("python3");
    python.args(["-c", READER]).env("PYTHONPATH", reader).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = python.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), open.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{open}");
    let read = String::from_utf8(output.stdout).unwrap();
    let expected = [
        "http_server_request_duration_seconds_bucket",
        "http_client_request_duration_seconds_bucket",
        "unladen_requests_total",
    ];
    let lines: BTreeSet<_> = read.lines().map(str::to_owned).collect();
    assert_eq!(lines, expected.iter().map(|name| format!("{name} {trace} {span}")).collect(), "{open}");
    node.serve.stop();
}

#[test]
fn a_page_shows_the_nodes_of_the_fleet_and_what_other_nodes_say() {
    let node = node();
    let peers = || serde_json::from_str::<Value>(&node.get("/peers", "*/*")).unwrap();
    wait::until("the node is in the list", || peers()["fleet"]["list"].as_array().is_some_and(|list| !list.is_empty()));
    wait::until("the node is in its fleet", || node.metrics().contains("unladen_fleet_connected 1"));
    wait::until("what it says of itself is read", || peers()["peers"][0]["connected"] == true);
    let told = peers();
    let own = &told["fleet"]["list"][0];
    assert_eq!((&told["schema"], &told["fleet"]["nodes"]), (&"unladen.serve-peers/1".into(), &1.into()));
    assert!(own["node"].as_str().unwrap().starts_with("here.") && own["own"] == true && own["behind"] == 0, "{told}");
    let [up, down] = &told["peers"].as_array().unwrap()[..] else { panic!("{told}") };
    assert_eq!(
        (&up["version"], &up["draining"], &up["lag"]),
        (&env!("CARGO_PKG_VERSION").into(), &false.into(), &0.0.into())
    );
    assert!(down["error"].as_str().unwrap().starts_with("no connection: "), "{told}");
    let stats: Value = serde_json::from_str(&node.get("/stats", "*/*")).unwrap();
    assert_eq!(stats["peers"], 2);
    node.serve.stop();
}
