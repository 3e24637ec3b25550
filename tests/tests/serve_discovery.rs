//! Where the endpoints of an upstream are learnt: SRV records and a watched file. What is added, drained, weighed or
//! removed under load loses no request, and the last good answer stays.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;

use serde_json::{Value, json};
use tempfile::TempDir;
use unladen_tests::{Call, ControlPlane, Outbound, Upstream, Wire, free_address, wait};

/// An instance of an application that says its name, and holds requests for `/slow` until it is told.
struct Instance {
    upstream: Upstream,
    asked: Arc<AtomicUsize>,
    slow: Arc<AtomicUsize>,
    release: Arc<AtomicBool>,
}

impl Instance {
    fn start(name: &'static str) -> Self {
        let (asked, slow) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let release = Arc::new(AtomicBool::new(false));
        let (counts, holds, released) = (asked.clone(), slow.clone(), release.clone());
        let upstream = Upstream::forgetful(move |peer| {
            while let Some(request) = peer.request() {
                counts.fetch_add(1, Ordering::Relaxed);
                if request.target == "/slow" {
                    holds.fetch_add(1, Ordering::Relaxed);
                    wait::until("the slow request is released", || released.load(Ordering::Relaxed));
                }
                if !peer.answer(name) {
                    return;
                }
            }
        });
        Self { upstream, asked, slow, release }
    }

    fn address(&self) -> SocketAddr {
        self.upstream.address()
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

/// Clients that ask without a pause, GET and POST, each on a connection of its own.
struct Load {
    over: Arc<AtomicBool>,
    clients: Vec<JoinHandle<usize>>,
}

impl Load {
    fn start(outbound: &Outbound) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let client = |number: usize| {
            let (over, mut wire) = (over.clone(), outbound.wire());
            std::thread::spawn(move || {
                let mut answered = 0;
                while !over.load(Ordering::Relaxed) {
                    let answer =
                        if number.is_multiple_of(2) { wire.get("/") } else { wire.post("/", "not to be sent twice") };
                    assert_eq!(answer.status, 200, "after {answered}: {:?} {}", answer.reason(), answer.text());
                    answered += 1;
                }
                answered
            })
        };
        Self { clients: (0..4).map(client).collect(), over }
    }

    /// How many were answered; each was.
    #[track_caller]
    fn stop(self) -> usize {
        self.over.store(true, Ordering::Relaxed);
        self.clients.into_iter().map(|client| client.join().expect("each request is answered with 200")).sum()
    }
}

/// A file of endpoints, put in place whole.
fn put(path: &Path, endpoints: &Value) {
    let new = path.with_extension("new");
    fs::write(&new, json!({ "endpoints": endpoints }).to_string()).unwrap();
    fs::rename(new, path).unwrap();
}

fn by_file(settings: &str) -> Outbound {
    let table = format!("upstream = {{ url = \"http://app.example\", endpoints = \"file:DIR/app.json\" }}\n{settings}");
    Outbound::start(&table)
}

/// Of the metric of an endpoint.
fn endpoint(outbound: &Outbound, metric: &str, address: SocketAddr) -> Option<f64> {
    outbound.metric(&format!("unladen_endpoint_{metric}{{upstream=\"test\",endpoint=\"{address}\"}}"))
}

#[test]
fn endpoints_of_a_file_come_drain_and_go_under_load_and_nothing_is_lost() {
    let [one, two, three] = ["one", "two", "three"].map(Instance::start);
    let outbound = by_file("");
    let file = outbound.path("app.json");
    put(&file, &json!([{ "address": one.address() }]));
    let load = Load::start(&outbound);
    wait::until("the first is asked", || one.asked() > 50);

    put(&file, &json!([{ "address": one.address() }, { "address": two.address(), "weight": 3 }]));
    wait::until("the second is asked", || two.asked() > 50);

    // One request is under way there when the first is drained.
    let socket = outbound.socket();
    let slow = std::thread::spawn(move || {
        loop {
            // Whichever takes it: until the first does.
            let answer = Wire::unix(&socket).get("/slow").is(200).text();
            if answer == "one" {
                return;
            }
        }
    });
    two.release.store(true, Ordering::Relaxed);
    wait::until("the slow request is under way", || one.slow.load(Ordering::Relaxed) > 0);
    put(
        &file,
        &json!([{ "address": one.address(), "draining": true }, { "address": two.address() }, { "address": three.address() }]),
    );
    wait::until("the first is drained", || endpoint(&outbound, "draining", one.address()) == Some(1.0));
    wait::until("all but the slow one have ended", || {
        endpoint(&outbound, "active_requests", one.address()) == Some(1.0)
    });
    let asked = one.asked();
    wait::until("the third is asked", || three.asked() > 50);
    assert_eq!(one.asked(), asked, "one that is drained gets no more requests");
    one.release.store(true, Ordering::Relaxed);
    slow.join().expect("a request that is under way ends as it would have");

    put(&file, &json!([{ "address": two.address() }, { "address": three.address() }]));
    wait::until("the first is gone", || endpoint(&outbound, "draining", one.address()).is_none());
    wait::until("its connections are closed", || one.upstream.open() == 0);
    put(&file, &json!([{ "address": three.address() }]));
    wait::until("the second is gone", || endpoint(&outbound, "draining", two.address()).is_none());
    wait::until("its connections are closed", || two.upstream.open() == 0);

    assert!(load.stop() > 150);
    assert_eq!(one.asked(), asked);
    outbound.stop();
}

#[test]
fn a_wrong_file_changes_nothing_and_is_told_once_with_its_place() {
    let one = Instance::start("one");
    let outbound = by_file("timeouts.connect = \"100ms\"");
    let file = outbound.path("app.json");
    outbound.wire().get("/").refuses(503, "no_endpoint");
    put(&file, &json!([{ "address": one.address() }]));
    wait::until("it is asked", || outbound.wire().get("/").status == 200);
    assert_eq!(outbound.metric("unladen_endpoints_stale_seconds{"), Some(0.0));

    for _ in 0..2 {
        fs::write(&file, "{\"endpoints\": [\n  {\"adress\": \"10.0.0.1:80\"}\n]}").unwrap();
        wait::until("it is refused", || outbound.metric("unladen_endpoints_stale_seconds{") > Some(0.0));
        outbound.wire().get("/").is(200);
    }
    // None at all is what somebody has said; then nobody waits for one.
    put(&file, &json!([]));
    wait::until("there is none", || outbound.wire().get("/").status == 503);
    put(&file, &json!([{ "address": one.address() }]));
    wait::until("it is asked again", || outbound.wire().get("/").status == 200);

    let said = outbound.stop();
    let text = said.stderr.clone();
    let told = text.lines().filter(|line| line.contains("app.json:2:")).collect::<Vec<_>>();
    assert_eq!(told.len(), 1, "{text}");
    assert!(told[0].contains("unladen: test: ") && told[0].contains("unknown field `adress`"), "{text}");
}

#[test]
fn the_own_zone_and_the_first_priority_get_the_requests() {
    let [own, other, later] = ["own", "other", "later"].map(Instance::start);
    let address = unladen_tests::free_address();
    let serve = unladen_tests::Serve::start(&format!(
        "zone = \"a\"\n[admin]\nlisten = \"unix:DIR/admin.sock\"\n[[outbound]]\nname = \"test\"
         listen = [\"unix:DIR/a.sock\", \"{address}\"]
         upstream = {{ url = \"http://app.example\", endpoints = \"file:DIR/app.json\" }}"
    ));
    let file = serve.path("app.json");
    let text = || Wire::unix(&serve.path("a.sock")).get("/").is(200).text();
    let list = |draining: bool| {
        json!([
            { "address": later.address(), "priority": 1, "zone": "a" },
            { "address": own.address(), "zone": "a", "draining": draining },
            { "address": other.address(), "zone": "b" },
        ])
    };
    put(&file, &list(false));
    for _ in 0..50 {
        assert_eq!(text(), "own");
    }
    put(&file, &list(true));
    wait::until("the other zone is asked", || text() == "other");
    for _ in 0..50 {
        assert_eq!(text(), "other", "another zone of the same priority comes before the next priority");
    }
    put(&file, &json!([{ "address": later.address(), "priority": 1 }]));
    wait::until("the next priority is asked", || text() == "later");
    serve.stop();
}

/// dnsmasq with the SRV records of `_http._tcp.app.example`; answers live for a second.
struct Dns {
    process: Child,
    folder: TempDir,
    address: SocketAddr,
}

// === impl Dns ===

impl Dns {
    fn start(records: &[String]) -> Self {
        Self::start_with(&srv(records))
    }

    fn start_with(options: &[String]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let address = free_address();
        let process = run(folder.path(), address, options);
        Self { process, folder, address }
    }

    fn stop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// With other records, at the same address.
    fn set(&mut self, records: &[String]) {
        self.set_options(&srv(records));
    }

    fn set_options(&mut self, options: &[String]) {
        self.stop();
        self.process = run(self.folder.path(), self.address, options);
    }
}

impl Drop for Dns {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Of the service.
fn srv(records: &[String]) -> Vec<String> {
    records.iter().map(|record| format!("--srv-host=_http._tcp.app.example{record}")).collect()
}

fn run(folder: &Path, address: SocketAddr, options: &[String]) -> Child {
    let log = folder.join("log");
    let mut process = Command::new("/usr/sbin/dnsmasq")
        .args(["--keep-in-foreground", "--conf-file=/dev/null", "--pid-file=", "--no-resolv", "--no-hosts"])
        .args(["--listen-address=127.0.0.1", "--bind-interfaces", "--local=/example/", "--local-ttl=1"])
        .args(["--log-facility=-", "--user=root", "--host-record=one.example,127.0.0.1"])
        .arg(format!("--port={}", address.port()))
        .args(options)
        .stdin(Stdio::null())
        .stderr(File::create(&log).unwrap())
        .spawn()
        .expect("dnsmasq is not installed: apt-get install dnsmasq-base");
    wait::until("dnsmasq has started", || {
        assert!(process.try_wait().unwrap().is_none(), "{}", fs::read_to_string(&log).unwrap());
        fs::read_to_string(&log).unwrap().contains("started, version")
    });
    process
}

fn record(instance: &Instance, priority: u16, weight: u16) -> String {
    format!(",one.example,{},{priority},{weight}", instance.address().port())
}

#[test]
fn srv_records_are_followed_under_load_and_the_last_good_answer_stays() {
    let [one, two, backup] = ["one", "two", "backup"].map(Instance::start);
    let mut dns = Dns::start(&[record(&one, 0, 1), record(&backup, 9, 1)]);
    let outbound = Outbound::start(&format!(
        "upstream = {{ url = \"http://app.example\", endpoints = \"srv:_http._tcp.app.example\" }}
         resolve = {{ servers = [\"{}\"], max_ttl = \"1s\", timeout = \"1s\" }}",
        dns.address
    ));
    let load = Load::start(&outbound);
    wait::until("the first is asked", || one.asked() > 50);

    dns.set(&[record(&one, 0, 1), record(&two, 0, 3), record(&backup, 9, 1)]);
    wait::until("the second is asked", || two.asked() > 50);
    dns.set(&[record(&two, 0, 3), record(&backup, 9, 1)]);
    wait::until("the first is gone", || endpoint(&outbound, "draining", one.address()).is_none());
    let asked = one.asked();

    // Nobody answers: what was known stays.
    dns.stop();
    wait::until("look-ups fail", || outbound.metric("unladen_endpoints_stale_seconds{") > Some(0.0));
    let before = two.asked();
    wait::until("the second is still asked", || two.asked() > before + 50);
    dns.process = run(dns.folder.path(), dns.address, &srv(&[record(&two, 0, 3), record(&backup, 9, 1)]));
    wait::until("look-ups succeed", || outbound.metric("unladen_endpoints_stale_seconds{") == Some(0.0));
    assert!(load.stop() > 150);
    assert_eq!((one.asked(), backup.asked()), (asked, 0));

    // `.`: there is no such service.
    dns.set(&[String::new()]);
    wait::until("the service is gone", || outbound.wire().get("/").status == 503);
    outbound.wire().get("/").refuses(503, "no_endpoint");
    outbound.stop();
}

/// A snapshot of a control plane, with these endpoints.
fn snapshot(version: &str, endpoints: &[(&Instance, Value)]) -> Value {
    let one = |(instance, more): &(&Instance, Value)| {
        let mut one = more.clone();
        one["address"] = instance.address().ip().to_string().into();
        one["port"] = instance.address().port().into();
        one
    };
    let endpoints: Vec<_> = endpoints.iter().map(one).collect();
    json!({ "version": version, "cluster": "app", "service": "app-service", "endpoints": endpoints })
}

#[test]
fn a_control_plane_is_followed_under_load_and_the_last_good_answer_stays() {
    if !ControlPlane::is_here("serve_discovery: a control plane") {
        return;
    }
    let [one, two, backup] = ["one", "two", "backup"].map(Instance::start);
    let mut plane = ControlPlane::start("web-1");
    let outbound = Outbound::start(&format!(
        "upstream = {{ url = \"http://app.example\", endpoints = \"xds://{}/app?node=web-1\" }}",
        plane.address()
    ));
    let spare = || (&backup, json!({ "priority": 1 }));
    plane.serve(&snapshot("v1", &[(&one, json!({})), spare()]));
    wait::until("the first endpoint is told", || endpoint(&outbound, "healthy", one.address()).is_some());
    let load = Load::start(&outbound);
    wait::until("the first is asked", || one.asked() > 50);
    let is_accepted = |version: &str| {
        let words = format!("version=\"{version}\"");
        plane.has_said(|line| {
            line.contains("ClusterLoadAssignment") && line.contains(&words) && line.ends_with("error=\"\"")
        })
    };
    wait::until("it is accepted", || is_accepted("v1"));
    assert!(plane.has_said(|line| line.contains("Cluster node=\"web-1\"")), "the node is told");

    plane.serve(&snapshot("v2", &[(&one, json!({ "health": "DRAINING" })), (&two, json!({ "weight": 3 })), spare()]));
    wait::until("the second is asked", || two.asked() > 50);
    wait::until("the first is drained", || endpoint(&outbound, "draining", one.address()) == Some(1.0));
    wait::until("its requests have ended", || endpoint(&outbound, "active_requests", one.address()) == Some(0.0));
    let asked = one.asked();

    // What cannot be is refused, with the reason, and changes nothing.
    let mut wrong = snapshot("v3", &[(&two, json!({}))]);
    wrong["endpoints"][0]["address"] = "app.example".into();
    plane.serve(&wrong);
    wait::until("it is refused", || {
        plane.has_said(|line| line.contains("version=\"v2\"") && line.contains("an endpoint at `app.example`"))
    });
    wait::until("that is seen", || outbound.metric("unladen_endpoints_stale_seconds{") > Some(0.0));
    let before = two.asked();
    wait::until("the second is still asked", || two.asked() > before + 50);

    plane.serve(&snapshot("v4", &[(&two, json!({})), spare()]));
    wait::until("the first is gone", || endpoint(&outbound, "draining", one.address()).is_none());
    assert_eq!(outbound.metric("unladen_endpoints_stale_seconds{"), Some(0.0));

    // It is gone, and another comes: what was known stays meanwhile.
    plane.kill();
    wait::until("that is seen", || outbound.metric("unladen_endpoints_stale_seconds{") > Some(0.0));
    let mut plane = ControlPlane::start_at(plane.address(), "web-1");
    plane.serve(&snapshot("v1", &[(&one, json!({})), spare()]));
    wait::until("the second is gone", || endpoint(&outbound, "draining", two.address()).is_none());
    wait::until("the first is asked again", || one.asked() > asked + 50);
    assert!(load.stop() > 200);
    assert_eq!(backup.asked(), 0);
    let said = outbound.stop().stderr;
    assert!(said.contains("unladen: test: discovery fails, the previous endpoints stay in use"), "{said}");
    assert!(said.contains("refused (NACK) version `v3`: an endpoint at `app.example`"), "{said}");
}

#[test]
fn a_headless_service_is_all_its_addresses() {
    // One port at two addresses of this machine, as pods have it.
    let first = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = first.local_addr().unwrap().port();
    let second = TcpListener::bind(("127.0.0.2", port)).unwrap();
    let asked: [_; 2] = [first, second].map(|listener| {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = asked.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, count) = (stream.unwrap(), count.clone());
                std::thread::spawn(move || {
                    let mut head = [0; 4096];
                    while stream.read(&mut head).is_ok_and(|read| read > 0) {
                        count.fetch_add(1, Ordering::Relaxed);
                        if stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").is_err() {
                            return;
                        }
                    }
                });
            }
        });
        asked
    });
    let asked = |index: usize| asked[index].load(Ordering::Relaxed);
    let both = ["--host-record=pods.example,127.0.0.1", "--host-record=pods.example,127.0.0.2"].map(str::to_owned);
    let mut dns = Dns::start_with(&both);
    let outbound = Outbound::of(
        &format!("http://pods.example:{port}"),
        &format!("resolve = {{ servers = [\"{}\"], max_ttl = \"1s\" }}", dns.address),
    );
    let ask = || outbound.wire().get("/").is(200);
    wait::until("both are asked", || {
        ask();
        asked(0) > 0 && asked(1) > 0
    });
    dns.set_options(&both[1..]);
    let gone: SocketAddr = ([127, 0, 0, 1], port).into();
    wait::until("the first is gone", || {
        ask();
        endpoint(&outbound, "healthy", gone).is_none()
    });
    let before = asked(0);
    (0..20).for_each(|_| drop(ask()));
    assert_eq!(asked(0), before);
    outbound.stop();
}

#[test]
fn a_check_connects_to_what_is_told_and_explain_says_where_that_comes_from() {
    let one = Instance::start("one");
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("unladen.toml");
    let text = format!(
        "[[outbound]]\nname = \"test\"\nlisten = \"{}\"
         upstream = {{ url = \"http://app.example\", endpoints = \"file:app.json\" }}",
        unladen_tests::free_address()
    );
    fs::write(&config, text).unwrap();
    let call = |options: &[&str]| {
        let mut args = vec!["serve", "--config", config.to_str().unwrap()];
        args.extend(options);
        Call::new(args).run()
    };
    let told = format!("endpoints = \"file:{}\"", folder.path().join("app.json").display());
    call(&["--explain"]).succeeded().shows([told.as_str()]);
    put(&folder.path().join("app.json"), &json!([{ "address": one.address() }]));
    let address = one.address().to_string();
    call(&["--check", "--connect"]).succeeded().shows([address.as_str()]);
    fs::write(folder.path().join("app.json"), "{}").unwrap();
    let done = call(&["--check", "--connect"]);
    let said = format!("{}{}", done.stdout, done.stderr);
    assert!(said.contains("app.json:1:") && said.contains("missing field `endpoints`"), "{said}");
}
