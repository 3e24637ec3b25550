//! The principal type is [`BodySource`]: where a body comes from, HTTP/1, HTTP/2, FastCGI, memory, a spool or a file.

use std::task::{Context, Poll, ready};

use bytes::Bytes;
use unladen_cache::FetchReader;
use unladen_http1::{Decoder, Field, Fields, Length, Step};
use unladen_pool::{Buffer, Half, LARGE};
use unladen_serve_config::{is_said_by_us, may_trail};

use super::SourceError;
use super::fastcgi_source::FastCgiSource;
use super::file_source::FileSource;
use crate::cache::News;
use crate::message::spool::Spool;
use crate::message::trailers_from_h2;

#[derive(Debug)]
pub(crate) enum BodySource<'a> {
    Empty,
    H1(H1Source<'a>),
    FastCgi(FastCgiSource<'a>),
    H2(Box<H2Source>),
    Memory(Bytes),
    Fetch(Box<FetchSource>),
    Spool(Box<SpoolSource>),
    File(Box<FileSource>),
}

#[derive(Debug)]
pub(crate) struct FetchSource {
    reader: FetchReader<News>,
    held: Bytes,
    done: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guard {
    None,
    /// From a site's client: none that a head would lose. Whether names with underscores pass.
    Client(bool),
    /// From an upstream: none that only we may send.
    Upstream,
}

/// Most parts of a body, such as chunks, passed on before others have their turn.
const MOST_PARTS: u32 = 128;

#[derive(Debug)]
pub(crate) struct H1Source<'a> {
    half: Half<'a>,
    buffer: &'a mut Buffer,
    decoder: Decoder,
    /// Bytes of the body at the buffer's start.
    ready: usize,
    /// Parts found since the last read.
    parts: u32,
    ends_with_connection: bool,
    done: bool,
    guard: Guard,
}

#[derive(Debug)]
pub(crate) struct H2Source {
    stream: h2::RecvStream,
    held: Bytes,
    trailers: Option<Fields>,
    data_done: bool,
    done: bool,
    guard: Guard,
}

impl BodySource<'_> {
    /// Waits for data; `false` at the body's end.
    pub(crate) fn poll_fill(&mut self, cx: &mut Context<'_>) -> Poll<Result<bool, SourceError>> {
        match self {
            Self::Empty => Poll::Ready(Ok(false)),
            Self::H1(source) => source.poll_fill(cx),
            Self::FastCgi(source) => source.poll_fill(cx),
            Self::H2(source) => source.poll_fill(cx),
            Self::Memory(body) => Poll::Ready(Ok(!body.is_empty())),
            Self::Fetch(source) => source.poll_fill(cx),
            Self::Spool(source) => source.spool.poll_fill(cx).map_err(SourceError::Spool),
            Self::File(source) => source.poll_fill(cx),
        }
    }

    pub(crate) fn data(&self) -> &[u8] {
        match self {
            Self::Empty => &[],
            Self::H1(source) => &source.buffer.bytes()[..source.ready],
            Self::FastCgi(source) => source.data(),
            Self::H2(source) => &source.held,
            Self::Memory(body) => body,
            Self::Fetch(source) => &source.held,
            Self::Spool(source) => source.spool.data(),
            Self::File(source) => source.data(),
        }
    }

    /// The available data if it is shared, else empty.
    pub(super) fn shared(&self) -> &Bytes {
        static NOTHING: Bytes = Bytes::new();
        match self {
            Self::Memory(body) => body,
            Self::H2(source) => &source.held,
            Self::Fetch(source) => &source.held,
            Self::Empty | Self::H1(_) | Self::FastCgi(_) | Self::Spool(_) | Self::File(_) => &NOTHING,
        }
    }

    pub(crate) fn consume(&mut self, count: usize) {
        match self {
            Self::Empty => (),
            Self::H1(source) => {
                source.ready -= count.min(source.ready);
                source.buffer.consume(count);
            }
            Self::FastCgi(source) => source.consume(count),
            Self::H2(source) => {
                let _ = source.held.split_to(count.min(source.held.len()));
                // It fails if the stream is over, when no more is to come anyway.
                let _ = source.stream.flow_control().release_capacity(count);
            }
            Self::Memory(body) => bytes::Buf::advance(body, count.min(body.len())),
            Self::Fetch(source) => {
                let _ = source.held.split_to(count.min(source.held.len()));
            }
            Self::Spool(source) => source.spool.consume(count),
            Self::File(source) => source.consume(count),
        }
    }

    pub(crate) fn is_done(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::H1(source) => source.done,
            Self::FastCgi(source) => source.is_done(),
            Self::H2(source) => source.done,
            Self::Memory(body) => body.is_empty(),
            Self::Fetch(source) => source.done,
            Self::Spool(source) => source.spool.is_read(),
            Self::File(source) => source.is_done(),
        }
    }

    pub(crate) fn guard(&mut self, guard: Guard) {
        match self {
            Self::H1(source) => source.guard = guard,
            Self::H2(source) => source.guard = guard,
            // A spooled body was read from a guarded source.
            Self::Empty | Self::FastCgi(_) | Self::Memory(_) | Self::Fetch(_) | Self::Spool(_) | Self::File(_) => (),
        }
    }

    pub(crate) fn trailers(&self) -> Option<&Fields> {
        let trailers = match self {
            Self::Empty | Self::FastCgi(_) | Self::Memory(_) | Self::Fetch(_) | Self::File(_) => None,
            Self::H1(source) => Some(source.decoder.trailers()),
            Self::H2(source) => source.trailers.as_ref(),
            Self::Spool(source) => source.trailers.as_ref(),
        };
        trailers.filter(|trailers| !trailers.is_empty())
    }

    /// HTTP/1: whether a body of this length has fully come with its head.
    pub(crate) fn holds(&self, length: Length) -> bool {
        matches!((self, length), (Self::H1(source), Length::Exact(length)) if source.buffer.bytes().len() as u64 >= length)
    }

    /// Releases an empty buffer while nothing comes.
    pub(crate) fn rest(&mut self) {
        if let Self::H1(source) = self {
            source.buffer.release();
        }
    }

    pub(crate) fn rewind(&mut self) {
        if let Self::Spool(source) = self {
            source.spool.rewind();
        }
    }

    /// HTTP/1: the connection itself, for what follows the message.
    pub(crate) fn connection(&mut self) -> Option<(Half<'_>, &mut Buffer)> {
        match self {
            Self::H1(source) => Some((source.half, source.buffer)),
            _ => None,
        }
    }

    /// Whether a peer that has sent all of its body has gone. What it sends for later is kept.
    pub(crate) fn poll_gone(&mut self, cx: &mut Context<'_>) -> bool {
        match self {
            Self::H1(source) => source.poll_gone(cx),
            _ => false,
        }
    }
}

impl Guard {
    fn keeps(self, field: &Field<'_>) -> bool {
        match self {
            Self::None => true,
            Self::Client(underscores) => may_trail(field, underscores),
            Self::Upstream => !is_said_by_us(field.name),
        }
    }
}

impl FetchSource {
    /// The reader must have been told the head.
    pub(crate) fn new(reader: FetchReader<News>) -> Self {
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

impl<'a> H1Source<'a> {
    pub(crate) fn new(half: Half<'a>, buffer: &'a mut Buffer, length: Length) -> Self {
        let mut decoder = Decoder::default();
        decoder.start(length);
        Self {
            half,
            buffer,
            decoder,
            ready: 0,
            parts: 0,
            ends_with_connection: length == Length::UntilClose,
            done: matches!(length, Length::None | Length::Exact(0)),
            guard: Guard::None,
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
            // A read may hold millions of parts: a sender of single bytes yields to others.
            if self.parts >= MOST_PARTS {
                self.parts = 0;
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            self.parts += 1;
            match self.decoder.step(self.buffer.bytes())? {
                Step::Skip(count) => self.buffer.consume(count),
                Step::Data(count) => self.ready = count,
                Step::End(count) => {
                    self.buffer.consume(count);
                    let guard = self.guard;
                    self.decoder.retain_trailers(|field| guard.keeps(&field));
                    self.done = true;
                }
                Step::More => {
                    if self.buffer.is_full() {
                        self.buffer.grow(LARGE);
                    }
                    let count = ready!(self.half.poll_read(self.buffer, cx))?;
                    self.parts = 0;
                    if count == 0 {
                        if !self.ends_with_connection {
                            return Poll::Ready(Err(SourceError::Closed));
                        }
                        self.done = true;
                    } else if self.buffer.is_full() {
                        // More is coming than fits: a larger buffer saves reads.
                        self.buffer.grow(LARGE);
                    }
                }
            }
        }
    }

    fn poll_gone(&mut self, cx: &mut Context<'_>) -> bool {
        // The answer may use the memory of the request's buffer.
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

impl H2Source {
    pub(crate) fn new(stream: h2::RecvStream) -> Self {
        let done = stream.is_end_stream();
        Self { stream, held: Bytes::new(), trailers: None, data_done: done, done, guard: Guard::None }
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
            let guard = self.guard;
            if let Some(trailers) = &mut self.trailers {
                trailers.retain(|field| guard.keeps(&field));
            }
            self.done = true;
        }
        Poll::Ready(Ok(false))
    }
}

/// A request's body that was spooled until whole.
#[derive(Debug)]
pub(crate) struct SpoolSource {
    pub(crate) spool: Spool,
    pub(crate) trailers: Option<Fields>,
}

impl SpoolSource {
    /// Framed by its length, or by chunks if there are trailers.
    pub(crate) fn length(&self) -> Length {
        if self.trailers.is_some() { Length::Chunked } else { Length::Exact(self.spool.length()) }
    }
}
