//! What one node of a fleet is told to forget is forgotten by all of them, and nothing is served that may have been
//! purged while the engine was away.
//!
//! Waits: leases run out.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use unladen_tests::site::{app, get, page};
use unladen_tests::{Answer, Serve, Succession, Upstream, Valkey, Wire, free_address, wait};

/// A lease that a loaded machine keeps, and no test waits long for.
const LEASE: &str = "1500ms";

/// Answers with a number that grows; a POST changes what it is for.
fn counting() -> Upstream {
    let count = Arc::new(AtomicUsize::new(0));
    app(move |request| match request.method.as_str() {
        "POST" => "HTTP/1.1 204 No Content\r\n\r\n".to_owned(),
        _ => {
            let tag = if request.target.starts_with("/tagged") { "Cache-Tag: t\r\n" } else { "" };
            let number = count.fetch_add(1, Ordering::SeqCst).to_string();
            page(&format!("Cache-Control: max-age=600\r\n{tag}"), &number)
        }
    })
}

/// The tables of a node, whose admin socket is in a folder that `DIR` stands for.
fn tables(app: &Upstream, bus: &str, address: SocketAddr, name: &str, more: &str) -> String {
    format!(
        "threads = 2
         [admin]
         listen = \"unix:DIR/admin.sock\"
         [fleet]
         purges = \"{bus}\"
         node = \"{name}\"
         lease = \"{LEASE}\"
         wait_for = \"10s\"
         [[site]]
         name = \"test\"
         listen = \"{address}\"
         upstream = \"{}\"
         [site.cache]
         purge = [\"127.0.0.1\"]
         {more}
         ",
        app.url()
    )
}

/// A node of the fleet.
struct Node {
    serve: Serve,
    address: SocketAddr,
}

impl Node {
    fn start(app: &Upstream, bus: &str, name: &str) -> Self {
        let address = free_address();
        Self { serve: Serve::start(&tables(app, bus, address, name, "")), address }
    }

    fn get(&self, path: &str) -> Answer {
        Wire::tcp(self.address).get(path).is(200)
    }

    /// Whether it has this page in memory, and would serve it.
    fn keeps(&self, path: &str) -> bool {
        let answer = Wire::tcp(self.address).ask(get(path, "Cache-Control: only-if-cached\r\n"));
        assert!(matches!(answer.status, 200 | 504), "{answer:?}");
        answer.status == 200
    }

    fn purge(&self, path: &str, lines: &str) -> Answer {
        Wire::tcp(self.address).ask(format!("PURGE {path} HTTP/1.1\r\nHost: test\r\n{lines}\r\n"))
    }

    fn metric(&self, name: &str) -> f64 {
        let text = Wire::unix(&self.serve.path("admin.sock")).get("/metrics").is(200).text();
        let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}:\n{text}"));
        line.rsplit(' ').next().and_then(|number| number.parse().ok()).expect("a number")
    }

    fn wait_until_connected(&self, is: bool) {
        let expected = f64::from(u8::from(is));
        wait::until("its connection is so", || self.metric("unladen_fleet_connected") == expected);
    }

    /// By the admin address.
    fn tell(&self, document: &str) -> Answer {
        let length = document.len();
        Wire::unix(&self.serve.path("admin.sock")).ask(format!(
            "POST /purge HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{document}"
        ))
    }
}

fn bus(valkey: &Valkey) -> String {
    Valkey::url_at(valkey.address())
}

/// Three of them, connected, and for long enough that the engine's list of nodes is known to be whole.
fn three(app: &Upstream, valkey: &Valkey) -> [Node; 3] {
    let nodes = ["one", "two", "three"].map(|name| Node::start(app, &bus(valkey), name));
    nodes.iter().for_each(|node| node.wait_until_connected(true));
    nodes[0].purge("/nothing", "").is(200);
    nodes
}

#[test]
fn a_purge_is_answered_once_all_nodes_have_forgotten() {
    let (app, valkey) = (counting(), Valkey::start());
    let nodes = three(&app, &valkey);
    let paths = ["/a", "/b", "/tagged"];
    let fill = || {
        for node in &nodes {
            paths.iter().for_each(|path| drop(node.get(path)));
            assert!(paths.iter().all(|path| node.keeps(path)));
        }
    };
    for (path, lines, gone) in [
        ("/a", "", &["/a"][..]),
        ("/", "X-Purge: prefix, wait=all\r\n", &paths),
        ("/", "Cache-Tag: t\r\n", &["/tagged"]),
        ("/b", "X-Purge: soft\r\n", &["/b"]),
    ] {
        fill();
        let answer = nodes[1].purge(path, lines).is(200).text();
        for node in &nodes {
            for path in paths {
                assert_eq!(node.keeps(path), !gone.contains(&path), "{path}, after {lines:?}: {answer}");
            }
        }
        for name in ["one", "two", "three"] {
            let told = answer.lines().filter(|line| line.starts_with(name) && line.contains("confirmed it after"));
            assert_eq!(told.count(), 1, "{answer}");
        }
    }
    // In capitals it was passed over, and waited for all. Of no page that is looked at: nobody waits until it is read.
    let answer = nodes[1].purge("/nothing", "X-Purge: soft, Wait=None\r\n").is(200).text();
    assert!(!answer.contains("confirmed it"), "{answer}");
    // By the admin address, too.
    fill();
    let answer = nodes[2].tell(r#"{ "all": true, "wait": "quorum" }"#).is(200);
    let document: serde_json::Value = serde_json::from_str(&answer.text()).unwrap();
    assert_eq!((&document["fleet"]["wait"], &document["fleet"]["confirmed"]), (&"quorum".into(), &true.into()));
    nodes[2].tell(r#"{ "all": true }"#).is(200);
    assert!(nodes.iter().all(|node| paths.iter().all(|path| !node.keeps(path))));
    nodes[2].tell(r#"{ "all": true, "wait": "some" }"#).is(400);
    let config = Wire::unix(&nodes[0].serve.path("admin.sock")).get("/config").is(200).text();
    assert!(config.contains("valkey://127.0.0.1") && !config.contains("open-sesame"), "{config}");
    nodes.into_iter().for_each(|node| drop(node.serve.stop()));
}

#[test]
fn a_request_that_changes_a_page_has_all_nodes_forget_it() {
    let (app, valkey) = (counting(), Valkey::start());
    let nodes = three(&app, &valkey);
    nodes.iter().for_each(|node| drop(node.get("/a")));
    Wire::tcp(nodes[0].address).post("/a", "x").is(204);
    wait::until("the others have forgotten it", || nodes.iter().all(|node| !node.keeps("/a")));
    nodes.into_iter().for_each(|node| drop(node.serve.stop()));
}

#[test]
fn while_the_engine_is_away_pages_are_revalidated_and_purges_are_kept() {
    let (app, mut valkey) = (counting(), Valkey::start());
    let nodes = three(&app, &valkey);
    nodes.iter().for_each(|node| drop(node.get("/a")));
    valkey.kill();
    nodes.iter().for_each(|node| node.wait_until_connected(false));
    for node in &nodes {
        assert!(!node.keeps("/a"));
        let (first, second) = (node.get("/a"), node.get("/a"));
        assert_ne!(first.text(), second.text(), "each request asks the application");
    }
    let answer = nodes[0].purge("/a", "X-Purge: wait=none\r\n").is(202).text();
    assert!(answer.contains("it is kept, and written as soon as possible"), "{answer}");
    // It comes back empty: what was purged meanwhile is not known, and everything is asked about once.
    valkey.restart();
    nodes.iter().for_each(|node| node.wait_until_connected(true));
    wait::until("the purge is written", || nodes[0].metric("unladen_fleet_waiting") == 0.0);
    for node in &nodes {
        assert_eq!(node.metric("unladen_fleet_lost"), 1.0);
    }
    wait::until("all have read it", || nodes.iter().all(|node| node.metric("unladen_fleet_lag") == 0.0));
    nodes.iter().for_each(|node| drop(node.get("/a")));
    assert!(nodes.iter().all(|node| node.keeps("/a")));
    nodes[1].purge("/a", "").is(200);
    assert!(nodes.iter().all(|node| !node.keeps("/a")));
    let told = nodes.map(|node| node.serve.stop().stderr);
    for told in told {
        assert!(told.contains("cut off from the fleet") && told.contains("connected to the fleet again"), "{told}");
        assert!(!told.contains("open-sesame"), "{told}");
    }
}

#[test]
fn what_was_trimmed_before_it_was_read_has_everything_revalidated() {
    let (app, valkey) = (counting(), Valkey::start());
    let node = Node::start(&app, &bus(&valkey), "one");
    node.wait_until_connected(true);
    node.get("/a");
    // Where this node reads on, something is missing.
    valkey.say("HINCRBY unladen:{unladen}:about count 3");
    wait::until("it has noticed", || node.metric("unladen_fleet_lost") == 1.0);
    node.wait_until_connected(true);
    assert!(!node.keeps("/a"));
    node.serve.stop();
}

/// The old process and the new one are two nodes for a moment; what is purged meanwhile is gone in what was taken over.
#[test]
fn no_purge_is_lost_over_a_handover() {
    let (app, valkey) = (counting(), Valkey::start());
    let other = Node::start(&app, &bus(&valkey), "other");
    let (stage, address) = (Succession::new(), free_address());
    stage.write(&stage.here(&tables(&app, &bus(&valkey), address, "stage", "")));
    stage.start(stage.command(unladen_tests::binary(), None));
    stage.wait_until_it_serves();
    let node = |path: &str| Wire::tcp(address).ask(get(path, "Cache-Control: only-if-cached\r\n")).status;
    let fetched = |path: &str| Wire::tcp(address).get(path).is(200).text();
    other.wait_until_connected(true);
    stage.wait_until_said("a node of the fleet", 1);
    other.purge("/nothing", "").is(200);
    fetched("/a");
    fetched("/b");
    wait::until("it serves from memory", || node("/a") == 200);
    stage.hand_over();
    other.purge("/a", "").is(200);
    assert_eq!(node("/a"), 504);
    stage.wait_until_said("a node of the fleet", 2);
    wait::until("the rest was taken over", || node("/b") == 200);
    other.purge("/b", "").is(200);
    assert_eq!(node("/b"), 504);
    stage.stop();
    other.serve.stop();
}

/// Pages from before are served as soon as what was purged while nobody served is forgotten.
#[test]
fn a_snapshot_is_read_on_from_its_place() {
    let (app, valkey) = (counting(), Valkey::start());
    let other = Node::start(&app, &bus(&valkey), "other");
    other.wait_until_connected(true);
    let (stage, address) = (Succession::new(), free_address());
    let more = "[site.snapshot]\nfile = \"DIR/test.snapshot\"\ntrust = \"fresh\"";
    stage.write(&stage.here(&tables(&app, &bus(&valkey), address, "stage", more)));
    let start = |times| {
        stage.start(stage.command(unladen_tests::binary(), None));
        stage.wait_until_it_serves();
        stage.wait_until_said("a node of the fleet", times);
    };
    let keeps = |path: &str| Wire::tcp(address).ask(get(path, "Cache-Control: only-if-cached\r\n")).status == 200;
    start(1);
    ["/a", "/b", "/tagged"].iter().for_each(|path| drop(Wire::tcp(address).get(path).is(200)));
    wait::until("it serves from memory", || keeps("/a"));
    stage.stop();
    other.purge("/a", "X-Purge: wait=none\r\n").is(200);
    start(2);
    wait::until("it serves what it had", || keeps("/b") && keeps("/tagged"));
    assert!(!keeps("/a"));
    stage.stop();
    other.purge("/b", "X-Purge: wait=none\r\n").is(200);
    // What cannot be read on from is in doubt.
    valkey.say("FLUSHALL");
    start(3);
    wait::until("it is connected", || stage.said().contains("purges of the fleet may be missing"));
    assert!(!keeps("/tagged") && !keeps("/b"));
    stage.stop();
    other.serve.stop();
}

/// A wrong password, or address, was corrected by a reload: what had been purged until then reached nobody.
#[test]
fn purges_that_waited_for_the_engine_outlive_a_reload_that_corrects_it() {
    let (app, valkey) = (counting(), Valkey::start());
    let other = Node::start(&app, &bus(&valkey), "other");
    other.wait_until_connected(true);
    other.get("/a");
    let (stage, address) = (Succession::new(), free_address());
    let tables = |bus: &str| stage.here(&tables(&app, bus, address, "stage", ""));
    let (wrong, right) = (tables(&Valkey::url_at(free_address())), tables(&bus(&valkey)));
    stage.write(&wrong);
    stage.start(stage.command(unladen_tests::binary(), None));
    stage.wait_until_it_serves();
    let purge = "PURGE /a HTTP/1.1\r\nHost: test\r\nX-Purge: wait=none\r\n\r\n";
    let purging = std::thread::spawn(move || Wire::tcp(address).ask(purge));
    wait::until("it waits for the engine", || {
        let metrics = Wire::unix(&stage.path("admin.sock")).get("/metrics").is(200).text();
        metrics.lines().any(|line| line == "unladen_fleet_waiting 1")
    });
    assert!(other.keeps("/a"));
    stage.write(&right);
    wait::until("the other one has heard of it", || !other.keeps("/a"));
    purging.join().expect("it is answered").is(200);
    stage.stop();
    other.serve.stop();
}
