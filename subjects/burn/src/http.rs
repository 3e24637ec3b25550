//! As much of HTTP/1.1 (RFC 9112) as a client in a measurement needs: requests without a body, kept-alive connections.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::account::{Account, thread_clock};

/// A connection without a request for so long is closed.
const IDLE: Duration = Duration::from_secs(300);
/// Of a page of a kind, in us.
const MOST_COST: u64 = 1_000_000;
/// Bytes of a request's head.
const LONGEST_HEAD: u64 = 16 * 1024;

/// What a head asks for.
struct Asked {
    path: String,
    close: bool,
}

/// Answers requests until the client goes.
pub(crate) fn serve(stream: TcpStream, account: &Account) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(IDLE))?;
    stream.set_write_timeout(Some(IDLE))?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut stream = stream;
    let mut done = thread_clock()?;
    while let Some(asked) = head(&mut reader)? {
        let (status, body) = match asked.path.as_str() {
            "/" => match account.burn() {
                Ok(()) => ("200 OK", "burnt\n".to_owned()),
                Err(error) => ("500 Internal Server Error", format!("{error}\n")),
            },
            path if let Some((_, cost)) = kind(path) => match account.burn_alone(cost) {
                Ok(()) => ("200 OK", "burnt\n".to_owned()),
                Err(error) => ("500 Internal Server Error", format!("{error}\n")),
            },
            "/truth" => ("200 OK", account.truth()?),
            _ => ("404 Not Found", "there are /, /KIND/MICROSECONDS/PAGE and /truth\n".to_owned()),
        };
        let connection = if asked.close { "close" } else { "keep-alive" };
        let length = body.len();
        stream.write_all(
            format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: {connection}\r\n\r\n{body}")
                .as_bytes(),
        )?;
        let now = thread_clock()?;
        if let Some((kind, _)) = kind(&asked.path) {
            account.add(kind, now.saturating_sub(done));
        }
        done = now;
        if asked.close {
            break;
        }
    }
    Ok(())
}

/// The kind of a page, and what it burns: 1.5 ms for `/k07/1500/page3`.
fn kind(path: &str) -> Option<(&str, Duration)> {
    let mut parts = path.strip_prefix('/')?.split('/');
    let (kind, cost, _page) = (parts.next()?, parts.next()?, parts.next()?);
    Some((kind, cost.parse().ok().filter(|cost| *cost <= MOST_COST).map(Duration::from_micros)?))
}

/// Reads a head; `None` when the client has closed, or sent what is no request that is served here.
fn head(reader: &mut BufReader<TcpStream>) -> io::Result<Option<Asked>> {
    let mut lines = reader.by_ref().take(LONGEST_HEAD);
    let mut line = String::new();
    lines.read_line(&mut line)?;
    let mut words = line.split_ascii_whitespace();
    let (Some("GET"), Some(path), Some("HTTP/1.1")) = (words.next(), words.next(), words.next()) else {
        return Ok(None);
    };
    let mut asked = Asked { path: path.to_owned(), close: false };
    loop {
        line.clear();
        if lines.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let header = line.trim_end().to_ascii_lowercase();
        if header.is_empty() {
            return Ok(Some(asked));
        }
        match header.split_once(':') {
            Some(("connection", value)) => asked.close = value.trim() == "close",
            Some(("content-length" | "transfer-encoding", _)) => return Ok(None),
            _ => {}
        }
    }
}
