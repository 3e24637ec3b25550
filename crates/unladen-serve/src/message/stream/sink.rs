//! The principal types are [`Sink`], where a body goes to, over HTTP/1 or HTTP/2, as it is or coded; and [`Pump`],
//! which carries it there from its source.

use std::task::{Context, Poll, ready};

use unladen_cache::Encoder;
use unladen_http1::Fields;

use super::h1_sink::H1Sink;
use super::h2_sink::H2Sink;
use super::source::BodySource;
use super::{SinkError, SourceError};
use crate::cache::cache_fetch::FetchSink;
use crate::limits::budget::Held;

/// Where a body goes to.
#[derive(Debug)]
pub(crate) struct Sink<'a> {
    to: PlainSink<'a>,
    /// `None` for nearly all bodies, which go as they are.
    coder: Option<Box<Coder>>,
}

impl<'a> Sink<'a> {
    pub(crate) fn plain(to: PlainSink<'a>) -> Self {
        Self { to, coder: None }
    }

    /// Compresses the body on its way to a client.
    pub(crate) fn coded(to: PlainSink<'a>, encoder: Encoder, held: Held) -> Self {
        let coder = Coder {
            encoder: Some(encoder),
            rest: Vec::new(),
            sent: 0,
            holds_back: false,
            turn: 0,
            has_yielded: false,
            bytes: 0,
            _held: held,
        };
        Self { to, coder: Some(Box::new(coder)) }
    }

    pub(crate) fn poll_write(&mut self, cx: &mut Context<'_>, data: &[u8]) -> Poll<Result<usize, SinkError>> {
        match &mut self.coder {
            None => self.to.poll_write(cx, data),
            Some(coder) => coder.poll_write(cx, &mut self.to, data),
        }
    }

    /// Takes some of the source's data, and returns how many bytes. Avoids copying shared memory where possible.
    pub(crate) fn poll_take(
        &mut self,
        cx: &mut Context<'_>,
        source: &BodySource<'_>,
    ) -> Poll<Result<usize, SinkError>> {
        match &mut self.coder {
            None => self.to.poll_take(cx, source),
            Some(coder) => coder.poll_write(cx, &mut self.to, source.data()),
        }
    }

    /// Whether the system can send it files: uncoded HTTP/1 without TLS.
    pub(crate) fn takes_files(&self) -> bool {
        matches!(&self.to, PlainSink::H1(sink) if self.coder.is_none() && sink.takes_files())
    }

    pub(crate) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), SinkError>> {
        if let Some(coder) = &mut self.coder {
            ready!(coder.poll_flush(cx, &mut self.to))?;
        }
        self.to.poll_flush(cx)
    }

    pub(crate) fn poll_end(&mut self, cx: &mut Context<'_>, trailers: Option<&Fields>) -> Poll<Result<(), SinkError>> {
        if let Some(coder) = &mut self.coder {
            ready!(coder.poll_end(cx, &mut self.to))?;
        }
        self.to.poll_end(cx, trailers)
    }

    /// Bytes of a coded body that have gone out.
    pub(crate) fn coded_bytes(&self) -> Option<u64> {
        self.coder.as_ref().map(|coder| coder.bytes)
    }

    /// Whether nothing was taken for the sake of others on this thread, not because the peer is slow. Resets the flag.
    pub(super) fn has_yielded(&mut self) -> bool {
        self.coder.as_mut().is_some_and(|coder| std::mem::take(&mut coder.has_yielded))
    }

    pub(crate) fn has_sent(&self) -> bool {
        self.to.has_sent()
    }

    /// HTTP/2: whether the peer reset the stream, or the connection ended. HTTP/1: whether a slow client's memory is
    /// needed for others. A fetch: whether nobody waits any more.
    pub(crate) fn poll_gone(&mut self, cx: &mut Context<'_>) -> bool {
        self.to.poll_gone(cx)
    }

    /// HTTP/2: tells the peer that the body breaks off.
    pub(crate) fn reset(&mut self) {
        self.to.reset();
    }
}

impl<'a> From<H1Sink<'a>> for Sink<'a> {
    fn from(sink: H1Sink<'a>) -> Self {
        Self::plain(PlainSink::H1(sink))
    }
}

impl<'a> From<H2Sink<'a>> for Sink<'a> {
    fn from(sink: H2Sink<'a>) -> Self {
        Self::plain(PlainSink::H2(sink))
    }
}

/// Where an uncoded body goes.
#[derive(Debug)]
pub(crate) enum PlainSink<'a> {
    H1(H1Sink<'a>),
    H2(H2Sink<'a>),
    Fetch(FetchSink<'a>),
}

impl PlainSink<'_> {
    fn poll_write(&mut self, cx: &mut Context<'_>, data: &[u8]) -> Poll<Result<usize, SinkError>> {
        match self {
            Self::H1(sink) => sink.poll_write(cx, data),
            Self::H2(sink) => sink.poll_write(cx, data),
            Self::Fetch(sink) => sink.poll_write(cx, data).map_err(|()| SinkError::Gone),
        }
    }

    fn poll_take(&mut self, cx: &mut Context<'_>, source: &BodySource<'_>) -> Poll<Result<usize, SinkError>> {
        match (self, source) {
            (Self::H2(sink), BodySource::Memory(body)) => Poll::Ready(sink.lend(body)),
            (Self::H2(sink), BodySource::Fetch(_) | BodySource::H2(_)) => sink.poll_share(cx, source.shared()),
            (Self::H1(sink), BodySource::File(file)) if let Some(stretch) = file.stretch() => {
                sink.poll_file(cx, stretch)
            }
            (sink, _) => sink.poll_write(cx, source.data()),
        }
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), SinkError>> {
        match self {
            Self::H1(sink) => sink.poll_flush(cx),
            Self::H2(sink) => Poll::Ready(sink.begin()),
            Self::Fetch(sink) => {
                sink.begin();
                Poll::Ready(Ok(()))
            }
        }
    }

    fn poll_end(&mut self, cx: &mut Context<'_>, trailers: Option<&Fields>) -> Poll<Result<(), SinkError>> {
        match self {
            Self::H1(sink) => sink.poll_end(cx, trailers),
            Self::H2(sink) => Poll::Ready(sink.end(trailers)),
            Self::Fetch(sink) => {
                sink.end();
                Poll::Ready(Ok(()))
            }
        }
    }

    fn has_sent(&self) -> bool {
        match self {
            Self::H1(sink) => sink.has_sent(),
            Self::H2(sink) => sink.has_sent(),
            Self::Fetch(sink) => sink.has_sent(),
        }
    }

    fn poll_gone(&mut self, cx: &mut Context<'_>) -> bool {
        match self {
            Self::H1(sink) => sink.poll_gone(cx),
            Self::H2(sink) => sink.poll_gone(cx),
            Self::Fetch(sink) => sink.poll_gone(cx),
        }
    }

    fn reset(&mut self) {
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

/// Compresses a body on its way.
#[derive(Debug)]
struct Coder {
    /// `None` once the body is over.
    encoder: Option<Encoder>,
    /// The encoder's last output.
    rest: Vec<u8>,
    sent: usize,
    /// Whether the encoder holds input not yet put out.
    holds_back: bool,
    turn: usize,
    has_yielded: bool,
    bytes: u64,
    _held: Held,
}

impl Coder {
    fn poll_write(
        &mut self,
        cx: &mut Context<'_>,
        to: &mut PlainSink<'_>,
        data: &[u8],
    ) -> Poll<Result<usize, SinkError>> {
        ready!(self.poll_out(cx, to, WAITING))?;
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
    fn poll_flush(&mut self, cx: &mut Context<'_>, to: &mut PlainSink<'_>) -> Poll<Result<(), SinkError>> {
        if std::mem::take(&mut self.holds_back)
            && let Some(encoder) = &mut self.encoder
        {
            encoder.flush()?;
        }
        self.turn = 0;
        self.poll_out(cx, to, 0)
    }

    fn poll_end(&mut self, cx: &mut Context<'_>, to: &mut PlainSink<'_>) -> Poll<Result<(), SinkError>> {
        if let Some(encoder) = self.encoder.take() {
            self.rest = encoder.finish()?;
        }
        self.poll_out(cx, to, 0)
    }

    /// Sends output until at most `most` bytes wait.
    fn poll_out(&mut self, cx: &mut Context<'_>, to: &mut PlainSink<'_>, most: usize) -> Poll<Result<(), SinkError>> {
        let Self { encoder, rest, sent, bytes, .. } = self;
        let out = encoder.as_mut().map_or(rest, Encoder::out);
        if out.len() - *sent <= most && most > 0 {
            return Poll::Ready(Ok(()));
        }
        while *sent < out.len() {
            let count = ready!(to.poll_write(cx, &out[*sent..]))?;
            *sent += count;
            *bytes += count as u64;
        }
        out.clear();
        *sent = 0;
        Poll::Ready(Ok(()))
    }
}

/// Polled by hand, since two of them share a task, and others use source and sink between the polls.
#[derive(Debug, Default)]
pub(crate) struct Pump {
    pub(crate) bytes: u64,
    /// What was carried, up to `longest`: to be sent again.
    kept: Vec<u8>,
    longest: usize,
    overflowed: bool,
    /// The source can be rewound.
    rewinds: bool,
    /// Bytes of `kept` already sent again, before the source's.
    replayed: usize,
    ended: bool,
    /// Whether the sink is waited for, not the source.
    pub(crate) is_held_up: bool,
    moved: bool,
}

#[derive(Debug)]
pub(crate) enum PumpError {
    Source(SourceError),
    Sink(SinkError),
    TooLarge,
}

impl Pump {
    pub(crate) fn keeping(longest: usize) -> Self {
        Self { longest, ..Self::default() }
    }

    /// A pump whose source is rewound to send all again.
    pub(crate) fn rewinding() -> Self {
        Self { rewinds: true, ..Self::default() }
    }

    pub(crate) fn is_kept(&self) -> bool {
        !self.overflowed || self.rewinds
    }

    /// Starts over, rewinding the source if possible. Only if [`Self::is_kept`].
    pub(crate) fn again(&mut self, source: &mut BodySource<'_>) {
        source.rewind();
        (self.replayed, self.ended) = (0, false);
        if self.rewinds {
            self.bytes = 0;
        }
    }

    pub(crate) fn poll(
        &mut self,
        cx: &mut Context<'_>,
        source: &mut BodySource<'_>,
        sink: &mut Sink<'_>,
        limit: Option<u64>,
    ) -> Poll<Result<(), PumpError>> {
        self.is_held_up = true;
        while self.replayed < self.kept.len() && !self.overflowed {
            self.replayed += ready!(sink.poll_write(cx, &self.kept[self.replayed..])).map_err(PumpError::Sink)?;
        }
        while !self.ended {
            match source.poll_fill(cx) {
                Poll::Ready(Ok(true)) => {
                    let data = source.data();
                    // Before it is sent: the last piece would complete the request.
                    if limit.is_some_and(|limit| data.len() as u64 > limit.saturating_sub(self.bytes)) {
                        return Poll::Ready(Err(PumpError::TooLarge));
                    }
                    let count = ready!(sink.poll_take(cx, source)).map_err(PumpError::Sink)?;
                    self.bytes += count as u64;
                    // A file's bytes may have gone without having been here.
                    self.keep(source.data().get(..count).unwrap_or_default());
                    source.consume(count);
                    self.moved = true;
                }
                Poll::Ready(Ok(false)) => self.ended = true,
                Poll::Ready(Err(error)) => return Poll::Ready(Err(PumpError::Source(error))),
                Poll::Pending => {
                    // What is there goes on before more is waited for.
                    ready!(sink.poll_flush(cx)).map_err(PumpError::Sink)?;
                    self.is_held_up = false;
                    return Poll::Pending;
                }
            }
        }
        sink.poll_end(cx, source.trailers()).map_err(PumpError::Sink)
    }

    /// Whether anything was carried since the last call.
    pub(crate) fn has_moved(&mut self) -> bool {
        std::mem::take(&mut self.moved)
    }

    fn keep(&mut self, data: &[u8]) {
        if self.longest == 0 || self.overflowed {
            self.overflowed = true;
        } else if self.kept.len() + data.len() > self.longest {
            self.overflowed = true;
            self.kept = Vec::new();
        } else {
            self.kept.extend_from_slice(data);
            self.replayed = self.kept.len();
        }
    }
}
