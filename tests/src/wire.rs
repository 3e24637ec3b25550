//! The principal type is [`Wire`]: a client's connection, byte by byte, so that a test sees how an answer is framed and
//! how it ends.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

/// Far above what any answer of the tests takes: what has not come by then hangs.
const LIMIT: Duration = Duration::from_secs(40);

/// A client's connection of HTTP/1.
#[derive(Debug)]
pub struct Wire {
    stream: Stream,
    /// Read and not used yet.
    bytes: Vec<u8>,
}

#[derive(Debug)]
enum Stream {
    Unix(UnixStream),
    Tcp(TcpStream),
}

/// An answer, as far as it came.
#[derive(Debug, Clone)]
pub struct Answer {
    /// 200 …
    pub status: u16,
    /// Names in lower case.
    pub fields: Vec<(String, String)>,
    /// The body, without its framing.
    pub body: Vec<u8>,
    /// After a chunked body, names in lower case.
    pub trailers: Vec<(String, String)>,
    /// How it ended.
    pub ending: Ending,
}

/// How a message ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// As its framing says.
    Whole,
    /// With the connection, as its framing says: none could tell whether more was to come.
    Closed,
    /// The connection was closed before its end.
    Short,
    /// The connection was reset before its end.
    Reset,
}

impl Wire {
    /// To a Unix socket.
    pub fn unix(path: &Path) -> Self {
        let stream = UnixStream::connect(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self::new(Stream::Unix(stream))
    }

    /// To a TCP address.
    pub fn tcp(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap_or_else(|error| panic!("{address}: {error}"));
        stream.set_nodelay(true).expect("an option of TCP");
        Self::new(Stream::Tcp(stream))
    }

    fn new(stream: Stream) -> Self {
        let wire = Self { stream, bytes: Vec::new() };
        wire.set_limit(LIMIT);
        wire
    }

    fn set_limit(&self, limit: Duration) {
        let limit = Some(limit);
        match &self.stream {
            Stream::Unix(stream) => stream.set_read_timeout(limit).and_then(|()| stream.set_write_timeout(limit)),
            Stream::Tcp(stream) => stream.set_read_timeout(limit).and_then(|()| stream.set_write_timeout(limit)),
        }
        .expect("an option of a socket");
    }

    /// Sends bytes.
    #[track_caller]
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.try_send(bytes).unwrap_or_else(|error| panic!("cannot send: {error}"));
    }

    /// Sends bytes, which may fail.
    pub fn try_send(&mut self, bytes: impl AsRef<[u8]>) -> std::io::Result<()> {
        match &mut self.stream {
            Stream::Unix(stream) => stream.write_all(bytes.as_ref()),
            Stream::Tcp(stream) => stream.write_all(bytes.as_ref()),
        }
    }

    /// Says that nothing more is sent.
    pub fn shut(&self) {
        let _ = match &self.stream {
            Stream::Unix(stream) => stream.shutdown(Shutdown::Write),
            Stream::Tcp(stream) => stream.shutdown(Shutdown::Write),
        };
    }

    /// Closes the connection, whatever handles of it there are.
    pub fn end(&self) {
        let _ = match &self.stream {
            Stream::Unix(stream) => stream.shutdown(Shutdown::Both),
            Stream::Tcp(stream) => stream.shutdown(Shutdown::Both),
        };
    }

    /// Another handle of the same connection, to send on while this one reads.
    pub fn twin(&self) -> Self {
        let stream = match &self.stream {
            Stream::Unix(stream) => Stream::Unix(stream.try_clone().expect("a handle more")),
            Stream::Tcp(stream) => Stream::Tcp(stream.try_clone().expect("a handle more")),
        };
        Self { stream, bytes: Vec::new() }
    }

    /// Sends a request that is not HEAD, and reads its answer.
    #[track_caller]
    pub fn ask(&mut self, request: impl AsRef<[u8]>) -> Answer {
        self.send(request);
        self.answer()
    }

    /// GET of this path, on a connection that is kept.
    #[track_caller]
    pub fn get(&mut self, path: &str) -> Answer {
        self.ask(format!("GET {path} HTTP/1.1\r\nHost: test\r\n\r\n"))
    }

    /// POST of this body, with its length.
    #[track_caller]
    pub fn post(&mut self, path: &str, body: impl AsRef<[u8]>) -> Answer {
        let body = body.as_ref();
        self.send(format!("POST {path} HTTP/1.1\r\nHost: test\r\nContent-Length: {}\r\n\r\n", body.len()));
        self.send(body);
        self.answer()
    }

    /// The final answer to what is not HEAD; interim ones before it are passed over.
    #[track_caller]
    pub fn answer(&mut self) -> Answer {
        loop {
            let answer = self.next(false);
            if answer.status >= 200 || answer.status == 101 {
                return answer;
            }
        }
    }

    /// The next answer, interim or final; to HEAD or not.
    #[track_caller]
    pub fn next(&mut self, to_head: bool) -> Answer {
        let mut answer = self.head();
        let has_none = to_head || answer.status < 200 || matches!(answer.status, 204 | 304);
        if !has_none {
            self.body(&mut answer);
        }
        answer
    }

    /// The head of an answer.
    #[track_caller]
    pub fn head(&mut self) -> Answer {
        self.try_head().expect("the connection ends without an answer")
    }

    /// The head of an answer, unless the connection ends before it has begun.
    #[track_caller]
    pub fn try_head(&mut self) -> Option<Answer> {
        let end = loop {
            if let Some(end) = self.bytes.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                break end + 4;
            }
            if self.fill().is_err() {
                assert!(self.bytes.is_empty(), "a head that breaks off: {:?}", String::from_utf8_lossy(&self.bytes));
                return None;
            }
        };
        let head: Vec<u8> = self.bytes.drain(..end).collect();
        let head = String::from_utf8(head).expect("a head is ASCII");
        let mut lines = head.split("\r\n").filter(|line| !line.is_empty());
        let line = lines.next().expect("a status line");
        let status = line.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no status line: {line:?}"));
        let fields = lines.map(field).collect();
        Some(Answer { status, fields, body: Vec::new(), trailers: Vec::new(), ending: Ending::Whole })
    }

    /// The body that follows a head, as far as it comes.
    #[track_caller]
    pub fn body(&mut self, answer: &mut Answer) {
        let length = answer.field("content-length").map(|length| length.parse::<usize>().expect("a length"));
        let is_chunked = answer.field("transfer-encoding") == Some("chunked");
        assert!(!(is_chunked && length.is_some()), "two lengths: {answer:?}");
        answer.ending = match length {
            _ if is_chunked => self.chunks(answer).err().unwrap_or(Ending::Whole),
            Some(length) => self.exact(length, &mut answer.body).err().unwrap_or(Ending::Whole),
            None => loop {
                answer.body.append(&mut self.bytes);
                match self.fill() {
                    Ok(()) => (),
                    Err(Ending::Short) => break Ending::Closed,
                    Err(ending) => break ending,
                }
            },
        };
    }

    fn exact(&mut self, length: usize, into: &mut Vec<u8>) -> Result<(), Ending> {
        let mut rest = length;
        while rest > 0 {
            if self.bytes.is_empty() {
                self.fill()?;
            }
            let count = rest.min(self.bytes.len());
            into.extend(self.bytes.drain(..count));
            rest -= count;
        }
        Ok(())
    }

    fn chunks(&mut self, answer: &mut Answer) -> Result<(), Ending> {
        loop {
            let line = self.line()?;
            let size = usize::from_str_radix(line.split(';').next().unwrap_or_default(), 16);
            let size = size.unwrap_or_else(|_| panic!("no chunk: {line:?}"));
            if size == 0 {
                break;
            }
            self.exact(size, &mut answer.body)?;
            assert_eq!(self.line()?, "", "a chunk's end");
        }
        loop {
            match self.line()?.as_str() {
                "" => return Ok(()),
                line => answer.trailers.push(field(line)),
            }
        }
    }

    fn line(&mut self) -> Result<String, Ending> {
        loop {
            if let Some(end) = self.bytes.windows(2).position(|bytes| bytes == b"\r\n") {
                let line: Vec<u8> = self.bytes.drain(..end + 2).collect();
                return Ok(String::from_utf8_lossy(&line[..end]).into_owned());
            }
            self.fill()?;
        }
    }

    /// Bytes as they come: so many of them.
    #[track_caller]
    pub fn take(&mut self, count: usize) -> Vec<u8> {
        let mut taken = Vec::with_capacity(count);
        self.exact(count, &mut taken).unwrap_or_else(|ending| panic!("{ending:?} after {:?}", taken.escape_ascii()));
        taken
    }

    /// Waits for the connection's end: what came before it, and whether it was a reset.
    pub fn rest(&mut self) -> (Vec<u8>, Ending) {
        loop {
            if let Err(ending) = self.fill() {
                return (std::mem::take(&mut self.bytes), ending);
            }
        }
    }

    /// Whether there is nothing to read for this long, and the connection is open.
    pub fn is_quiet(&mut self, time: Duration) -> bool {
        self.set_limit(time);
        let mut bytes = [0; 1024];
        let begun = Instant::now();
        let read = match &mut self.stream {
            Stream::Unix(stream) => stream.read(&mut bytes),
            Stream::Tcp(stream) => stream.read(&mut bytes),
        };
        self.set_limit(LIMIT);
        match read {
            Ok(count) => {
                self.bytes.extend_from_slice(&bytes[..count]);
                false
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {
                self.is_quiet(time.saturating_sub(begun.elapsed()).max(Duration::from_millis(1)))
            }
            Err(_) => begun.elapsed() >= time,
        }
    }

    /// Reads once. The error: how the connection ended.
    fn fill(&mut self) -> Result<(), Ending> {
        let mut bytes = [0; 64 * 1024];
        let read = loop {
            let read = match &mut self.stream {
                Stream::Unix(stream) => stream.read(&mut bytes),
                Stream::Tcp(stream) => stream.read(&mut bytes),
            };
            // One with a time limit is interrupted where a tracer of the kernel comes or goes (signal(7)); thirty in a row
            // overflowed the stack of a function that called itself.
            if !read.as_ref().is_err_and(|error| error.kind() == std::io::ErrorKind::Interrupted) {
                break read;
            }
        };
        match read {
            Ok(0) => Err(Ending::Short),
            Ok(count) => {
                self.bytes.extend_from_slice(&bytes[..count]);
                Ok(())
            }
            Err(error) if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {
                panic!("nothing comes for {LIMIT:?}; before: {:?}", self.bytes.escape_ascii().to_string())
            }
            Err(_) => Err(Ending::Reset),
        }
    }
}

impl Answer {
    /// The value of a field, which must not be there twice.
    #[track_caller]
    pub fn field(&self, name: &str) -> Option<&str> {
        let mut values = self.fields.iter().filter(|(own, _)| own == name).map(|(_, value)| value.as_str());
        let value = values.next();
        assert_eq!(values.next(), None, "{name} is there twice: {self:?}");
        value
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Why the answer is not the upstream's, if it is not.
    pub fn reason(&self) -> Option<&str> {
        self.field("x-unladen-reason")
    }

    /// Asserts that it is the upstream's, whole, with this status.
    #[track_caller]
    pub fn is(self, status: u16) -> Self {
        assert_eq!((self.status, self.reason(), self.ending), (status, None, Ending::Whole), "{self:?}");
        self
    }

    /// Asserts that it is one of our own, whole, with this status and reason.
    #[track_caller]
    pub fn refuses(self, status: u16, reason: &str) -> Self {
        assert_eq!((self.status, self.reason(), self.ending), (status, Some(reason), Ending::Whole), "{self:?}");
        self
    }
}

fn field(line: &str) -> (String, String) {
    let (name, value) = line.split_once(": ").unwrap_or_else(|| panic!("no field: {line:?}"));
    (name.to_lowercase(), value.to_owned())
}
