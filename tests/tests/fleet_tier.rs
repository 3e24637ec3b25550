//! Nodes that ask each other before they ask the application: one asks it for all; what is gone, slow, behind or hostile
//! costs no more than without them.
//!
//! Waits: owners that are stopped are given up.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use nix::sys::signal::Signal;
use tempfile::TempDir;
use unladen_tests::site::{app, get, page};
use unladen_tests::{Answer, Ending, Serve, Upstream, Valkey, Wire, free_address, wait};

const SECRET: &str = "a-secret-of-five-nodes-0123456789abcdef";
/// Longer than any machine pauses: who does not answer in that time is meant not to.
const PATIENT: &str = "deadline = \"20s\"\n";

/// Nodes of a tier.
struct Tier {
    nodes: Vec<Node>,
    _folder: TempDir,
}

struct Node {
    serve: Serve,
    address: SocketAddr,
}

impl Tier {
    /// So many nodes in front of this application. `tier`: more of that table; `tables`: of the whole; `site`: of each.
    fn start(app: &Upstream, count: usize, tier: &str, tables: &str, site: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let secret = folder.path().join("secret");
        std::fs::write(&secret, SECRET).expect("a file can be written");
        let addresses: Vec<SocketAddr> = (0..count).map(|_| free_address()).collect();
        let peers: Vec<String> = addresses.iter().map(|address| format!("\"http://{address}\"")).collect();
        let (peers, secret) = (peers.join(", "), secret.display());
        let node = |address: &SocketAddr| {
            let serve = Serve::start(&format!(
                "threads = 2
                 [admin]
                 listen = \"unix:DIR/admin.sock\"
                 [tier]
                 peers = [{peers}]
                 secret_file = \"{secret}\"
                 {tier}
                 {tables}
                 [[site]]
                 name = \"test\"
                 listen = [\"unix:DIR/a.sock\", \"{address}\"]
                 upstream = \"{}\"
                 [site.cache]
                 purge = [\"127.0.0.1\"]
                 {site}
                 ",
                app.url()
            ));
            Node { serve, address: *address }
        };
        Self { nodes: addresses.iter().map(node).collect(), _folder: folder }
    }

    /// Which node owns a page that nobody has asked for yet, and no node keeps but its owner.
    fn owner(&self, path: &str) -> usize {
        let owners: Vec<usize> = (0..self.nodes.len()).filter(|n| !self.nodes[*n].get(path).is_of_peer()).collect();
        assert_eq!(owners.len(), 1, "{path} has the owners {owners:?}");
        owners[0]
    }

    /// Pages of this owner.
    fn pages_of(&self, owner: usize, count: usize) -> Vec<String> {
        (0..).map(|n| format!("/of/{n}")).filter(|path| self.owner(path) == owner).take(count).collect()
    }

    fn stop(self) {
        self.nodes.into_iter().for_each(|node| drop(node.serve.stop()));
    }
}

// === impl Node ===

impl Node {
    fn wire(&self) -> Wire {
        Wire::tcp(self.address)
    }

    fn get(&self, path: &str) -> Answer {
        self.wire().get(path).is(200)
    }

    fn ask(&self, path: &str, lines: &str) -> Answer {
        self.wire().ask(get(path, lines))
    }

    fn metric(&self, name: &str) -> usize {
        let text = Wire::unix(&self.serve.path("admin.sock")).get("/metrics").is(200).text();
        let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}:\n{text}"));
        line.rsplit(' ').next().and_then(|number| number.parse::<f64>().ok()).expect("a number") as usize
    }

    fn asked(&self, result: &str) -> usize {
        self.metric(&format!("unladen_tier_asked_total{{result=\"{result}\"}}"))
    }
}

/// What a test looks for in an answer.
trait Told {
    fn statuses(&self) -> String;

    fn is_of_peer(&self) -> bool {
        self.statuses().ends_with("detail=peer")
    }
}

impl Told for Answer {
    /// Of each cache on the way, the nearest to the application first.
    fn statuses(&self) -> String {
        assert!(!self.fields.iter().any(|(name, _)| name.starts_with("x-unladen-tier")), "{self:?}");
        let lines = self.fields.iter().filter(|(name, _)| name == "cache-status").map(|(_, value)| value.as_str());
        lines.collect::<Vec<_>>().join(", ")
    }
}

/// Pages that name themselves, and stay for long.
fn pages() -> Upstream {
    app(|request| page("Cache-Control: max-age=600\r\n", &request.target))
}

fn times(app: &Upstream, path: &str) -> usize {
    app.seen().iter().filter(|seen| seen.target == path).count()
}

/// A fixed sequence (xorshift64*), so that each run asks for the same.
struct Draws(u64);

impl Draws {
    /// From 0 to less than 1.
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// By Zipf's law: the n-th page is asked for in proportion to 1/n.
fn zipf(draws: &mut Draws, pages: usize) -> usize {
    let all: f64 = (1..=pages).map(|n| 1.0 / n as f64).sum();
    let mut left = draws.next() * all;
    (1..pages)
        .find(|n| {
            left -= 1.0 / *n as f64;
            left < 0.0
        })
        .unwrap_or(pages)
}

#[test]
fn five_nodes_ask_the_application_as_one_big_one_would() {
    let app = pages();
    let tier = Tier::start(&app, 5, PATIENT, "", "");
    let mut wires: Vec<Wire> = tier.nodes.iter().map(Node::wire).collect();
    let (mut draws, mut different) = (Draws(0x5eed), BTreeSet::new());
    for n in 0..2500 {
        let path = format!("/{}", zipf(&mut draws, 500));
        let answer = wires[n % 5].get(&path).is(200);
        assert_eq!(answer.text(), path);
        different.insert(path);
    }
    // One that keeps all of them asks once for each.
    let (big, five) = (different.len(), app.seen().len());
    assert!(big > 300 && five * 10 <= big * 11, "{five} requests to the application, of {big} pages");
    // The hottest is kept by all: nobody is asked for it.
    let answered = || tier.nodes.iter().map(|node| node.asked("answered")).sum::<usize>();
    let before = answered();
    wires.iter_mut().for_each(|wire| assert!(wire.get("/1").is(200).statuses().starts_with("unladen; hit")));
    assert_eq!(answered(), before);
    assert!(before > 500 && before < 2500 - five, "{before} questions to peers");
    tier.stop();
}

#[test]
fn each_hop_tells_what_it_did_and_the_age_goes_on() {
    let app = app(|request| page("Cache-Control: max-age=600\r\nAge: 100\r\n", &request.target));
    let tier = Tier::start(&app, 3, &format!("{PATIENT}hot = 2\n"), "", "");
    let owner = tier.owner("/a");
    assert_eq!(times(&app, "/a"), 1);
    let [one, other] = [1, 2].map(|n| &tier.nodes[(owner + n) % 3]);
    // Asked for once, it was kept by its owner alone; now it is hot here.
    let answer = one.get("/a");
    let statuses = answer.statuses();
    assert!(statuses.starts_with("unladen; hit; ttl="), "{statuses}");
    assert!(statuses.ends_with(", unladen; fwd=uri-miss; fwd-status=200; stored; detail=peer"), "{statuses}");
    let age: u64 = answer.field("age").unwrap().parse().unwrap();
    let kept = one.get("/a");
    assert!(kept.statuses().starts_with("unladen; hit; ttl=") && !kept.statuses().contains(", "), "{kept:?}");
    assert!(kept.field("age").unwrap().parse::<u64>().unwrap() >= age && age >= 100, "{kept:?}");
    assert!(other.get("/a").statuses().ends_with("; stored; detail=peer"));
    // What is asked for anew is asked for anew, once.
    other.ask("/a", "Cache-Control: no-cache\r\n").is(200);
    assert_eq!(times(&app, "/a"), 2);
    assert_eq!(
        app.seen().iter().filter(|seen| seen.fields.iter().any(|(name, _)| name.starts_with("x-unladen"))).count(),
        0
    );
    tier.stop();
}

#[test]
fn variants_labels_and_what_is_for_one_alone_stay_what_they_are() {
    let version = Arc::new(AtomicUsize::new(1));
    let now = version.clone();
    let app = app(move |request| {
        let said = |name: &str| request.field(name).unwrap_or("none").to_owned();
        let version = now.load(Ordering::SeqCst);
        match request.target.as_str() {
            "/vary" => page("Cache-Control: max-age=600\r\nVary: Accept-Language\r\n", &said("accept-language")),
            "/private" => page("Cache-Control: private\r\n", "mine"),
            "/labelled" if request.method == "HEAD" => {
                format!("HTTP/1.1 200 OK\r\nETag: \"v{version}\"\r\nContent-Length: 2\r\n\r\n")
            }
            "/labelled" => page(&format!("ETag: \"v{version}\"\r\n"), &format!("v{version}")),
            _ => page("Cache-Control: max-age=600\r\n", &said("cookie")),
        }
    });
    let site = "[[site.validator]]\npath = \"/labelled\"\nhead = true\n";
    let tier = Tier::start(&app, 3, &format!("{PATIENT}hot = 1\n"), "", site);
    for _ in 0..2 {
        for node in &tier.nodes {
            for language in ["de", "fr"] {
                let answer = node.ask("/vary", &format!("Accept-Language: {language}\r\n")).is(200);
                assert_eq!(answer.text(), language);
            }
        }
    }
    assert_eq!(times(&app, "/vary"), 2, "one for each variant");
    for expected in ["v1", "v2"] {
        let before = app.seen().iter().filter(|seen| seen.target == "/labelled" && seen.method == "GET").count();
        for _ in 0..2 {
            tier.nodes.iter().for_each(|node| assert_eq!(node.get("/labelled").text(), expected));
        }
        let after = app.seen().iter().filter(|seen| seen.target == "/labelled" && seen.method == "GET").count();
        assert_eq!(after - before, 1, "{expected}: all keep what one has asked for");
        version.store(2, Ordering::SeqCst);
    }
    // What is nobody else's is asked for by each itself, once that is known.
    tier.nodes.iter().for_each(|node| drop(node.get("/private")));
    let (asked, seen) = (tier.nodes[0].asked("answered"), times(&app, "/private"));
    for _ in 0..3 {
        assert_eq!(tier.nodes[0].get("/private").text(), "mine");
    }
    assert_eq!((tier.nodes[0].asked("answered"), times(&app, "/private")), (asked, seen + 3));
    for node in &tier.nodes {
        for who in ["session=ann", "session=bob"] {
            assert_eq!(node.ask("/who", &format!("Cookie: {who}\r\n")).is(200).text(), who);
        }
    }
    assert_eq!(tier.nodes[0].asked("answered"), asked);
    tier.stop();
}

#[test]
fn an_owner_that_dies_costs_one_question_a_page() {
    let app = pages();
    let tier = Tier::start(&app, 5, &format!("{PATIENT}hot = 100\n"), "", "");
    let pages = tier.pages_of(0, 12);
    tier.nodes[0].serve.running().signal(Signal::SIGKILL);
    for node in &tier.nodes[1..] {
        for _ in 0..3 {
            pages.iter().for_each(|path| assert_eq!(node.get(path).text(), *path));
        }
        assert!((1..=pages.len()).contains(&node.asked("failed")), "{} of {}", node.asked("failed"), pages.len());
    }
    let Tier { mut nodes, _folder } = tier;
    drop(nodes.remove(0));
    nodes.into_iter().for_each(|node| drop(node.serve.stop()));
}

/// However its body is framed: the first half was passed on, and the second never came.
#[test]
fn an_owner_that_dies_within_a_body_gives_no_half_page() {
    let is_whole = Arc::new(AtomicBool::new(false));
    let now = is_whole.clone();
    let app = Upstream::start(move |peer| {
        while let Some(seen) = peer.request() {
            let (first, second) = ("a".repeat(70_000), "b".repeat(70_000));
            let is_chunked = seen.target.contains("chunked");
            let framing = if is_chunked { "Transfer-Encoding: chunked" } else { "Content-Length: 140000" };
            let framed =
                |part: &str| if is_chunked { format!("{:x}\r\n{part}\r\n", part.len()) } else { part.to_owned() };
            peer.send(format!("HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\n{framing}\r\n\r\n{}", framed(&first)));
            if seen.target.contains("half") && !now.load(Ordering::SeqCst) {
                peer.wait_for_end();
                return;
            }
            peer.send(framed(&second));
            if is_chunked {
                peer.send("0\r\n\r\n");
            }
        }
    });
    for framing in ["length", "chunked"] {
        is_whole.store(false, Ordering::SeqCst);
        let Tier { mut nodes, _folder } = Tier::start(&app, 2, &format!("{PATIENT}hot = 1\n"), "", "");
        let (path, mut wire, mut answer) = (0..)
            .map(|n| {
                let path = format!("/half/{framing}/{n}");
                let mut wire = nodes[1].wire();
                wire.send(get(&path, ""));
                let head = wire.head().is(200);
                (path, wire, head)
            })
            .find(|(_, _, head)| head.is_of_peer())
            .unwrap();
        nodes[0].serve.running().signal(Signal::SIGKILL);
        wire.body(&mut answer);
        assert!(matches!(answer.ending, Ending::Short | Ending::Reset), "{framing}: {:?}", answer.ending);
        assert!(answer.body.len() <= 70_000, "{framing}: {} bytes", answer.body.len());
        // Nor is the half kept for whoever comes next.
        is_whole.store(true, Ordering::SeqCst);
        let next = nodes[1].get(&path);
        assert_eq!((next.body.len(), next.ending), (140_000, Ending::Whole), "{framing}");
        assert!(!next.statuses().contains("hit"), "{}", next.statuses());
        drop(nodes.remove(0));
        nodes.into_iter().for_each(|node| drop(node.serve.stop()));
    }
}

/// Of a page that was only confirmed, the hop before this node was not told.
#[test]
fn a_304_shows_each_hop() {
    let app = app(|request| match request.field("if-none-match") {
        Some("\"v1\"") => "HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\nCache-Control: max-age=600\r\n\r\n".to_owned(),
        _ => page("ETag: \"v1\"\r\nCache-Control: max-age=600\r\n", &request.target),
    });
    let tier = Tier::start(&app, 2, &format!("{PATIENT}hot = 100\n"), "", "");
    let owner = tier.owner("/a");
    let one = &tier.nodes[1 - owner];
    // The client has it, and this node does not: the owner is asked, and the client is given no body.
    for _ in 0..2 {
        let answer = one.ask("/a", "If-None-Match: \"v1\"\r\n").is(304);
        let statuses = answer.statuses();
        assert!(statuses.starts_with("unladen; hit; ttl="), "{statuses}");
        assert!(statuses.contains(", unladen; fwd=uri-miss; fwd-status=200;") && answer.is_of_peer(), "{statuses}");
    }
    tier.stop();
    // This node has it, and asks the owner whether it is current.
    let short = self::app(|request| match request.field("if-none-match") {
        Some("\"v1\"") => "HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\nCache-Control: max-age=1\r\n\r\n".to_owned(),
        _ => page("ETag: \"v1\"\r\nCache-Control: max-age=1\r\n", &request.target),
    });
    let tier = Tier::start(&short, 2, &format!("{PATIENT}hot = 1\n"), "", "");
    let owner = tier.owner("/b");
    let one = &tier.nodes[1 - owner];
    let mut statuses = String::new();
    wait::until("it is stale, and confirmed by the owner", || {
        statuses = one.get("/b").statuses();
        statuses.contains("fwd-status=304; ") && statuses.ends_with("detail=peer")
    });
    let (hop, own) = statuses.split_once(", ").unwrap_or_else(|| panic!("one entry alone: {statuses}"));
    assert!(hop.starts_with("unladen; "), "{statuses}");
    assert!(own.starts_with("unladen; fwd=stale; fwd-status=304; "), "{statuses}");
    // What a hop did once is not told of the page afterwards.
    let kept = one.get("/b").statuses();
    let hops = if kept.ends_with("detail=peer") { 2 } else { 1 };
    assert_eq!(kept.matches("unladen; ").count(), hops, "{kept}");
    tier.stop();
}

#[test]
fn an_owner_that_hangs_is_given_up() {
    let app = pages();
    let tier = Tier::start(&app, 3, "deadline = \"3s\"\nhot = 100\n", "", "");
    let path = tier.pages_of(0, 1).remove(0);
    let before = times(&app, &path);
    tier.nodes[0].serve.running().signal(Signal::SIGSTOP);
    for _ in 0..3 {
        assert_eq!(tier.nodes[1].get(&path).text(), path);
    }
    assert!((before..=before + 2).contains(&times(&app, &path)), "by this node, or the next owner");
    wait::until("the failure is counted", || tier.nodes[1].asked("failed") >= 1);
    tier.nodes[0].serve.running().signal(Signal::SIGCONT);
    tier.stop();
}

/// A peer that waits for a slow application is no slow peer: whoever gave it up would have the application asked again.
#[test]
fn a_slow_application_is_asked_once() {
    let slow = Duration::from_millis(4500);
    let app = app(move |request| {
        if request.target.starts_with("/slow") {
            std::thread::sleep(slow);
        }
        page("Cache-Control: max-age=600\r\n", &request.target)
    });
    let tier = Tier::start(&app, 3, "deadline = \"4s\"\nhot = 100\n", "", "");
    let mut wires: Vec<Wire> = tier.nodes.iter().map(Node::wire).collect();
    wires.iter_mut().for_each(|wire| wire.send(get("/slow", "")));
    wires.iter_mut().for_each(|wire| assert_eq!(wire.answer().is(200).text(), "/slow"));
    assert_eq!(times(&app, "/slow"), 1);
    assert_eq!(tier.nodes.iter().map(|node| node.asked("failed")).sum::<usize>(), 0);
    tier.stop();
}

#[test]
fn what_is_purged_is_gone_on_all_nodes_and_comes_back_from_none() {
    let versions: Arc<std::sync::Mutex<BTreeMap<String, usize>>> = Arc::default();
    let known = versions.clone();
    let app = app(move |request| {
        let mut known = known.lock().unwrap();
        let version = known.entry(request.target.clone()).or_default();
        if request.method == "POST" {
            *version += 1;
            return "HTTP/1.1 204 No Content\r\n\r\n".to_owned();
        }
        page("Cache-Control: max-age=600\r\n", &version.to_string())
    });
    let valkey = Valkey::start();
    let fleet =
        format!("[fleet]\npurges = \"{}\"\nlease = \"3s\"\nwait_for = \"20s\"\n", Valkey::url_at(valkey.address()));
    let tier = Tier::start(&app, 3, &format!("{PATIENT}hot = 2\n"), &fleet, "");
    for node in &tier.nodes {
        wait::until("it is connected", || node.metric("unladen_fleet_connected") == 1);
    }
    let version = |path: &str| versions.lock().unwrap().get(path).copied().unwrap_or_default().to_string();
    for n in 0..8 {
        let path = format!("/{n}");
        for _ in 0..3 {
            tier.nodes.iter().for_each(|node| assert_eq!(node.get(&path).text(), version(&path)));
        }
        // Whoever changes a page sees it changed at once, whichever node owns it …
        for node in &tier.nodes {
            node.wire().post(&path, "x").is(204);
            assert_eq!(node.get(&path).text(), version(&path), "{path}, by its author");
        }
        // … and others do once the purge is confirmed.
        *versions.lock().unwrap().get_mut(&path).unwrap() += 1;
        tier.nodes[n % 3].wire().ask(format!("PURGE {path} HTTP/1.1\r\nHost: test\r\n\r\n")).is(200);
        for _ in 0..3 {
            tier.nodes.iter().for_each(|node| assert_eq!(node.get(&path).text(), version(&path), "{path}"));
        }
    }
    let asked: usize = tier.nodes.iter().map(|node| node.asked("answered")).sum();
    assert!(asked > 0, "they ask each other");
    tier.stop();
}

#[test]
fn loops_end_and_strangers_gain_nothing() {
    let app = pages();
    let tier = Tier::start(&app, 3, &format!("{PATIENT}hot = 1\n"), "", "");
    let node = &tier.nodes[0];
    node.get("/a");
    let signed = app.seen()[0].field("cdn-loop").expect("the application is told").to_owned();
    assert!(signed.starts_with("unladen-"), "{signed}");
    // Back at the nodes, it would go round. What is stored is served as to anybody.
    let looped = format!("CDN-Loop: other.example, {signed}\r\n");
    let before = app.seen().len();
    assert_eq!(node.ask("/looped", &looped).status, 508);
    assert_eq!(node.ask("/looped", &format!("{looped}Cookie: a=b\r\n")).status, 508);
    assert_eq!(app.seen().len(), before);
    assert_eq!(node.ask("/a", &looped).is(200).text(), "/a");
    assert_eq!(node.ask("/looped", "CDN-Loop: other.example\r\n").is(200).text(), "/looped");
    // As a peer asks, but without the secret: it is a client, who is told nothing and reaches nothing else.
    let hostile =
        "X-Unladen-Tier: https;for=10.0.0.1;stored\r\nX-Unladen-Tier-Secret: guessed-0123456789abcdef-0123456789\r\n";
    for node in &tier.nodes {
        let path = format!("/hostile/{}", node.address.port());
        assert_eq!(node.ask(&path, hostile).is(200).text(), path);
        assert_eq!(node.metric("unladen_tier_strangers_total"), 1);
        // Nor is it another page, or one by https, than others get.
        let again = node.get(&path);
        assert_eq!(again.text(), path);
        assert_eq!(times(&app, &path), 1, "it was stored as an ordinary page");
    }
    let seen = app.seen();
    assert!(seen.iter().all(|seen| seen.fields.iter().all(|(name, _)| !name.starts_with("x-unladen"))));
    // With the secret, a peer can ask for pages alone, and is not passed on.
    let peer = format!("X-Unladen-Tier: http\r\nX-Unladen-Tier-Secret: {SECRET}\r\n");
    for node in &tier.nodes {
        let asked = node.asked("answered");
        let path = format!("/peer/{}", node.address.port());
        let answer = node.ask(&path, &peer).is(200);
        assert_eq!((answer.field("x-unladen-tier"), answer.text()), (Some("answer"), path));
        assert_eq!(node.asked("answered"), asked);
        let stored = format!("X-Unladen-Tier: http;stored\r\nX-Unladen-Tier-Secret: {SECRET}\r\n");
        assert_eq!(node.ask("/who", &format!("{peer}Cookie: a=b\r\n")).status, 421);
        assert_eq!(node.ask("/absent", &stored).status, 421);
    }
    tier.stop();
}

/// A peer that is taken over, or another program at its address: each request that meets it is the application's.
#[test]
fn what_no_node_says_is_no_page() {
    const OURS: &str = "HTTP/1.1 200 OK\r\nX-Unladen-Tier: answer\r\nCache-Control: max-age=600\r\n";
    let (app, folder) = (pages(), tempfile::tempdir().expect("a temporary folder"));
    let secret = folder.path().join("secret");
    std::fs::write(&secret, SECRET).expect("a file can be written");
    for (said, goes_on) in [
        ("\0\u{7f}no HTTP\r\n\r\n".to_owned(), ""),
        ("HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nContent-Length: 4\r\n\r\nEVIL".to_owned(), ""),
        (format!("{OURS}Content-Length: 4\r\nContent-Length: 8\r\n\r\nEVILEVIL"), ""),
        (format!("{OURS}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nEVIL\r\n0\r\n\r\n"), ""),
        (format!("{OURS}Content-Length: 99999999999999999999999\r\n\r\nEVIL"), ""),
        (format!("{OURS}Connection: upgrade\r\nUpgrade: evil\r\n\r\n").replace("200 OK", "101 Evil"), ""),
        // Fields without end, and a field without end.
        (OURS.to_owned(), "X-Evil: 0123456789\r\n"),
        (format!("{OURS}X-Evil: "), "0123456789"),
    ] {
        let peer = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let (other, own, met) =
            (peer.local_addr().expect("its address"), free_address(), Arc::<AtomicUsize>::default());
        let (counted, first) = (met.clone(), said.clone());
        std::thread::spawn(move || {
            for mut stream in peer.incoming().flatten() {
                let _ = stream.read(&mut [0; 4096]);
                counted.fetch_add(1, Ordering::SeqCst);
                let mut is_taken = stream.write_all(first.as_bytes()).is_ok();
                while is_taken && !goes_on.is_empty() {
                    is_taken = stream.write_all(goes_on.repeat(100).as_bytes()).is_ok();
                }
            }
        });
        let serve = Serve::start(&format!(
            "[tier]
             peers = [\"http://{own}\", \"http://{other}\"]
             secret_file = \"{}\"
             {PATIENT}
             [[site]]
             listen = [\"unix:DIR/a.sock\", \"{own}\"]
             upstream = \"{}\"
             cache = {{}}",
            secret.display(),
            app.url()
        ));
        let mut asked = 0;
        while met.load(Ordering::SeqCst) == 0 {
            let path = format!("/evil/{}/{asked}", own.port());
            assert_eq!(Wire::tcp(own).get(&path).is(200).text(), path, "{said:?}");
            assert_eq!(Wire::tcp(own).get(&path).is(200).text(), path, "it was stored: {said:?}");
            asked += 1;
            assert!(asked < 200, "the peer owns none of {asked} pages");
        }
        drop(serve.stop());
    }
}
