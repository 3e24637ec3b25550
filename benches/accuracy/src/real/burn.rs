//! The principal type is [`Burn`]: a running `subjects/burn`. A [`Victim`] is the server that a disturbance is for.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde::Deserialize;

use crate::real::binaries::Binaries;
use crate::real::error::RealError;

/// No answer of it takes as long.
const PATIENCE: Duration = Duration::from_secs(10);

/// A running subject; it ends when it is dropped, or after its lifetime.
#[derive(Debug)]
pub(super) struct Burn {
    process: Child,
    address: SocketAddr,
}

/// What it says of a kind of page, answering included.
#[derive(Debug, Deserialize)]
pub(super) struct KindTruth {
    pub(super) requests: u64,
    pub(super) cpu_ns: u64,
}

/// What it says of itself.
#[derive(Debug, Deserialize)]
pub(super) struct Truth {
    requests: u64,
    own_cpu_ns: u64,
    children_cpu_ns: u64,
    /// By kind of page.
    pub(super) kinds: BTreeMap<String, KindTruth>,
}

impl Burn {
    /// One of the usual cost.
    pub(super) fn start(binaries: &Binaries, lifetime: Duration) -> Result<Self, RealError> {
        Self::costing(binaries, (12.0, 8.0), lifetime)
    }

    /// One whose requests cost so many ms, in itself and in its child.
    pub(super) fn costing(
        binaries: &Binaries,
        (own, child): (f64, f64),
        lifetime: Duration,
    ) -> Result<Self, RealError> {
        Self::with(binaries, &["--own", &own.to_string(), "--child", &child.to_string()], lifetime)
    }

    /// One whose requests do so many steps of work, whatever time they take, at an address of its own.
    pub(super) fn working(
        binaries: &Binaries,
        steps: u64,
        address: SocketAddr,
        lifetime: Duration,
    ) -> Result<Self, RealError> {
        let (steps, address) = (steps.to_string(), address.to_string());
        Self::with(binaries, &["--own", "0", "--child", "0", "--work", &steps, "--listen", &address], lifetime)
    }

    fn with(binaries: &Binaries, options: &[&str], lifetime: Duration) -> Result<Self, RealError> {
        let mut process = Command::new(binaries.path("burn"))
            .args(options)
            .args(["--lifetime", &lifetime.as_secs().to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(RealError::of("burn"))?;
        let mut said = String::new();
        if let Some(stderr) = process.stderr.take() {
            // Ends with its first line, or with the process.
            let _ = BufReader::new(stderr).read_line(&mut said);
        }
        let address = said.trim().strip_prefix("burn: http://").and_then(|url| url.trim_end_matches('/').parse().ok());
        match address {
            Some(address) => Ok(Self { process, address }),
            None => {
                let _ = process.kill();
                let _ = process.wait();
                Err(RealError::failed(format!("burn did not start: {said}")))
            }
        }
    }

    pub(super) fn pid(&self) -> u32 {
        self.process.id()
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    pub(super) fn truth(&self) -> Result<Truth, RealError> {
        let answer = get(self.address, "/truth").map_err(RealError::of("burn"))?;
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        serde_json::from_str(body).map_err(RealError::of("burn"))
    }
}

impl Drop for Burn {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Truth {
    /// Ns of itself and of its children.
    pub(super) fn per_request_since(&self, before: &Self) -> (f64, f64) {
        let requests = (self.requests - before.requests) as f64;
        let per_request = |now: u64, before: u64| (now - before) as f64 / requests;
        (per_request(self.own_cpu_ns, before.own_cpu_ns), per_request(self.children_cpu_ns, before.children_cpu_ns))
    }
}

/// Its processes, which a quota limits, and where other clients ask it.
#[derive(Debug, Clone)]
pub(super) struct Victim {
    pub(super) pids: Vec<u32>,
    pub(super) address: SocketAddr,
}

impl From<&Burn> for Victim {
    fn from(burn: &Burn) -> Self {
        Self { pids: vec![burn.pid()], address: burn.address() }
    }
}

/// One request on a connection of its own; the whole answer.
pub(super) fn get(address: SocketAddr, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: burn\r\nConnection: close\r\n\r\n").as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}
