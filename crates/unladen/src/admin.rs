//! [`exchange`]: asks a running `unladen serve`, at its admin address.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use unladen_serve_config::ListenAddress;

pub(crate) fn written(address: &ListenAddress) -> String {
    match address {
        ListenAddress::Tcp(address) => address.to_string(),
        ListenAddress::Unix(path) => format!("unix:{}", path.display()),
    }
}

/// What is asked: `POST /purge`, with a body of JSON if there is one.
pub(crate) struct Question<'a> {
    pub(crate) what: &'a str,
    pub(crate) body: &'a str,
    /// For connecting, and for each part of the answer.
    pub(crate) patience: Duration,
    /// Most bytes of the answer that are read.
    pub(crate) longest: u64,
}

/// The answer of an admin address: `127.0.0.1:9901`, `unix:/run/unladen/admin.sock`. Fails if nobody is there, or
/// nothing is answered in time.
pub(crate) fn exchange(address: &str, question: &Question<'_>) -> io::Result<Vec<u8>> {
    let patience = Some(question.patience);
    if let Some(socket) = address.strip_prefix("unix:") {
        let stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(patience)?;
        stream.set_write_timeout(patience)?;
        return ask(stream, "localhost", question);
    }
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for one in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&one, question.patience) {
            Ok(stream) => {
                stream.set_read_timeout(patience)?;
                stream.set_write_timeout(patience)?;
                return ask(stream, address, question);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn ask(mut stream: impl Read + Write, host: &str, question: &Question<'_>) -> io::Result<Vec<u8>> {
    let Question { what, body, longest, .. } = question;
    let fields = match body.len() {
        0 => String::new(),
        length => format!("Content-Type: application/json\r\nContent-Length: {length}\r\n"),
    };
    // A server that refuses a body may close before it has read all; its answer counts.
    let sent = write!(stream, "{what} HTTP/1.1\r\nHost: {host}\r\n{fields}Connection: close\r\n\r\n{body}");
    let mut answer = Vec::new();
    let received = stream.take(*longest).read_to_end(&mut answer);
    if answer.is_empty() || body.is_empty() {
        sent?;
        received?;
    }
    Ok(answer)
}

pub(crate) fn parts(answer: &str) -> (&str, &str, &str) {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((answer, ""));
    let status = head.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)).unwrap_or_default();
    (head, status, body)
}
