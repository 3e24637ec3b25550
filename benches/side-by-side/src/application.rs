//! The principal type is [`Application`]: what stands behind caches and proxies, reads what it is sent, and counts its
//! requests, in a process of its own. Its pages are `/LENGTH/NUMBER`.

use std::io::{BufRead, BufReader, BufWriter, Read as _, Write, copy, repeat, sink};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Result, children, roles};

/// Where it tells how many requests there were; this one is not counted.
const COUNT: &str = "/count";
/// A request's head that is longer is none of the bench.
const LONGEST_HEAD: u64 = 16 * 1024;

/// A running one.
pub(crate) struct Application {
    pub(crate) port: u16,
    child: Child,
}

impl Application {
    pub(crate) fn start() -> Result<Self> {
        let mut command = children::tied(std::env::current_exe()?);
        let mut child = command.arg(roles::APPLICATION).stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().ok_or("the application has no output")?).read_line(&mut line)?;
        Ok(Self { port: line.trim().parse()?, child })
    }

    /// Requests so far.
    pub(crate) fn requests(&self) -> Result<u64> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
        write!(stream, "GET {COUNT} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
        let mut said = String::new();
        stream.read_to_string(&mut said)?;
        let (_, body) = said.split_once("\r\n\r\n").ok_or("the application does not count")?;
        Ok(body.parse()?)
    }
}

impl Drop for Application {
    fn drop(&mut self) {
        // It has nothing to lose.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// As that process: a thread for each connection, until it is killed.
pub(crate) fn be_the_application() -> Result<()> {
    let mut command = children::tied("date");
    let date = children::run(command.env("LC_ALL", "C").args(["-u", "+%a, %d %b %Y %H:%M:%S GMT"]))?.stdout;
    // When it began: the caches see pages grow old.
    let (date, requests) = (Arc::<str>::from(date.trim()), Arc::new(AtomicU64::new(0)));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    println!("{}", listener.local_addr()?.port());
    for stream in listener.incoming() {
        let (stream, date, requests) = (stream?, date.clone(), requests.clone());
        std::thread::spawn(move || {
            // Whoever has gone misses nothing.
            let _ = serve(&stream, &date, &requests);
        });
    }
    Ok(())
}

fn serve(stream: &TcpStream, date: &str, requests: &AtomicU64) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::with_capacity(256 * 1024, stream);
    let mut writer = BufWriter::with_capacity(64 * 1024, stream);
    while let Some(asked) = head(&mut reader)? {
        if copy(&mut reader.by_ref().take(asked.body), &mut sink())? < asked.body {
            return Err("a body was cut short".into());
        }
        if asked.target == COUNT {
            let count = requests.load(Ordering::SeqCst).to_string();
            write!(writer, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{count}", count.len())?;
        } else {
            requests.fetch_add(1, Ordering::SeqCst);
            answer(&asked.target, date, &mut writer)?;
        }
        writer.flush()?;
        if asked.closes {
            break;
        }
    }
    Ok(())
}

fn answer(target: &str, date: &str, writer: &mut impl Write) -> Result<()> {
    let page = target.strip_prefix('/').and_then(|page| page.split_once('/'));
    let page = page.and_then(|(length, number)| Some((length.parse::<u64>().ok()?, number)));
    let Some((length, number)) = page else {
        return Ok(writer.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")?);
    };
    write!(
        writer,
        "HTTP/1.1 200 OK\r\nDate: {date}\r\nServer: origin\r\nContent-Type: text/html; charset=utf-8\r\n\
         Content-Length: {length}\r\nCache-Control: max-age=36000\r\nETag: \"{length}-{number}\"\r\n\
         Last-Modified: Fri, 01 Nov 2024 10:00:00 GMT\r\n\r\n"
    )?;
    copy(&mut repeat(b'.').take(length), writer)?;
    Ok(())
}

/// A request.
struct Asked {
    target: String,
    /// Bytes that follow.
    body: u64,
    closes: bool,
}

/// The next request's head; none when there is none any more.
fn head(reader: &mut impl BufRead) -> Result<Option<Asked>> {
    let mut lines = reader.take(LONGEST_HEAD);
    let mut line = String::new();
    if lines.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let target = line.split(' ').nth(1).ok_or("a request without a target")?.to_owned();
    let mut asked = Asked { target, body: 0, closes: line.trim_end().ends_with("HTTP/1.0") };
    loop {
        line.clear();
        if lines.read_line(&mut line)? == 0 {
            return Err("a request's head was cut short".into());
        }
        if line == "\r\n" {
            return Ok(Some(asked));
        }
        match line.split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("connection") => {
                asked.closes = value.trim().eq_ignore_ascii_case("close");
            }
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => asked.body = value.trim().parse()?,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_one_after_the_other() {
        let mut bytes: &[u8] =
            b"POST /476/1 HTTP/1.1\r\nCONTENT-length: 2\r\n\r\nabGET /2/3 HTTP/1.1\r\nCONNECTION: close\r\n\r\n";
        let first = head(&mut bytes).unwrap().unwrap();
        assert_eq!((&*first.target, first.body, first.closes), ("/476/1", 2, false));
        let second = head(&mut &bytes[2..]).unwrap().unwrap();
        assert_eq!((&*second.target, second.body, second.closes), ("/2/3", 0, true));
        assert!(head(&mut &b"GET / HTTP/1.1\r\nHost"[..]).is_err());
    }

    #[test]
    fn a_page_is_as_long_as_its_path_says() {
        let mut said = Vec::new();
        answer("/5/7", "now", &mut said).unwrap();
        let said = String::from_utf8(said).unwrap();
        assert!(said.ends_with("\r\n\r\n.....") && said.contains("\r\nETag: \"5-7\"\r\n"));
    }
}
