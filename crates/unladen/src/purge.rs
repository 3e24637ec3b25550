//! [`purge`]: tells a running `unladen serve`, at its admin address, what to forget.

mod spread;

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use unladen_serve_config::ListenAddress;

pub(crate) use spread::{Patience, Spread, Wait};

/// Most bytes of an answer, far above what one has.
const LONGEST: u64 = 1 << 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    Url(String),
    Prefix(String),
    Tag(String),
    All,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wish {
    pub(crate) what: What,
    /// Only in this site.
    pub(crate) site: Option<String>,
    /// Revalidate instead of removing.
    pub(crate) is_soft: bool,
    pub(crate) patience: Patience,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Purged {
    /// Responses at the node that was asked.
    pub(crate) purged: u64,
    /// `None` without a fleet.
    pub(crate) spread: Option<Spread>,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum PurgeError {
    #[error(
        "{0} has no [admin], where it could be told: say listen = \"unix:/run/unladen/admin.sock\" there, or --admin"
    )]
    NoAdmin(String),
    #[error("{address}: {}", unreachable_in_words(source))]
    Unreachable { address: String, source: io::Error },
    #[error("{0}")]
    Refused(String),
    #[error("{address} is no admin address of `unladen serve`: what answers there is {answer}")]
    Unexpected { address: String, answer: String },
}

/// Purges at an admin `address`: `127.0.0.1:9901`, `unix:/run/unladen/admin.sock`. Fails if nobody is there, or it is
/// refused.
pub(crate) fn purge(address: &str, wish: &Wish, timeout: Duration) -> Result<Purged, PurgeError> {
    let unreachable = |source| PurgeError::Unreachable { address: address.to_owned(), source };
    let body = wish.document().to_string();
    let answer = match address.strip_prefix("unix:") {
        Some(path) => UnixStream::connect(Path::new(path)).and_then(|stream| {
            stream.set_read_timeout(Some(timeout))?;
            stream.set_write_timeout(Some(timeout))?;
            ask(stream, "localhost", &body)
        }),
        None => connect(address, timeout).and_then(|stream| {
            stream.set_read_timeout(Some(timeout))?;
            stream.set_write_timeout(Some(timeout))?;
            ask(stream, address, &body)
        }),
    };
    read(address, &answer.map_err(unreachable)?)
}

/// As an address is written on the command line.
pub(crate) fn written(address: &ListenAddress) -> String {
    match address {
        ListenAddress::Tcp(address) => address.to_string(),
        ListenAddress::Unix(path) => format!("unix:{}", path.display()),
    }
}

/// The system reports a time-out as "would block".
fn unreachable_in_words(source: &io::Error) -> String {
    match source.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            "no answer in time, and whether anything was purged is not known; --timeout allows more".to_owned()
        }
        io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound => {
            format!("{source}: nothing listens there; is `unladen serve` running, and is this its [admin] listen?")
        }
        io::ErrorKind::PermissionDenied => format!("{source}: run as the user of `unladen serve`, or as root"),
        _ => source.to_string(),
    }
}

fn connect(address: &str, timeout: Duration) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, timeout) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn ask(mut stream: impl Read + Write, host: &str, body: &str) -> io::Result<Vec<u8>> {
    let fields = format!("Host: {host}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n", body.len());
    // A server that refuses may close before it has read all; its answer counts.
    let sent = write!(stream, "POST /purge HTTP/1.1\r\n{fields}Connection: close\r\n\r\n{body}");
    let mut answer = Vec::new();
    let received = stream.take(LONGEST).read_to_end(&mut answer);
    if answer.is_empty() {
        sent?;
        received?;
    }
    Ok(answer)
}

fn read(address: &str, answer: &[u8]) -> Result<Purged, PurgeError> {
    let text = String::from_utf8_lossy(answer);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)).unwrap_or_default();
    let mut document: Value = serde_json::from_str(body.trim()).unwrap_or_default();
    let spread = document.get_mut("fleet").map(Value::take).map(serde_json::from_value).transpose();
    match (status, document["purged"].as_u64(), document["error"].as_str()) {
        // 202: not all awaited nodes have confirmed.
        ("200" | "202", Some(purged), _) if let Ok(spread) = spread => Ok(Purged { purged, spread }),
        (_, _, Some(error)) => Err(PurgeError::Refused(error.to_owned())),
        _ => Err(PurgeError::Unexpected { address: address.to_owned(), answer: answerer(head) }),
    }
}

/// Describes who answered: a web server by its name and status, anything else by the beginning of its answer.
fn answerer(head: &str) -> String {
    let plain = |text: &str| -> String {
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(120).collect::<String>().trim().to_owned()
    };
    let Some(first) = head.lines().next().filter(|line| !line.is_empty()) else {
        return "nothing: the connection was closed without a word".to_owned();
    };
    let server = head.lines().skip(1).find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("server").then(|| plain(value))
    });
    match (first.starts_with("HTTP/"), server) {
        (true, Some(server)) => format!("{server} ({})", plain(first)),
        (true, None) => format!("a web server ({})", plain(first)),
        (false, _) => format!("no web server: `{}`", plain(first)),
    }
}

impl Wish {
    fn document(&self) -> Value {
        let mut document = match &self.what {
            What::Url(url) => json!({ "url": url }),
            What::Prefix(prefix) => json!({ "prefix": prefix }),
            What::Tag(tag) => json!({ "tag": tag }),
            What::All => json!({ "all": true }),
        };
        if let Some(site) = &self.site {
            document["site"] = site.as_str().into();
        }
        if self.is_soft {
            document["soft"] = true.into();
        }
        if let Some(wait) = self.patience.wait {
            document["wait"] = wait.as_str().into();
        }
        if let Some(longest) = self.patience.longest {
            document["wait_for"] = longest.as_secs_f64().into();
        }
        document
    }
}

#[cfg(test)]
mod tests;
