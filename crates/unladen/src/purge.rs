//! [`purge`]: tells a running `unladen serve`, at its admin address, what to forget.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use unladen_serve::ListenAddress;

/// Of much that is stored, it takes a while.
const PATIENCE: Duration = Duration::from_secs(60);

/// Bytes of an answer, far above what one has.
const LONGEST: u64 = 1 << 20;

/// What is meant by one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    Url(String),
    Prefix(String),
    Tag(String),
    All,
}

/// What is to be forgotten, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wish {
    pub(crate) what: What,
    /// Only that of this front.
    pub(crate) front: Option<String>,
    /// It is to be asked about, and not gone.
    pub(crate) is_soft: bool,
}

/// Why it was not done, or is not known to be.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PurgeError {
    /// It has no admin address.
    #[error(
        "{0} has no [admin], where it could be told: say listen = \"unix:/run/unladen/admin.sock\" there, or --admin"
    )]
    NoAdmin(String),
    /// Nobody is there, or does not answer.
    #[error("{address}: {source}")]
    Unreachable {
        /// The admin address.
        address: String,
        /// Why.
        source: io::Error,
    },
    /// What was asked for is wrong.
    #[error("{0}")]
    Refused(String),
    /// That is no admin address.
    #[error("{address} answered as no admin address of `unladen serve` does: {answer}")]
    Unexpected {
        /// The address.
        address: String,
        /// The beginning of its answer.
        answer: String,
    },
}

/// How many responses there were. `address`: `127.0.0.1:9901`, `unix:/run/unladen/admin.sock`.
///
/// # Errors
/// If nobody is there, or it is refused.
pub(crate) fn purge(address: &str, wish: &Wish) -> Result<u64, PurgeError> {
    let unreachable = |source| PurgeError::Unreachable { address: address.to_owned(), source };
    let body = wish.document().to_string();
    let answer = match address.strip_prefix("unix:") {
        Some(path) => UnixStream::connect(Path::new(path)).and_then(|stream| {
            stream.set_read_timeout(Some(PATIENCE))?;
            stream.set_write_timeout(Some(PATIENCE))?;
            ask(stream, "localhost", &body)
        }),
        None => connect(address).and_then(|stream| {
            stream.set_read_timeout(Some(PATIENCE))?;
            stream.set_write_timeout(Some(PATIENCE))?;
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

fn connect(address: &str) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, PATIENCE) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn ask(mut stream: impl Read + Write, host: &str, body: &str) -> io::Result<Vec<u8>> {
    let fields = format!("Host: {host}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n", body.len());
    // Whoever refuses may close before it has read all; what it says counts.
    let sent = write!(stream, "POST /purge HTTP/1.1\r\n{fields}Connection: close\r\n\r\n{body}");
    let mut answer = Vec::new();
    let received = stream.take(LONGEST).read_to_end(&mut answer);
    if answer.is_empty() {
        sent?;
        received?;
    }
    Ok(answer)
}

fn read(address: &str, answer: &[u8]) -> Result<u64, PurgeError> {
    let text = String::from_utf8_lossy(answer);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)).unwrap_or_default();
    let document: Value = serde_json::from_str(body.trim()).unwrap_or_default();
    match (status, document["purged"].as_u64(), document["error"].as_str()) {
        ("200", Some(purged), _) => Ok(purged),
        (_, _, Some(error)) => Err(PurgeError::Refused(error.to_owned())),
        _ => {
            let plain = |c: char| if c.is_control() { ' ' } else { c };
            let answer = text.chars().map(plain).take(120).collect();
            Err(PurgeError::Unexpected { address: address.to_owned(), answer })
        }
    }
}

// === impl Wish ===

impl Wish {
    fn document(&self) -> Value {
        let mut document = match &self.what {
            What::Url(url) => json!({ "url": url }),
            What::Prefix(prefix) => json!({ "prefix": prefix }),
            What::Tag(tag) => json!({ "tag": tag }),
            What::All => json!({ "all": true }),
        };
        if let Some(front) = &self.front {
            document["front"] = front.as_str().into();
        }
        if self.is_soft {
            document["soft"] = true.into();
        }
        document
    }
}

#[cfg(test)]
mod tests;
