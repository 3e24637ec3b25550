//! The principal type is [`ControlPlane`]: go-control-plane, which tells endpoints by Envoy's protocols.

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::go_program;
use crate::port::free_address;
use crate::wait;

/// What it is made of.
const SOURCES: [(&str, &str); 3] = [
    ("main.go", include_str!("../tools/control-plane/main.go")),
    ("go.mod", include_str!("../tools/control-plane/go.mod")),
    ("go.sum", include_str!("../tools/control-plane/go.sum")),
];
/// Changes with what it is made of: it is built once for all.
const VERSION: &str = "control-plane-0.13.4-1";

/// A control plane on 127.0.0.1. It is killed when this is dropped.
#[derive(Debug)]
pub struct ControlPlane {
    child: Child,
    stdin: ChildStdin,
    address: SocketAddr,
    said: Arc<Mutex<Vec<String>>>,
}

// === impl ControlPlane ===

impl ControlPlane {
    /// Whether it can be had here; if not, that is told, in a line that is counted. `test`: who asks.
    pub fn is_here(test: &str) -> bool {
        let is_here = program().is_some();
        if !is_here {
            let what = "it takes go-control-plane: Go 1.23 or newer";
            assert!(std::env::var_os("UNLADEN_TESTS").is_none_or(|value| value != "all"), "{what}");
            // Not eprintln!, which is shown of failing tests only.
            let _ = std::io::stderr().write_all(format!("SKIPPED: {test}: {what}\n").as_bytes());
        }
        is_here
    }

    /// For a node of this name.
    ///
    /// # Panics
    /// If it cannot be had, or does not come up.
    pub fn start(node: &str) -> Self {
        Self::start_at(free_address(), node)
    }

    /// At this address.
    ///
    /// # Panics
    /// If it cannot be had, or does not come up.
    pub fn start_at(address: SocketAddr, node: &str) -> Self {
        let mut child = Command::new(program().expect("a control plane"))
            .args([&address.to_string(), node])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it can be run");
        let (stdin, stdout) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        let said: Arc<Mutex<Vec<String>>> = Arc::default();
        let lines = said.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                lines.lock().unwrap_or_else(PoisonError::into_inner).push(line);
            }
        });
        wait::until_ok("the control plane listens", || std::net::TcpStream::connect(address));
        Self { child, stdin, address, said }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves this from now on: `{"version", "cluster", "service", "endpoints": [{"address", "port", …}]}`.
    ///
    /// # Panics
    /// If it cannot.
    pub fn serve(&mut self, snapshot: &serde_json::Value) {
        writeln!(self.stdin, "{snapshot}").expect("it reads");
        let line = format!("serves {}", snapshot["version"].as_str().expect("a version"));
        wait::until("the snapshot is served", || self.has_said(|said| said == line));
    }

    /// Whether it has said such a line.
    pub fn has_said(&self, is_so: impl Fn(&str) -> bool) -> bool {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|line| is_so(line))
    }

    /// Ends it without a word.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for ControlPlane {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Built by Go, once for all test programs.
fn program() -> Option<&'static PathBuf> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    PROGRAM.get_or_init(build).as_ref()
}

fn build() -> Option<PathBuf> {
    go_program::build("control-plane", VERSION, &SOURCES)
}
