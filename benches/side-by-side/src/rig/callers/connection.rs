//! The principal type is [`Connection`]: one of a caller, with what has come of an answer.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddrV4, TcpStream};
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd};
use std::os::unix::net::UnixStream;

use nix::sys::socket::sockopt::{IpBindAddressNoPort, TcpNoDelay};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, SockaddrIn, bind, connect, setsockopt, socket};

use super::super::listen::Listen;
use crate::Result;

/// No proxy here sends a longer head.
const LONGEST_HEAD: usize = 16 * 1024;

/// Each has some 28,000 ports.
const OWN_ADDRESSES: u64 = 32;

/// What bodies are made of.
static BODY: [u8; 256 * 1024] = [b'.'; 256 * 1024];

enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

pub(super) struct Connection {
    stream: Stream,
    /// Bytes of the request's body that are still to be sent.
    unsent: u64,
    answer: Answer,
}

/// How much of it is there.
enum Answer {
    /// This much of the head.
    Head(Vec<u8>),
    /// The head, and of the body all but `left` bytes.
    Body { length: u64, left: u64 },
}

impl Connection {
    /// The kernel completes a connection over the loopback at once, as long as the listener's queue has room. Whoever
    /// closes a connection keeps its port for a second: by several addresses of its own, who opens many has ports
    /// enough.
    pub(super) fn open(to: &Listen, number: u64) -> Result<Self> {
        let stream = match to {
            Listen::Tcp(port) => {
                let socket = socket(AddressFamily::Inet, SockType::Stream, SockFlag::SOCK_CLOEXEC, None)?;
                // The port is then chosen for the whole connection, as it is where nothing is bound.
                setsockopt(&socket, IpBindAddressNoPort, &true)?;
                let own = Ipv4Addr::new(127, 0, 1, 1 + u8::try_from(number % OWN_ADDRESSES)?);
                bind(socket.as_raw_fd(), &SockaddrIn::from(SocketAddrV4::new(own, 0)))?;
                connect(socket.as_raw_fd(), &SockaddrIn::from(SocketAddrV4::new(Ipv4Addr::LOCALHOST, *port)))?;
                setsockopt(&socket, TcpNoDelay, &true)?;
                let stream = TcpStream::from(socket);
                stream.set_nonblocking(true)?;
                Stream::Tcp(stream)
            }
            Listen::Unix(path) => {
                let stream = UnixStream::connect(path)?;
                stream.set_nonblocking(true)?;
                Stream::Unix(stream)
            }
        };
        Ok(Self { stream, unsent: 0, answer: Answer::Head(Vec::new()) })
    }

    /// Sends a request's head, for which there is always room, and begins with a body of so many bytes; whether all is
    /// sent.
    pub(super) fn send(&mut self, head: &[u8], body: u64) -> Result<bool> {
        self.stream.write_all(head)?;
        self.unsent = body;
        self.send_more()
    }

    /// Sends as much of the body as there is room for; whether all is sent.
    pub(super) fn send_more(&mut self) -> Result<bool> {
        while self.unsent > 0 {
            let length = usize::try_from(self.unsent)?.min(BODY.len());
            match self.stream.write(&BODY[..length]) {
                Ok(written) => self.unsent -= written as u64,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(true)
    }

    /// Reads what is there; the length of the body when the answer is whole.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> Result<Option<u64>> {
        match self.stream.read(buffer) {
            Ok(0) => Err("the connection was closed before the answer was whole".into()),
            Ok(length) => self.answer.take(&buffer[..length]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(buffer),
            Self::Unix(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(bytes),
            Self::Unix(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.stream {
            Stream::Tcp(stream) => stream.as_fd(),
            Stream::Unix(stream) => stream.as_fd(),
        }
    }
}

impl Answer {
    /// Takes in a piece; the length of the body when it is whole, and then the next answer begins.
    fn take(&mut self, piece: &[u8]) -> Result<Option<u64>> {
        let body = match self {
            Self::Body { left, .. } => {
                let more = *left;
                *left = more.checked_sub(piece.len() as u64).ok_or("more came than the answer's length")?;
                *left
            }
            Self::Head(head) => {
                // Most heads come whole, and are not copied.
                let (length, begin) = if head.is_empty() {
                    match parse(piece)? {
                        Some((length, end)) => (length, piece.len() - end),
                        None => {
                            head.extend_from_slice(piece);
                            return Ok(None);
                        }
                    }
                } else {
                    head.extend_from_slice(piece);
                    match parse(head)? {
                        Some((length, end)) => (length, head.len() - end),
                        None => return Ok(None),
                    }
                };
                let left = length.checked_sub(begin as u64).ok_or("more came than the answer's length")?;
                *self = Self::Body { length, left };
                left
            }
        };
        let Self::Body { length, .. } = *self else { return Ok(None) };
        if body > 0 {
            return Ok(None);
        }
        *self = Self::Head(Vec::new());
        Ok(Some(length))
    }
}

/// The body's length, and where the head ends; none when it has not come whole.
fn parse(bytes: &[u8]) -> Result<Option<(u64, usize)>> {
    let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
        return if bytes.len() > LONGEST_HEAD { Err("a head without an end".into()) } else { Ok(None) };
    };
    let head = std::str::from_utf8(&bytes[..end])?;
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap_or_default();
    if status.starts_with("HTTP/1.1 304") {
        return Ok(Some((0, end + 4)));
    }
    if !status.starts_with("HTTP/1.1 200") {
        return Err(format!("the answer is {status}").into());
    }
    let length = lines.find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<u64>())
    });
    Ok(Some((length.ok_or("an answer without a length")??, end + 4)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-Length: 5\r\nvia: x\r\n\r\nhello";

    #[test]
    fn an_answer_is_whole_wherever_it_is_cut() {
        for first in 1..WHOLE.len() {
            for second in first..WHOLE.len() {
                let mut answer = Answer::Head(Vec::new());
                let pieces = [&WHOLE[..first], &WHOLE[first..second], &WHOLE[second..]];
                let came: Vec<_> =
                    pieces.iter().filter(|piece| !piece.is_empty()).map(|piece| answer.take(piece).unwrap()).collect();
                assert_eq!(came.last(), Some(&Some(5)), "{first} {second}");
                assert_eq!(came.iter().flatten().count(), 1, "{first} {second}");
                assert_eq!(answer.take(WHOLE).unwrap(), Some(5), "the next one");
            }
        }
    }

    #[test]
    fn what_is_no_such_answer_is_told() {
        let take = |bytes: &[u8]| Answer::Head(Vec::new()).take(bytes).map_err(|error| error.to_string());
        assert_eq!(
            take(b"HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n").unwrap_err(),
            "the answer is HTTP/1.1 503 Busy"
        );
        assert_eq!(take(b"HTTP/1.1 200 OK\r\n\r\n").unwrap_err(), "an answer without a length");
        assert_eq!(take(b"HTTP/1.1 304 Not Modified\r\ncontent-length: 7\r\n\r\n").unwrap(), Some(0), "it has no body");
        assert!(take(b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nab").unwrap_err().starts_with("more came"));
        assert!(take(&[b'x'; LONGEST_HEAD + 1]).is_err());
    }
}
