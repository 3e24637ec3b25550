//! The principal type is [`H1Sink`]: a body on a connection of HTTP/1, or of FastCGI.

use std::io;
use std::io::IoSlice;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use rustix::net::SendFlags;
use tokio::io::Interest;
use unladen_fastcgi::{Header, MOST_CONTENT, STDIN, end_of_stdin};
use unladen_http1::{CHUNK_END, Fields, LAST_CHUNK, Length, chunk_head};
use unladen_pool::{Half, Socket};

use super::SinkError;
use super::file_source::Stretch;
use crate::limits::budget::{Claim, Held, Share};

/// Largest piece copied into one write with what precedes; larger ones are written in place.
const GATHERED: usize = 8 * 1024;
/// Bytes gathered before they are written, though more may follow at once.
const GATHER: usize = 32 * 1024;
/// Memory of a request whose answer waits for its client: the heads, and their buffers.
const WAITING: usize = 16 * 1024;
/// Bytes that rustls may hold unsent.
const ENCRYPTED: usize = 64 * 1024;

#[derive(Debug)]
pub(crate) struct H1Sink<'a> {
    half: Half<'a>,
    /// Unwritten output; at first the head.
    out: &'a mut Vec<u8>,
    /// Bytes of `out` already written.
    written: usize,
    framing: Framing,
    /// Bytes to come of the chunk or record announced last.
    chunk: usize,
    ended: bool,
    has_sent: bool,
    share: Option<&'a Arc<Share>>,
    /// Once the client did not take everything: what is held meanwhile, and the wait for the share's end.
    blocked: Option<Box<(Held, Claim)>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Framing {
    Plain,
    Chunks,
    /// FastCGI records of this request id.
    Records(u16),
}

impl<'a> H1Sink<'a> {
    /// `out` has the message's head.
    pub(crate) fn new(half: Half<'a>, out: &'a mut Vec<u8>, length: Length) -> Self {
        let framing = if length == Length::Chunked { Framing::Chunks } else { Framing::Plain };
        Self::framed(half, out, framing)
    }

    /// `out` has everything up to the end of the parameters.
    pub(crate) fn fastcgi(half: Half<'a>, out: &'a mut Vec<u8>, request: u16) -> Self {
        Self::framed(half, out, Framing::Records(request))
    }

    fn framed(half: Half<'a>, out: &'a mut Vec<u8>, framing: Framing) -> Self {
        let (share, blocked) = (None, None);
        Self { half, out, written: 0, framing, chunk: 0, ended: false, has_sent: false, share, blocked }
    }

    /// Holds what the client does not take in its share.
    pub(crate) fn for_client(self, share: Option<&'a Arc<Share>>) -> Self {
        Self { share, ..self }
    }

    pub(super) fn takes_files(&self) -> bool {
        self.framing == Framing::Plain && !self.half.is_encrypted()
    }

    pub(super) fn poll_write(&mut self, cx: &mut Context<'_>, data: &[u8]) -> Poll<Result<usize, SinkError>> {
        if data.is_empty() {
            return Poll::Ready(Ok(0));
        }
        if self.out.len() > GATHER {
            ready!(self.poll_out(cx))?;
        }
        if self.chunk == 0 {
            match self.framing {
                Framing::Plain => (),
                Framing::Chunks => {
                    let (head, length) = chunk_head(data.len());
                    self.out.extend_from_slice(&head[..length]);
                    self.chunk = data.len();
                }
                Framing::Records(request) => {
                    self.chunk = data.len().min(MOST_CONTENT);
                    let header = Header { kind: STDIN, request, length: self.chunk as u16, padding: 0 };
                    self.out.extend_from_slice(&header.bytes());
                }
            }
        }
        let piece = if self.framing == Framing::Plain { data } else { &data[..self.chunk.min(data.len())] };
        let taken = if piece.len() <= GATHERED {
            self.out.extend_from_slice(piece);
            piece.len()
        } else {
            ready!(self.poll_through(cx, piece))?
        };
        if self.framing != Framing::Plain {
            self.chunk -= taken;
            if self.chunk == 0 && self.framing == Framing::Chunks {
                self.out.extend_from_slice(CHUNK_END);
            }
        }
        Poll::Ready(Ok(taken))
    }

    /// Writes the gathered bytes and some of the piece, in one system call if possible.
    fn poll_through(&mut self, cx: &mut Context<'_>, piece: &[u8]) -> Poll<Result<usize, SinkError>> {
        loop {
            let before = self.out.len() - self.written;
            let written = if before == 0 {
                self.half.poll_write(cx, &[IoSlice::new(piece)])
            } else {
                let pieces = [IoSlice::new(&self.out[self.written..]), IoSlice::new(piece)];
                self.half.poll_write(cx, &pieces)
            };
            let count = ready!(self.wrote(written))?;
            if count < before {
                self.written += count;
                continue;
            }
            self.out.clear();
            self.written = 0;
            if count > before {
                return Poll::Ready(Ok(count - before));
            }
        }
    }

    /// Has the system send some of a file after the gathered bytes. The body must be framed by its length.
    pub(super) fn poll_file(&mut self, cx: &mut Context<'_>, stretch: Stretch<'_>) -> Poll<Result<usize, SinkError>> {
        while self.written < self.out.len() {
            let written = poll_send_more(self.half, cx, &self.out[self.written..]);
            self.written += ready!(self.wrote(written))?;
        }
        self.out.clear();
        self.written = 0;
        let written = poll_send_file(self.half, cx, stretch.file, stretch.at, stretch.most);
        match ready!(self.wrote(written))? {
            0 => Poll::Ready(Err(SinkError::Shrunk)),
            count => Poll::Ready(Ok(count)),
        }
    }

    fn poll_out(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), SinkError>> {
        while self.written < self.out.len() {
            let written = self.half.poll_write(cx, &[IoSlice::new(&self.out[self.written..])]);
            self.written += ready!(self.wrote(written))?;
        }
        self.out.clear();
        self.written = 0;
        Poll::Ready(Ok(()))
    }

    pub(crate) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), SinkError>> {
        ready!(self.poll_out(cx))?;
        let flushed = self.half.poll_flush(cx);
        if flushed.is_pending() {
            self.block();
        }
        flushed.map_err(SinkError::Io)
    }

    pub(super) fn poll_end(&mut self, cx: &mut Context<'_>, trailers: Option<&Fields>) -> Poll<Result<(), SinkError>> {
        if !std::mem::replace(&mut self.ended, true) {
            self.end(trailers);
        }
        self.poll_flush(cx)
    }

    pub(super) fn has_sent(&self) -> bool {
        self.has_sent
    }

    /// Whether a client that does not read has to give up its memory for others.
    pub(super) fn poll_gone(&mut self, cx: &mut Context<'_>) -> bool {
        self.blocked.as_mut().is_some_and(|blocked| blocked.1.poll_ended(cx))
    }

    /// Accounts for what waits for a client after a write.
    fn wrote(&mut self, written: Poll<std::io::Result<usize>>) -> Poll<std::io::Result<usize>> {
        match &written {
            Poll::Pending => self.block(),
            Poll::Ready(Ok(count)) => {
                self.has_sent = true;
                if let Some(share) = self.share.filter(|_| self.blocked.is_some()) {
                    share.took(*count);
                }
            }
            Poll::Ready(Err(_)) => (),
        }
        written
    }

    /// Counts what waits from now on: a client that takes its answer at once costs no counting.
    #[cold]
    fn block(&mut self) {
        let Some(share) = self.share else { return };
        let encrypted = if self.half.is_encrypted() { ENCRYPTED } else { 0 };
        let bytes = WAITING + self.out.capacity() + encrypted;
        match &mut self.blocked {
            Some(blocked) => blocked.0.set(bytes),
            blocked => *blocked = Some(Box::new((share.hold(bytes).outgoing(), Claim::new(share.clone())))),
        }
    }

    fn end(&mut self, trailers: Option<&Fields>) {
        match self.framing {
            Framing::Plain => return,
            // Records have no trailers.
            Framing::Records(request) => return end_of_stdin(self.out, request),
            Framing::Chunks => (),
        }
        let Some(trailers) = trailers else {
            self.out.extend_from_slice(LAST_CHUNK);
            return;
        };
        self.out.extend_from_slice(b"0\r\n");
        for field in trailers.iter() {
            for piece in [field.name, b": ", field.value, b"\r\n"] {
                self.out.extend_from_slice(piece);
            }
        }
        self.out.extend_from_slice(b"\r\n");
    }
}

/// Sends bytes of which more follows at once, so that they share packets; returns how many were taken.
pub(super) fn poll_send_more(half: Half<'_>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
    poll_socket(half, cx, |socket| Ok(rustix::net::send(socket, bytes, SendFlags::MORE | SendFlags::NOSIGNAL)?))
}

/// Sends up to `most` bytes of a file; returns how many were taken, 0 at the file's end.
pub(super) fn poll_send_file(
    half: Half<'_>,
    cx: &mut Context<'_>,
    file: BorrowedFd<'_>,
    at: u64,
    most: usize,
) -> Poll<io::Result<usize>> {
    poll_socket(half, cx, |socket| {
        let mut at = at;
        Ok(rustix::fs::sendfile(socket, file, Some(&mut at), most)?)
    })
}

/// Runs `work` once the socket is writable, and again if it was not after all.
fn poll_socket(
    half: Half<'_>,
    cx: &mut Context<'_>,
    mut work: impl FnMut(BorrowedFd<'_>) -> io::Result<usize>,
) -> Poll<io::Result<usize>> {
    let mut transport = half.0.borrow_mut();
    loop {
        let done = match transport.socket() {
            Socket::Tcp(stream) => {
                ready!(stream.poll_write_ready(cx))?;
                stream.try_io(Interest::WRITABLE, || work(stream.as_fd()))
            }
            Socket::Unix(stream) => return stream.poll_write_with(cx, |stream| work(stream.as_fd())),
            _ => return Poll::Ready(Err(io::ErrorKind::NotConnected.into())),
        };
        match done {
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => (),
            done => return Poll::Ready(done),
        }
    }
}
