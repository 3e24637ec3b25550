//! The principal type is [`Sink`]: where a body goes to, by HTTP/1 or HTTP/2, as it is or in another coding.

use std::task::{Context, Poll};

use unladen_http1::Fields;

use super::coded_sink::CodedSink;
use super::h1_sink::H1Sink;
use super::h2_sink::H2Sink;
use super::plain_sink::PlainSink;
use super::sink_error::SinkError;
use super::source::BodySource;
use crate::cache::cache_fetch::FetchSink;

/// Where a body goes to.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "nearly all are plain, and a box would be an allocation for each body")]
pub(crate) enum Sink<'a> {
    Plain(PlainSink<'a>),
    /// To a client, in another coding.
    Coded(Box<CodedSink<'a>>),
}

// === impl Sink ===

impl Sink<'_> {
    /// Takes some of a body: how many bytes.
    pub(crate) fn poll_write(&mut self, cx: &mut Context<'_>, data: &[u8]) -> Poll<Result<usize, SinkError>> {
        match self {
            Self::Plain(sink) => sink.poll_write(cx, data),
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
        match self {
            Self::Plain(sink) => sink.poll_take(cx, source),
            Self::Coded(sink) => sink.poll_write(cx, source.data()),
        }
    }

    /// Whether the system can send it files: what it takes goes on as it is, on a connection of HTTP/1 in clear.
    pub(crate) fn takes_files(&self) -> bool {
        matches!(self, Self::Plain(PlainSink::H1(sink)) if sink.takes_files())
    }

    /// Sends what was gathered.
    pub(crate) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), SinkError>> {
        match self {
            Self::Plain(sink) => sink.poll_flush(cx),
            Self::Coded(sink) => sink.poll_flush(cx),
        }
    }

    /// Ends the body, and sends what was gathered.
    pub(crate) fn poll_end(&mut self, cx: &mut Context<'_>, trailers: Option<&Fields>) -> Poll<Result<(), SinkError>> {
        match self {
            Self::Plain(sink) => sink.poll_end(cx, trailers),
            Self::Coded(sink) => sink.poll_end(cx, trailers),
        }
    }

    /// Of a body that is put into another coding: how many bytes of it have gone out.
    pub(crate) fn coded(&self) -> Option<u64> {
        match self {
            Self::Plain(_) => None,
            Self::Coded(sink) => Some(sink.bytes),
        }
    }

    /// Whether it took nothing for the sake of others on this thread, and not because the peer takes nothing. Asked
    /// once.
    pub(super) fn has_yielded(&mut self) -> bool {
        match self {
            Self::Plain(_) => false,
            Self::Coded(sink) => sink.has_yielded(),
        }
    }

    /// Whether the peer may have seen anything of the message.
    pub(crate) fn has_sent(&self) -> bool {
        match self {
            Self::Plain(sink) => sink.has_sent(),
            Self::Coded(sink) => sink.has_sent(),
        }
    }

    /// Of HTTP/2: whether the peer has reset the stream, or its connection has ended. Of a client of HTTP/1 that does
    /// not take what it is sent: whether the memory is needed for others. Whether nobody waits for it any more.
    pub(crate) fn poll_gone(&mut self, cx: &mut Context<'_>) -> bool {
        match self {
            Self::Plain(sink) => sink.poll_gone(cx),
            Self::Coded(sink) => sink.poll_gone(cx),
        }
    }

    /// Of HTTP/2: lets the peer know that the body breaks off.
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
