//! The principal type is [`Sink`]: where a body goes to, over HTTP/1 or HTTP/2, as it is or coded.

use std::task::{Context, Poll};

use unladen_http1::Fields;

use super::coded_sink::CodedSink;
use super::h1_sink::H1Sink;
use super::h2_sink::H2Sink;
use super::plain_sink::PlainSink;
use super::sink_error::SinkError;
use super::source::BodySource;
use crate::cache::cache_fetch::FetchSink;

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
