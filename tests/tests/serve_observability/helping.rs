//! What these tests ask with.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;
pub(crate) use unladen_tests::free_port;
use unladen_tests::{Server, wait};

/// OpenTelemetry's messages for Python, with what they need.
const MESSAGES: [&str; 2] = ["opentelemetry-proto==1.36.0", "protobuf==6.33.0"];

/// An admin address.
pub(crate) enum Admin {
    Tcp(u16),
    Unix(PathBuf),
}

/// Two upstreams, one of which nobody is at.
pub(crate) fn config(admin: &str, upstream: &Server, more: &str) -> String {
    let (good, broken) = (upstream.url(""), free_port());
    format!(
        r#"
threads = 2
{more}
[admin]
listen = "{admin}"

[[outbound]]
name = "good"
listen = "unix:DIR/good.sock"
upstream = "{good}"

[[outbound]]
name = "broken"
listen = "unix:DIR/broken.sock"
upstream = "http://127.0.0.1:{broken}"
breaker = {{ open = "60s" }}
"#
    )
}

impl Admin {
    /// The status and the body.
    pub(crate) fn get(&self, target: &str) -> (u16, String) {
        self.get_as("localhost", target)
    }

    /// The same, under another name.
    pub(crate) fn get_as(&self, host: &str, target: &str) -> (u16, String) {
        let request = format!("GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        match self {
            Self::Tcp(port) => exchange(TcpStream::connect(("127.0.0.1", *port)).unwrap(), &request),
            Self::Unix(path) => exchange(UnixStream::connect(path).unwrap(), &request),
        }
    }

    /// Sends something; the status and the body.
    pub(crate) fn post(&self, target: &str, fields: &[(&str, &str)], body: &str) -> (u16, String) {
        let fields: String = fields.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let fields = format!("{fields}Content-Length: {}\r\nConnection: close\r\n", body.len());
        let request = format!("POST {target} HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n{body}");
        match self {
            Self::Tcp(port) => exchange(TcpStream::connect(("127.0.0.1", *port)).unwrap(), &request),
            Self::Unix(path) => exchange(UnixStream::connect(path).unwrap(), &request),
        }
    }

    /// Whether anybody listens there.
    pub(crate) fn is_up(&self) -> bool {
        match self {
            Self::Tcp(port) => TcpStream::connect(("127.0.0.1", *port)).is_ok(),
            Self::Unix(path) => UnixStream::connect(path).is_ok(),
        }
    }

    /// A sample of the metrics.
    pub(crate) fn sample(&self, name: &str) -> Option<f64> {
        let (status, text) = self.get("/metrics");
        assert_eq!(status, 200);
        let line = text.lines().find(|line| line.starts_with(&format!("{name} ")))?;
        line.rsplit(' ').next()?.parse().ok()
    }
}

/// Asks over a connection of its own; the status and the body.
pub(crate) fn ask(stream: UnixStream, method: &str, target: &str) -> (u16, String) {
    let fields = "Host: a.example\r\nContent-Length: 0\r\nConnection: close\r\n";
    exchange(stream, &format!("{method} {target} HTTP/1.1\r\n{fields}\r\n"))
}

fn exchange(mut stream: impl Read + Write, request: &str) -> (u16, String) {
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let answer = String::from_utf8(answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer to {request:?}: {answer:?}"));
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

/// Waits until it is so.
#[track_caller]
pub(crate) fn eventually(is_so: impl Fn() -> bool) {
    wait::until("it is so", is_so);
}

/// The lines of an access log.
pub(crate) fn lines(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"))).collect()
}

/// What a program prints that knows OpenTelemetry's messages, given these files.
pub(crate) fn python(program: &str, files: &[PathBuf]) -> String {
    static INSTALLED: OnceLock<PathBuf> = OnceLock::new();
    let output = Command::new("python3")
        .args(["-c", program])
        .args(files)
        .env("PYTHONPATH", INSTALLED.get_or_init(install))
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    assert!(output.status.success(), "it is not what OpenTelemetry's messages are");
    String::from_utf8(output.stdout).unwrap()
}

/// Once for all runs of the tests.
fn install() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(MESSAGES.join("-").replace("==", "-"));
    if !folder.exists() {
        let part = folder.with_extension("part");
        let quietly = ["--quiet", "--disable-pip-version-check", "--root-user-action=ignore"];
        let status = Command::new("python3")
            .args(["-m", "pip", "install", "--no-deps", "--only-binary", ":all:", "--upgrade"])
            .args(quietly)
            .arg("--target")
            .arg(&part)
            .args(MESSAGES)
            .status()
            .unwrap();
        assert!(status.success(), "pip cannot install {MESSAGES:?}");
        std::fs::rename(part, &folder).unwrap();
    }
    folder
}
