//! The principal type is [`Town`]: five nodes of `unladen serve` in front of an application, each with a way to the bus
//! of its own.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nix::sys::signal::Signal;
use unladen_tests::site::app;
use unladen_tests::{Serve, Upstream, wait};

use crate::history::History;
use crate::way::Way;

/// Nodes.
pub(crate) const NODES: usize = 5;
/// What is out of the fleet when it was not heard for so long.
const LEASE: &str = "1s";

/// A node.
pub(crate) struct Node {
    pub(crate) way: Way,
    config: String,
    /// None: it was killed.
    serve: Mutex<Option<Serve>>,
    folder: Mutex<PathBuf>,
    /// How often it was started: what an earlier process had not told the bus yet is gone with it.
    pub(crate) life: AtomicU64,
    pub(crate) is_stopped: AtomicBool,
}

/// Five nodes in front of an application.
pub(crate) struct Town {
    pub(crate) nodes: Vec<Node>,
    pub(crate) history: Arc<History>,
    _app: Upstream,
}

/// What `POST /purge` came to.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) is_confirmed: bool,
    pub(crate) is_published: bool,
}

impl Town {
    /// `way`: the way of a node to the bus, and to the application that is at this URL.
    pub(crate) fn new(pages: usize, way: impl Fn(usize, &str) -> Way) -> Self {
        let history = Arc::new(History::of(pages));
        let versions = Arc::clone(&history);
        let app = app(move |request| {
            let page: usize = request.target.rsplit('/').next().and_then(|page| page.parse().ok()).expect("a page");
            let version = versions.version(page);
            let lines = format!("Cache-Control: max-age=3600\r\nETag: \"{version}\"\r\nCache-Tag: page-{page}\r\n");
            if request.field("if-none-match") == Some(&format!("\"{version}\"")) {
                return format!("HTTP/1.1 304 Not Modified\r\n{lines}\r\n");
            }
            format!("HTTP/1.1 200 OK\r\n{lines}Content-Length: {}\r\n\r\n{version}", version.to_string().len())
        });
        let nodes = (0..NODES).map(|number| Node::start(number, way(number, &app.url()))).collect();
        Self { nodes, history, _app: app }
    }

    /// Waits until all nodes say that they are in the fleet and have been told everything.
    pub(crate) fn wait_until_whole(&self) {
        for (number, node) in self.nodes.iter().enumerate() {
            wait::until_ok(&format!("node {number} is in the fleet"), || {
                let metrics = node.metrics().ok_or("it does not answer")?;
                let own: Vec<&str> = metrics.lines().filter(|line| line.starts_with("unladen_fleet")).collect();
                let is = |name: &str, number: f64| {
                    let line = own.iter().find(|line| line.trim_start_matches(name).starts_with(['{', ' ']));
                    line.and_then(|line| line.rsplit(' ').next()?.parse::<f64>().ok()) == Some(number)
                };
                let is_whole = is("unladen_fleet_waiting", 0.0) && is("unladen_fleet_lag", 0.0);
                if is_whole && is("unladen_fleet_connected", 1.0) { Ok(()) } else { Err(own.join("\n")) }
            });
        }
    }
}

impl Node {
    fn start(number: usize, way: Way) -> Self {
        let config = format!(
            "threads = 1
             [admin]
             listen = \"unix:DIR/admin.sock\"
             [fleet]
             purges = \"{}\"
             name = \"town\"
             node = \"node-{number}\"
             lease = \"{LEASE}\"
             [[site]]
             name = \"test\"
             listen = \"unix:DIR/a.sock\"
             upstream = \"{}\"
             outlier = false
             [site.cache]
             ",
            way.bus, way.app
        );
        let node = Self {
            way,
            config,
            serve: Mutex::new(None),
            folder: Mutex::default(),
            life: AtomicU64::new(0),
            is_stopped: AtomicBool::new(false),
        };
        node.revive();
        node
    }

    /// Ends it without a word.
    pub(crate) fn kill(&self) {
        self.life.fetch_add(1, Ordering::SeqCst);
        drop(self.serve().take());
    }

    /// Starts it again, if it was killed: with nothing in memory.
    pub(crate) fn revive(&self) {
        let mut serve = self.serve();
        if serve.is_none() {
            let started = Serve::start_through(&format!("exec {} \"$@\"", self.way.inside), &self.config);
            *self.folder.lock().unwrap_or_else(PoisonError::into_inner) = started.path("");
            *serve = Some(started);
        }
    }

    /// Stops it, or lets it go on: as a machine whose virtual processor is taken away.
    pub(crate) fn freeze(&self, is_frozen: bool) {
        self.is_stopped.store(is_frozen, Ordering::SeqCst);
        if let Some(serve) = &*self.serve() {
            serve.running().signal(if is_frozen { Signal::SIGSTOP } else { Signal::SIGCONT });
        }
    }

    /// Ends it as it should be ended.
    pub(crate) fn stop(&self) {
        if let Some(serve) = self.serve().take() {
            let done = serve.stop();
            assert!(!done.stderr.contains("panicked at"), "{}", done.stderr);
            assert!(!done.stderr.contains("open-sesame"), "a password is told: {}", done.stderr);
        }
    }

    fn serve(&self) -> MutexGuard<'_, Option<Serve>> {
        self.serve.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The version of a page; none: no answer.
    pub(crate) fn get(&self, page: usize) -> Option<u64> {
        let mut stream = UnixStream::connect(self.path("a.sock")).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(8))).ok()?;
        let request = format!("GET /page/{page} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
        let (status, body) = answer(&mut stream, &request)?;
        if status == 200 { body.trim().parse().ok() } else { None }
    }

    /// Tells it at its admin address to forget something: the JSON of `/purge`.
    pub(crate) fn purge(&self, wish: &str, patience: Duration) -> Option<Told> {
        let (status, body) = self.admin("POST /purge", wish, patience + Duration::from_secs(6))?;
        if status != 200 && status != 202 {
            return None;
        }
        let document: serde_json::Value = serde_json::from_str(body.trim()).ok()?;
        let fleet = document.get("fleet").unwrap_or_else(|| panic!("no word of the fleet: {body}"));
        let is = |name: &str| fleet[name].as_bool().unwrap_or_else(|| panic!("no {name}: {body}"));
        assert_eq!(status == 200, is("confirmed"), "{status} {body}");
        Some(Told { is_confirmed: is("confirmed"), is_published: fleet["written"].is_string() })
    }

    pub(crate) fn metrics(&self) -> Option<String> {
        self.admin("GET /metrics", "", Duration::from_secs(8)).map(|(_, body)| body)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.lock().unwrap_or_else(PoisonError::into_inner).join(name)
    }

    fn admin(&self, line: &str, body: &str, patience: Duration) -> Option<(u16, String)> {
        let mut stream = UnixStream::connect(self.path("admin.sock")).ok()?;
        stream.set_read_timeout(Some(patience)).ok()?;
        let fields = format!("Host: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        answer(&mut stream, &format!("{line} HTTP/1.1\r\n{fields}Connection: close\r\n\r\n{body}"))
    }
}

/// Status and body; none: there was none, or not all of it.
fn answer(stream: &mut (impl Read + Write), request: &str) -> Option<(u16, String)> {
    stream.write_all(request.as_bytes()).ok()?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    if length.is_some_and(|length| length != body.len()) {
        return None;
    }
    Some((head.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()?, body.to_owned()))
}
