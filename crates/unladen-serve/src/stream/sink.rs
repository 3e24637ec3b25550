//! The principal type is [`Sink`]: where a body goes to, by HTTP/1 or HTTP/2.

use std::io::IoSlice;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use unladen_http1::{CHUNK_END, Fields, LAST_CHUNK, Length, chunk_head};
use unladen_pool::Half;

use crate::convert::fields_to_h2;
use crate::front::FillSink;

/// Pieces up to this are gathered in one write with what goes before; larger ones are written from where they are.
const GATHERED: usize = 8 * 1024;
/// So much is gathered before it is written, though more may follow at once.
const GATHER: usize = 32 * 1024;

/// Where a body goes to.
#[derive(Debug)]
pub(crate) enum Sink<'a> {
    /// A connection of HTTP/1.
    H1(H1Sink<'a>),
    /// A stream of HTTP/2.
    H2(H2Sink),
    /// Whoever waits for it, and the store.
    Fill(FillSink<'a>),
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
}

/// A body on a stream of HTTP/2.
#[derive(Debug)]
pub(crate) struct H2Sink {
    stream: h2::SendStream<Bytes>,
    ended: bool,
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
            Self::Fill(sink) => sink.poll_write(cx, data).map_err(|()| SinkError::Gone),
        }
    }

    /// Sends what was gathered.
    pub(crate) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), SinkError>> {
        match self {
            Self::H1(sink) => sink.poll_flush(cx),
            Self::H2(_) | Self::Fill(_) => Poll::Ready(Ok(())),
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
            Self::Fill(sink) => {
                sink.end();
                Poll::Ready(Ok(()))
            }
        }
    }

    /// Whether the peer may have seen anything of the message.
    pub(crate) fn has_sent(&self) -> bool {
        match self {
            Self::H1(sink) => sink.has_sent,
            Self::H2(_) | Self::Fill(_) => true,
        }
    }

    /// Of HTTP/2: whether the peer has reset the stream, or its connection has ended. Whether nobody waits for it any more.
    pub(crate) fn poll_gone(&mut self, cx: &mut Context<'_>) -> bool {
        match self {
            Self::H1(_) => false,
            Self::Fill(sink) => sink.poll_gone(cx),
            Self::H2(sink) => sink.stream.poll_reset(cx).is_ready(),
        }
    }

    /// Of HTTP/2: lets the peer know that the body breaks off.
    pub(crate) fn reset(&mut self) {
        if let Self::H2(sink) = self {
            sink.stream.send_reset(h2::Reason::CANCEL);
        }
    }
}

// === impl H1Sink ===

impl<'a> H1Sink<'a> {
    /// `out` has the message's head.
    pub(crate) fn new(half: Half<'a>, out: &'a mut Vec<u8>, length: Length) -> Self {
        let is_chunked = length == Length::Chunked;
        Self { half, out, written: 0, is_chunked, chunk: 0, ended: false, has_sent: false }
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
            let count = if before == 0 {
                ready!(self.half.poll_write(cx, &[IoSlice::new(piece)]))?
            } else {
                let pieces = [IoSlice::new(&self.out[self.written..]), IoSlice::new(piece)];
                ready!(self.half.poll_write(cx, &pieces))?
            };
            self.has_sent = true;
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
            self.written += ready!(self.half.poll_write(cx, &[IoSlice::new(&self.out[self.written..])]))?;
            self.has_sent = true;
        }
        self.out.clear();
        self.written = 0;
        Poll::Ready(Ok(()))
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), SinkError>> {
        ready!(self.poll_out(cx))?;
        self.half.poll_flush(cx).map_err(SinkError::Io)
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

// === impl H2Sink ===

impl H2Sink {
    /// `ended`: the head was sent as the whole message.
    pub(crate) fn new(stream: h2::SendStream<Bytes>, ended: bool) -> Self {
        Self { stream, ended }
    }

    fn poll_write(&mut self, cx: &mut Context<'_>, data: &[u8]) -> Poll<Result<usize, SinkError>> {
        if data.is_empty() {
            return Poll::Ready(Ok(0));
        }
        self.stream.reserve_capacity(data.len());
        match ready!(self.stream.poll_capacity(cx)) {
            Some(capacity) => {
                let count = capacity?.min(data.len());
                self.stream.send_data(Bytes::copy_from_slice(&data[..count]), false)?;
                Poll::Ready(Ok(count))
            }
            None => Poll::Ready(Err(h2::Error::from(h2::Reason::STREAM_CLOSED).into())),
        }
    }

    fn end(&mut self, trailers: Option<&Fields>) -> Result<(), SinkError> {
        if std::mem::replace(&mut self.ended, true) {
            return Ok(());
        }
        match trailers {
            Some(trailers) => self.stream.send_trailers(fields_to_h2(trailers))?,
            None => self.stream.send_data(Bytes::new(), true)?,
        }
        Ok(())
    }
}
