//! The principal type is [`Sink`]: where a body goes to, over HTTP/1 or HTTP/2, as it is or coded.

use std::task::{Context, Poll, ready};

use unladen_cache::Encoder;
use unladen_http1::Fields;

use super::SinkError;
use super::h1_sink::H1Sink;
use super::h2_sink::H2Sink;
use super::source::BodySource;
use crate::cache::cache_fetch::FetchSink;
use crate::limits::budget::Held;

#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "nearly all are plain, and a box would be an allocation for each body")]
pub(crate) enum Sink<'a> {
    Plain(PlainSink<'a>),
    Coded(Box<CodedSink<'a>>),
}

// === impl Sink ===

impl Sink<'_> {
    pub(crate) fn poll_write(&mut self, cx: &mut Context<'_>, data: &[u8]) -> Poll<Result<usize, SinkError>> {
        match self {
            Self::Plain(sink) => sink.poll_write(cx, data),
            Self::Coded(sink) => sink.poll_write(cx, data),
        }
    }

    /// Takes some of the source's data, and returns how many bytes. Avoids copying shared memory where possible.
    pub(crate) fn poll_take(
        &mut self,
        cx: &mut Context<'_>,
        source: &BodySource<'_>,
    ) -> Poll<Result<usize, SinkError>> {
        match self {
            Self::Plain(sink) => sink.poll_take(cx, source),
            Self::Coded(sink) => sink.poll_write(cx, source.data()),
        }
    }

    /// Whether the system can send it files: uncoded HTTP/1 without TLS.
    pub(crate) fn takes_files(&self) -> bool {
        matches!(self, Self::Plain(PlainSink::H1(sink)) if sink.takes_files())
    }

    pub(crate) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), SinkError>> {
        match self {
            Self::Plain(sink) => sink.poll_flush(cx),
            Self::Coded(sink) => sink.poll_flush(cx),
        }
    }

    pub(crate) fn poll_end(&mut self, cx: &mut Context<'_>, trailers: Option<&Fields>) -> Poll<Result<(), SinkError>> {
        match self {
            Self::Plain(sink) => sink.poll_end(cx, trailers),
            Self::Coded(sink) => sink.poll_end(cx, trailers),
        }
    }

    /// Bytes of a coded body that have gone out.
    pub(crate) fn coded(&self) -> Option<u64> {
        match self {
            Self::Plain(_) => None,
            Self::Coded(sink) => Some(sink.bytes),
        }
    }

    /// Whether nothing was taken for the sake of others on this thread, not because the peer is slow. Resets the flag.
    pub(super) fn has_yielded(&mut self) -> bool {
        match self {
            Self::Plain(_) => false,
            Self::Coded(sink) => sink.has_yielded(),
        }
    }

    pub(crate) fn has_sent(&self) -> bool {
        match self {
            Self::Plain(sink) => sink.has_sent(),
            Self::Coded(sink) => sink.has_sent(),
        }
    }

    /// HTTP/2: whether the peer reset the stream, or the connection ended. HTTP/1: whether a slow client's memory is
    /// needed for others. A fetch: whether nobody waits any more.
    pub(crate) fn poll_gone(&mut self, cx: &mut Context<'_>) -> bool {
        match self {
            Self::Plain(sink) => sink.poll_gone(cx),
            Self::Coded(sink) => sink.poll_gone(cx),
        }
    }

    /// HTTP/2: tells the peer that the body breaks off.
    pub(crate) fn reset(&mut self) {
        match self {
            Self::Plain(sink) => sink.reset(),
            Self::Coded(sink) => sink.reset(),
        }
    }
}

impl<'a> From<H1Sink<'a>> for Sink<'a> {
    fn from(sink: H1Sink<'a>) -> Self {
        Self::Plain(PlainSink::H1(sink))
    }
}

impl<'a> From<H2Sink<'a>> for Sink<'a> {
    fn from(sink: H2Sink<'a>) -> Self {
        Self::Plain(PlainSink::H2(sink))
    }
}

impl<'a> From<FetchSink<'a>> for Sink<'a> {
    fn from(sink: FetchSink<'a>) -> Self {
        Self::Plain(PlainSink::Fetch(sink))
    }
}

#[derive(Debug)]
pub(crate) enum PlainSink<'a> {
    H1(H1Sink<'a>),
    H2(H2Sink<'a>),
    Fetch(FetchSink<'a>),
}

impl PlainSink<'_> {
    pub(super) fn poll_write(&mut self, cx: &mut Context<'_>, data: &[u8]) -> Poll<Result<usize, SinkError>> {
        match self {
            Self::H1(sink) => sink.poll_write(cx, data),
            Self::H2(sink) => sink.poll_write(cx, data),
            Self::Fetch(sink) => sink.poll_write(cx, data).map_err(|()| SinkError::Gone),
        }
    }

    pub(super) fn poll_take(
        &mut self,
        cx: &mut Context<'_>,
        source: &BodySource<'_>,
    ) -> Poll<Result<usize, SinkError>> {
        match (self, source) {
            (Self::H2(sink), BodySource::Memory(body)) => Poll::Ready(sink.lend(body)),
            (Self::H2(sink), BodySource::Fetch(_) | BodySource::H2(_)) => sink.poll_share(cx, source.shared()),
            (Self::H1(sink), BodySource::File(file)) if let Some(stretch) = file.stretch() => {
                sink.poll_file(cx, stretch)
            }
            (sink, _) => sink.poll_write(cx, source.data()),
        }
    }

    pub(super) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), SinkError>> {
        match self {
            Self::H1(sink) => sink.poll_flush(cx),
            Self::H2(sink) => Poll::Ready(sink.begin()),
            Self::Fetch(sink) => {
                sink.begin();
                Poll::Ready(Ok(()))
            }
        }
    }

    pub(super) fn poll_end(&mut self, cx: &mut Context<'_>, trailers: Option<&Fields>) -> Poll<Result<(), SinkError>> {
        match self {
            Self::H1(sink) => sink.poll_end(cx, trailers),
            Self::H2(sink) => Poll::Ready(sink.end(trailers)),
            Self::Fetch(sink) => {
                sink.end();
                Poll::Ready(Ok(()))
            }
        }
    }

    pub(super) fn has_sent(&self) -> bool {
        match self {
            Self::H1(sink) => sink.has_sent(),
            Self::H2(sink) => sink.has_sent(),
            Self::Fetch(sink) => sink.has_sent(),
        }
    }

    pub(super) fn poll_gone(&mut self, cx: &mut Context<'_>) -> bool {
        match self {
            Self::H1(sink) => sink.poll_gone(cx),
            Self::H2(sink) => sink.poll_gone(cx),
            Self::Fetch(sink) => sink.poll_gone(cx),
        }
    }

    pub(super) fn reset(&mut self) {
        match self {
            Self::H1(_) | Self::Fetch(_) => (),
            Self::H2(sink) => sink.reset(),
        }
    }
}

/// Bytes taken at a time …
const PIECE: usize = 16 * 1024;
/// … and before others on this thread have their turn.
const TURN: usize = 64 * 1024;
/// Output bytes that may wait before more input is taken.
const WAITING: usize = 16 * 1024;

#[derive(Debug)]
pub(crate) struct CodedSink<'a> {
    inner: PlainSink<'a>,
    /// `None` once the body is over.
    encoder: Option<Encoder>,
    /// The encoder's last output.
    rest: Vec<u8>,
    sent: usize,
    /// Whether the encoder holds input not yet put out.
    holds_back: bool,
    turn: usize,
    has_yielded: bool,
    pub(super) bytes: u64,
    _held: Held,
}

impl<'a> CodedSink<'a> {
    pub(crate) fn new(inner: PlainSink<'a>, encoder: Encoder, held: Held) -> Self {
        let encoder = Some(encoder);
        Self {
            inner,
            encoder,
            rest: Vec::new(),
            sent: 0,
            holds_back: false,
            turn: 0,
            has_yielded: false,
            bytes: 0,
            _held: held,
        }
    }

    pub(super) fn poll_write(&mut self, cx: &mut Context<'_>, data: &[u8]) -> Poll<Result<usize, SinkError>> {
        ready!(self.poll_out(cx, WAITING))?;
        if self.turn >= TURN {
            self.turn = 0;
            self.has_yielded = true;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let piece = &data[..data.len().min(PIECE)];
        if let Some(encoder) = &mut self.encoder {
            encoder.write(piece)?;
            self.turn += piece.len();
            self.holds_back |= !piece.is_empty();
        }
        Poll::Ready(Ok(piece.len()))
    }

    /// Flushes the encoder, so that the client gets all there is.
    pub(super) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), SinkError>> {
        if std::mem::take(&mut self.holds_back)
            && let Some(encoder) = &mut self.encoder
        {
            encoder.flush()?;
        }
        self.turn = 0;
        ready!(self.poll_out(cx, 0))?;
        self.inner.poll_flush(cx)
    }

    pub(super) fn poll_end(&mut self, cx: &mut Context<'_>, trailers: Option<&Fields>) -> Poll<Result<(), SinkError>> {
        if let Some(encoder) = self.encoder.take() {
            self.rest = encoder.finish()?;
        }
        ready!(self.poll_out(cx, 0))?;
        self.inner.poll_end(cx, trailers)
    }

    /// Whether nothing was taken for the sake of others, not because the client is slow. Resets the flag.
    pub(super) fn has_yielded(&mut self) -> bool {
        std::mem::take(&mut self.has_yielded)
    }

    pub(super) fn has_sent(&self) -> bool {
        self.inner.has_sent()
    }

    pub(super) fn poll_gone(&mut self, cx: &mut Context<'_>) -> bool {
        self.inner.poll_gone(cx)
    }

    pub(super) fn reset(&mut self) {
        self.inner.reset();
    }

    /// Sends output until at most `most` bytes wait.
    fn poll_out(&mut self, cx: &mut Context<'_>, most: usize) -> Poll<Result<(), SinkError>> {
        let Self { inner, encoder, rest, sent, bytes, .. } = self;
        let out = encoder.as_mut().map_or(rest, Encoder::out);
        if out.len() - *sent <= most && most > 0 {
            return Poll::Ready(Ok(()));
        }
        while *sent < out.len() {
            let count = ready!(inner.poll_write(cx, &out[*sent..]))?;
            *sent += count;
            *bytes += count as u64;
        }
        out.clear();
        *sent = 0;
        Poll::Ready(Ok(()))
    }
}
