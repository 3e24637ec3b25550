//! The principal type is [`PlainSink`]: where an uncoded body goes, HTTP/1, HTTP/2 or the cache.

use std::task::{Context, Poll};

use unladen_http1::Fields;

use super::h1_sink::H1Sink;
use super::h2_sink::H2Sink;
use super::sink_error::SinkError;
use super::source::BodySource;
use crate::cache::cache_fetch::FetchSink;

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
