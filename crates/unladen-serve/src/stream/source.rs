//! The principal type is [`Source`]: where a body comes from, by HTTP/1 or HTTP/2.

use std::task::{Context, Poll, ready};

use bytes::Bytes;
use unladen_cache::Reader;
use unladen_http1::{Decoder, Fault, Fields, Length, Step};
use unladen_pool::{Buffer, Half, LARGE};

use crate::convert::trailers_from_h2;
use crate::front::News;

/// Where a body comes from.
#[derive(Debug)]
pub(crate) enum Source<'a> {
    /// There is none.
    Empty,
    /// A connection of HTTP/1.
    H1(H1Source<'a>),
    /// A stream of HTTP/2.
    H2(Box<H2Source>),
    /// Memory.
    Memory(Bytes),
    /// An answer that is on its way for several.
    Filling(Box<FillingSource>),
}

/// A body that is on its way for several.
#[derive(Debug)]
pub(crate) struct FillingSource {
    reader: Reader<News>,
    held: Bytes,
    done: bool,
}

/// A body of HTTP/1.
#[derive(Debug)]
pub(crate) struct H1Source<'a> {
    half: Half<'a>,
    buffer: &'a mut Buffer,
    decoder: Decoder,
    /// Bytes of the body at the buffer's start.
    ready: usize,
    ends_with_connection: bool,
    done: bool,
}

/// A body of HTTP/2.
#[derive(Debug)]
pub(crate) struct H2Source {
    stream: h2::RecvStream,
    held: Bytes,
    trailers: Option<Fields>,
    data_done: bool,
    done: bool,
}

/// Why a body broke off.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SourceError {
    /// The connection was reset, or the like.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The connection ended before the body did.
    #[error("the connection ended before the body")]
    Closed,
    /// Its framing is wrong.
    #[error("{0}")]
    Malformed(#[from] Fault),
    /// The stream was reset, or the connection failed.
    #[error("{0}")]
    H2(#[from] h2::Error),
}

// === impl Source ===

impl Source<'_> {
    /// Waits for data: false at the body's end.
    pub(crate) fn poll_fill(&mut self, cx: &mut Context<'_>) -> Poll<Result<bool, SourceError>> {
        match self {
            Self::Empty => Poll::Ready(Ok(false)),
            Self::H1(source) => source.poll_fill(cx),
            Self::H2(source) => source.poll_fill(cx),
            Self::Memory(body) => Poll::Ready(Ok(!body.is_empty())),
            Self::Filling(source) => source.poll_fill(cx),
        }
    }

    /// What is there.
    pub(crate) fn data(&self) -> &[u8] {
        match self {
            Self::Empty => &[],
            Self::H1(source) => &source.buffer.bytes()[..source.ready],
            Self::H2(source) => &source.held,
            Self::Memory(body) => body,
            Self::Filling(source) => &source.held,
        }
    }

    /// The first `count` bytes of it have been used.
    pub(crate) fn consume(&mut self, count: usize) {
        match self {
            Self::Empty => (),
            Self::H1(source) => {
                source.ready -= count.min(source.ready);
                source.buffer.consume(count);
            }
            Self::H2(source) => {
                let _ = source.held.split_to(count.min(source.held.len()));
                // It fails if the stream is over, when no more is to come anyway.
                let _ = source.stream.flow_control().release_capacity(count);
            }
            Self::Memory(body) => bytes::Buf::advance(body, count.min(body.len())),
            Self::Filling(source) => {
                let _ = source.held.split_to(count.min(source.held.len()));
            }
        }
    }

    /// Whether all of it has been used.
    pub(crate) fn is_done(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::H1(source) => source.done,
            Self::H2(source) => source.done,
            Self::Memory(body) => body.is_empty(),
            Self::Filling(source) => source.done,
        }
    }

    /// After the end: what came as trailers.
    pub(crate) fn trailers(&self) -> Option<&Fields> {
        let trailers = match self {
            Self::Empty | Self::Memory(_) | Self::Filling(_) => None,
            Self::H1(source) => Some(source.decoder.trailers()),
            Self::H2(source) => source.trailers.as_ref(),
        };
        trailers.filter(|trailers| !trailers.is_empty())
    }

    /// Of HTTP/1: the connection itself, for what follows the message.
    pub(crate) fn connection(&mut self) -> Option<(Half<'_>, &mut Buffer)> {
        match self {
            Self::H1(source) => Some((source.half, source.buffer)),
            _ => None,
        }
    }

    /// Of a peer that has sent all of its body: whether it has gone. What it sends for later is kept.
    pub(crate) fn poll_gone(&mut self, cx: &mut Context<'_>) -> bool {
        match self {
            Self::H1(source) => source.poll_gone(cx),
            _ => false,
        }
    }
}

// === impl FillingSource ===

impl FillingSource {
    /// Of a reader that has been told the head.
    pub(crate) fn new(reader: Reader<News>) -> Self {
        Self { reader, held: Bytes::new(), done: false }
    }

    fn poll_fill(&mut self, cx: &mut Context<'_>) -> Poll<Result<bool, SourceError>> {
        while self.held.is_empty() && !self.done {
            match ready!(self.reader.poll_piece(cx)) {
                Ok(Some(piece)) => self.held = piece,
                Ok(None) => self.done = true,
                Err(()) => return Poll::Ready(Err(SourceError::Closed)),
            }
        }
        Poll::Ready(Ok(!self.held.is_empty()))
    }
}

// === impl H1Source ===

impl<'a> H1Source<'a> {
    pub(crate) fn new(half: Half<'a>, buffer: &'a mut Buffer, length: Length) -> Self {
        let mut decoder = Decoder::default();
        decoder.start(length);
        Self {
            half,
            buffer,
            decoder,
            ready: 0,
            ends_with_connection: length == Length::UntilClose,
            done: matches!(length, Length::None | Length::Exact(0)),
        }
    }

    fn poll_fill(&mut self, cx: &mut Context<'_>) -> Poll<Result<bool, SourceError>> {
        loop {
            if self.ready > 0 {
                return Poll::Ready(Ok(true));
            }
            if self.done {
                return Poll::Ready(Ok(false));
            }
            match self.decoder.step(self.buffer.bytes())? {
                Step::Skip(count) => self.buffer.consume(count),
                Step::Data(count) => self.ready = count,
                Step::End(count) => {
                    self.buffer.consume(count);
                    self.done = true;
                }
                Step::More => {
                    if self.buffer.is_full() {
                        self.buffer.grow(LARGE);
                    }
                    let count = ready!(self.half.poll_read(self.buffer, cx))?;
                    if count == 0 {
                        if !self.ends_with_connection {
                            return Poll::Ready(Err(SourceError::Closed));
                        }
                        self.done = true;
                    } else if self.buffer.is_full() {
                        // There is more to come than fits: fewer reads for what follows.
                        self.buffer.grow(LARGE);
                    }
                }
            }
        }
    }

    fn poll_gone(&mut self, cx: &mut Context<'_>) -> bool {
        // What the client's request was read into, its answer may be.
        self.buffer.release();
        while !self.buffer.is_full() {
            match self.half.poll_read(self.buffer, cx) {
                Poll::Pending => return false,
                Poll::Ready(Ok(0) | Err(_)) => return true,
                Poll::Ready(Ok(_)) => (),
            }
        }
        false
    }
}

// === impl H2Source ===

impl H2Source {
    pub(crate) fn new(stream: h2::RecvStream) -> Self {
        let done = stream.is_end_stream();
        Self { stream, held: Bytes::new(), trailers: None, data_done: done, done }
    }

    fn poll_fill(&mut self, cx: &mut Context<'_>) -> Poll<Result<bool, SourceError>> {
        while !self.data_done {
            if !self.held.is_empty() {
                return Poll::Ready(Ok(true));
            }
            match ready!(self.stream.poll_data(cx)) {
                Some(data) => self.held = data?,
                None => self.data_done = true,
            }
        }
        if !self.held.is_empty() {
            return Poll::Ready(Ok(true));
        }
        if !self.done {
            let trailers = ready!(self.stream.poll_trailers(cx))?;
            self.trailers = trailers.map(|trailers| trailers_from_h2(&trailers)).transpose()?;
            self.done = true;
        }
        Poll::Ready(Ok(false))
    }
}
