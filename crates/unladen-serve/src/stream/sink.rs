//! The principal type is [`Sink`]: where a body goes to, by HTTP/1 or HTTP/2.

use std::io::IoSlice;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use unladen_http1::{CHUNK_END, Fields, LAST_CHUNK, Length, chunk_head};
use unladen_pool::Half;

use super::{BodySource, CodedSink, H2Sink};
use crate::budget::{Claim, Held, Share};
use crate::site::FetchSink;

/// Pieces up to this are gathered in one write with what goes before; larger ones are written from where they are.
const GATHERED: usize = 8 * 1024;
/// So much is gathered before it is written, though more may follow at once.
const GATHER: usize = 32 * 1024;
/// What a request takes whose answer waits for its client, besides what waits: the heads, and what they were read into.
const WAITING: usize = 16 * 1024;
/// What TLS holds of what was written and does not go out (rustls).
const ENCRYPTED: usize = 64 * 1024;

/// Where a body goes to.
#[derive(Debug)]
pub(crate) enum Sink<'a> {
    /// A connection of HTTP/1.
    H1(H1Sink<'a>),
    /// A stream of HTTP/2.
    H2(H2Sink),
    /// Whoever waits for it, and the store.
    Fetch(FetchSink<'a>),
    /// A client, in another coding.
    Coded(Box<CodedSink<'a>>),
}

/// A body on a connection of HTTP/1.
#[derive(Debug)]
pub(crate) struct H1Sink<'a> {
    half: Half<'a>,
    /// Not written yet: the head to begin with.
    out: &'a mut Vec<u8>,
    /// Of `out`, what has been written.
    written: usize,
    is_chunked: bool,
    /// Of the chunk that was announced last, what is still to come.
    chunk: usize,
    ended: bool,
    /// Whether the peer may have seen anything.
    has_sent: bool,
    /// Of a client: what is held for it.
    share: Option<&'a Arc<Share>>,
    /// Once it did not take what there was: what is held meanwhile, and waits for the share's end.
    blocked: Option<Box<(Held, Claim)>>,
}

/// Why a body cannot be taken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SinkError {
    /// The connection was reset, or the like.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The stream was reset, or the connection failed.
    #[error("{0}")]
    H2(#[from] h2::Error),
    /// Whoever it was for has gone.
    #[error("the connection was closed")]
    Gone,
}

// === impl Sink ===

impl Sink<'_> {
    /// Takes some of a body: how many bytes.
    pub(crate) fn poll_write(&mut self, cx: &mut Context<'_>, data: &[u8]) -> Poll<Result<usize, SinkError>> {
        match self {
            Self::H1(sink) => sink.poll_write(cx, data),
            Self::H2(sink) => sink.poll_write(cx, data),
            Self::Fetch(sink) => sink.poll_write(cx, data).map_err(|()| SinkError::Gone),
            Self::Coded(sink) => sink.poll_write(cx, data),
        }
    }

    /// Takes some of what a source has: how many bytes. What lies in memory for others too is not copied, where it need
    /// not be.
    pub(crate) fn poll_take(
        &mut self,
        cx: &mut Context<'_>,
        source: &BodySource<'_>,
    ) -> Poll<Result<usize, SinkError>> {
        match (self, source) {
            (Self::H2(sink), BodySource::Memory(body)) => Poll::Ready(sink.lend(body)),
            (Self::H2(sink), BodySource::Fetch(_) | BodySource::H2(_)) => sink.poll_share(cx, source.shared()),
            (sink, _) => sink.poll_write(cx, source.data()),
        }
    }

    /// Sends what was gathered.
    pub(crate) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), SinkError>> {
        match self {
            Self::H1(sink) => sink.poll_flush(cx),
            Self::H2(_) | Self::Fetch(_) => Poll::Ready(Ok(())),
            Self::Coded(sink) => sink.poll_flush(cx),
        }
    }

    /// Ends the body, and sends what was gathered.
    pub(crate) fn poll_end(&mut self, cx: &mut Context<'_>, trailers: Option<&Fields>) -> Poll<Result<(), SinkError>> {
        match self {
            Self::H1(sink) => {
                if !std::mem::replace(&mut sink.ended, true) {
                    sink.end(trailers);
                }
                sink.poll_flush(cx)
            }
            Self::H2(sink) => Poll::Ready(sink.end(trailers)),
            Self::Fetch(sink) => {
                sink.end();
                Poll::Ready(Ok(()))
            }
            Self::Coded(sink) => sink.poll_end(cx, trailers),
        }
    }

    /// Of a body that is put into another coding: how many bytes of it have gone out.
    pub(crate) fn coded(&self) -> Option<u64> {
        match self {
            Self::Coded(sink) => Some(sink.bytes),
            _ => None,
        }
    }

    /// Whether it took nothing for the sake of others on this thread, and not because the peer takes nothing. Asked
    /// once.
    pub(super) fn has_yielded(&mut self) -> bool {
        match self {
            Self::Coded(sink) => sink.has_yielded(),
            Self::H1(_) | Self::H2(_) | Self::Fetch(_) => false,
        }
    }

    /// Whether the peer may have seen anything of the message.
    pub(crate) fn has_sent(&self) -> bool {
        match self {
            Self::H1(sink) => sink.has_sent,
            Self::H2(_) | Self::Fetch(_) => true,
            Self::Coded(sink) => sink.has_sent(),
        }
    }

    /// Of HTTP/2: whether the peer has reset the stream, or its connection has ended. Of a client of HTTP/1 that does
    /// not take what it is sent: whether the memory is needed for others. Whether nobody waits for it any more.
    pub(crate) fn poll_gone(&mut self, cx: &mut Context<'_>) -> bool {
        match self {
            Self::H1(sink) => sink.blocked.as_mut().is_some_and(|blocked| blocked.1.poll_ended(cx)),
            Self::Fetch(sink) => sink.poll_gone(cx),
            Self::H2(sink) => sink.poll_gone(cx),
            Self::Coded(sink) => sink.poll_gone(cx),
        }
    }

    /// Of HTTP/2: lets the peer know that the body breaks off.
    pub(crate) fn reset(&mut self) {
        match self {
            Self::H1(_) | Self::Fetch(_) => (),
            Self::H2(sink) => sink.reset(),
            Self::Coded(sink) => sink.reset(),
        }
    }
}

// === impl H1Sink ===

impl<'a> H1Sink<'a> {
    /// `out` has the message's head.
    pub(crate) fn new(half: Half<'a>, out: &'a mut Vec<u8>, length: Length) -> Self {
        let is_chunked = length == Length::Chunked;
        let (share, blocked) = (None, None);
        Self { half, out, written: 0, is_chunked, chunk: 0, ended: false, has_sent: false, share, blocked }
    }

    /// To a client: what it does not take is held for it.
    pub(crate) fn for_client(self, share: Option<&'a Arc<Share>>) -> Self {
        Self { share, ..self }
    }

    fn poll_write(&mut self, cx: &mut Context<'_>, data: &[u8]) -> Poll<Result<usize, SinkError>> {
        if data.is_empty() {
            return Poll::Ready(Ok(0));
        }
        if self.out.len() > GATHER {
            ready!(self.poll_out(cx))?;
        }
        if self.is_chunked && self.chunk == 0 {
            let (head, length) = chunk_head(data.len());
            self.out.extend_from_slice(&head[..length]);
            self.chunk = data.len();
        }
        let piece = if self.is_chunked { &data[..self.chunk.min(data.len())] } else { data };
        let taken = if piece.len() <= GATHERED {
            self.out.extend_from_slice(piece);
            piece.len()
        } else {
            ready!(self.poll_through(cx, piece))?
        };
        if self.is_chunked {
            self.chunk -= taken;
            if self.chunk == 0 {
                self.out.extend_from_slice(CHUNK_END);
            }
        }
        Poll::Ready(Ok(taken))
    }

    /// Writes what was gathered and then (some of) a piece, in one system call if the peer takes it.
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

    fn poll_out(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), SinkError>> {
        while self.written < self.out.len() {
            let written = self.half.poll_write(cx, &[IoSlice::new(&self.out[self.written..])]);
            self.written += ready!(self.wrote(written))?;
        }
        self.out.clear();
        self.written = 0;
        Poll::Ready(Ok(()))
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), SinkError>> {
        ready!(self.poll_out(cx))?;
        let flushed = self.half.poll_flush(cx);
        if flushed.is_pending() {
            self.block();
        }
        flushed.map_err(SinkError::Io)
    }

    /// What came of a write: keeps account of what waits for a client.
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

    /// From now on what waits is counted: a client that takes an answer at once costs no counting.
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
        if !self.is_chunked {
            return;
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
