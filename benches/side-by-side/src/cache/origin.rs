//! The principal type is [`Origin`]: the application behind the caches, which counts its requests, in a process of its
//! own.

use std::io::{BufRead as _, BufReader, BufWriter, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::page::Page;
use crate::{Result, children, roles};

/// Where it tells how many requests there were; this one is not counted.
const COUNT: &str = "/count";
/// A request's head that is longer is none of the bench.
const LONGEST_HEAD: u64 = 16 * 1024;

/// A running one.
pub(super) struct Origin {
    pub(super) port: u16,
    child: Child,
}

/// What its threads share.
struct Shared {
    requests: AtomicU64,
    /// When it began, as HTTP writes it: the caches see pages grow old.
    date: String,
}

// === impl Origin ===

impl Origin {
    pub(super) fn start() -> Result<Self> {
        let mut command = children::tied(std::env::current_exe()?);
        let mut child = command.arg(roles::ORIGIN).stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().ok_or("the origin has no output")?).read_line(&mut line)?;
        Ok(Self { port: line.trim().parse()?, child })
    }

    /// Requests so far.
    pub(super) fn requests(&self) -> Result<u64> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
        write!(stream, "GET {COUNT} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
        let mut said = String::new();
        stream.read_to_string(&mut said)?;
        let (_, body) = said.split_once("\r\n\r\n").ok_or("the origin does not count")?;
        Ok(body.parse()?)
    }
}

impl Drop for Origin {
    fn drop(&mut self) {
        // It has nothing to lose.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// As that process: a thread for each connection, until it is killed.
pub(crate) fn be_the_origin() -> Result<()> {
    let mut command = children::tied("date");
    let date = children::run(command.env("LC_ALL", "C").args(["-u", "+%a, %d %b %Y %H:%M:%S GMT"]))?.stdout;
    let shared = Arc::new(Shared { requests: AtomicU64::new(0), date: date.trim().to_owned() });
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    println!("{}", listener.local_addr()?.port());
    for stream in listener.incoming() {
        let (stream, shared) = (stream?, shared.clone());
        std::thread::spawn(move || {
            // Whoever has gone misses nothing.
            let _ = shared.serve(&stream);
        });
    }
    Ok(())
}

impl Shared {
    fn serve(&self, stream: &TcpStream) -> Result<()> {
        stream.set_nodelay(true)?;
        let mut reader = BufReader::new(stream);
        let mut writer = BufWriter::with_capacity(64 * 1024, stream);
        while let Some(asked) = head(&mut reader)? {
            if asked.target == COUNT {
                let count = self.requests.load(Ordering::SeqCst).to_string();
                write!(writer, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{count}", count.len())?;
            } else {
                self.requests.fetch_add(1, Ordering::SeqCst);
                self.answer(&asked.target, &mut writer)?;
            }
            writer.flush()?;
            if asked.closes {
                return Ok(());
            }
        }
        Ok(())
    }

    fn answer(&self, target: &str, writer: &mut impl std::io::Write) -> Result<()> {
        let Some(page) = Page::of(target) else {
            return Ok(writer.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")?);
        };
        write!(
            writer,
            "HTTP/1.1 200 OK\r\nDate: {}\r\nServer: origin\r\nContent-Type: text/html; charset=utf-8\r\n\
             Content-Length: {}\r\nCache-Control: max-age=36000\r\nETag: {}\r\n\
             Last-Modified: Fri, 01 Nov 2024 10:00:00 GMT\r\n\r\n",
            self.date,
            page.length,
            page.etag(),
        )?;
        std::io::copy(&mut std::io::repeat(b'.').take(page.length), writer)?;
        Ok(())
    }
}

/// A request.
struct Asked {
    target: String,
    closes: bool,
}

/// The next request's head; none when there is none any more.
fn head(reader: &mut impl std::io::BufRead) -> Result<Option<Asked>> {
    let mut lines = reader.take(LONGEST_HEAD);
    let mut line = String::new();
    if lines.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let target = line.split(' ').nth(1).ok_or("a request without a target")?.to_owned();
    let mut closes = line.trim_end().ends_with("HTTP/1.0");
    loop {
        line.clear();
        if lines.read_line(&mut line)? == 0 {
            return Err("a request's head was cut short".into());
        }
        if line == "\r\n" {
            return Ok(Some(Asked { target, closes }));
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("connection")
        {
            closes = value.trim().eq_ignore_ascii_case("close");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_one_after_the_other() {
        let mut bytes: &[u8] = b"GET /476/1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2/3 HTTP/1.1\r\nCONNECTION: close\r\n\r\n";
        let first = head(&mut bytes).unwrap().unwrap();
        assert_eq!((&*first.target, first.closes), ("/476/1", false));
        let second = head(&mut bytes).unwrap().unwrap();
        assert_eq!((&*second.target, second.closes), ("/2/3", true));
        assert!(head(&mut bytes).unwrap().is_none());
        assert!(head(&mut &b"GET / HTTP/1.1\r\nHost"[..]).is_err());
    }

    #[test]
    fn a_page_is_as_long_as_its_path_says() {
        let shared = Shared { requests: AtomicU64::new(0), date: "now".into() };
        let mut said = Vec::new();
        shared.answer("/5/7", &mut said).unwrap();
        let said = String::from_utf8(said).unwrap();
        assert!(said.ends_with("\r\n\r\n....."));
        assert!(said.contains("\r\nETag: \"5-7\"\r\n"));
    }
}
