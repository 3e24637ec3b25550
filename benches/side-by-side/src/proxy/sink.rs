//! The principal type is [`Sink`]: a service that reads bodies of requests and throws them away, in a process of its
//! own.
//!
//! nginx, the service elsewhere, would answer before it has read a body, or put it on the disk.

use std::io::{BufRead as _, BufReader, Read, Write as _, copy, sink};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Stdio};

use super::route::Upstream;
use crate::{Result, children, roles};

/// Where it answers, and how many bytes.
pub(super) const ANSWER: (&str, u64) = ("/sink", 2);

/// A request's head that is longer is none of the bench.
const LONGEST_HEAD: u64 = 16 * 1024;

/// A running one.
pub(super) struct Sink {
    pub(super) upstream: Upstream,
    child: Child,
}

impl Sink {
    pub(super) fn start() -> Result<Self> {
        let mut command = children::tied(std::env::current_exe()?);
        let mut child = command.arg(roles::SINK).stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().ok_or("the sink has no output")?).read_line(&mut line)?;
        Ok(Self { upstream: Upstream { port: line.trim().parse()?, tls: false }, child })
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        // It has nothing to lose.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// As that process: a thread for each connection, until it is killed.
pub(crate) fn be_the_sink() -> Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    println!("{}", listener.local_addr()?.port());
    for stream in listener.incoming() {
        let stream = stream?;
        std::thread::spawn(move || {
            // Whoever has gone misses nothing.
            let _ = swallow(stream);
        });
    }
    Ok(())
}

fn swallow(stream: TcpStream) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut answering = stream.try_clone()?;
    let mut reader = BufReader::with_capacity(256 * 1024, stream);
    while let Some(length) = head(&mut reader)? {
        if copy(&mut reader.by_ref().take(length), &mut sink())? < length {
            return Err("the body was cut short".into());
        }
        answering.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")?;
    }
    Ok(())
}

/// The length of the body that follows; none when there is no request any more.
fn head(reader: &mut impl std::io::BufRead) -> Result<Option<u64>> {
    let mut lines = reader.take(LONGEST_HEAD);
    let mut length = None;
    let mut line = String::new();
    while lines.read_line(&mut line)? > 0 {
        if line == "\r\n" {
            return Ok(Some(length.ok_or("a request without a length")?));
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = Some(value.trim().parse()?);
        }
        line.clear();
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_of_a_body_is_read() {
        let mut bytes: &[u8] = b"POST / HTTP/1.1\r\nHost: x\r\nCONTENT-length: 12\r\n\r\nbody";
        assert_eq!(head(&mut bytes).unwrap(), Some(12));
        assert_eq!(bytes, b"body");
        assert_eq!(head(&mut &b""[..]).unwrap(), None);
        assert!(head(&mut &b"GET / HTTP/1.1\r\n\r\n"[..]).is_err());
    }
}
