//! The principal type is [`SpoolSource`]: a request's body that was spooled until whole.

use std::task::{Context, Poll, ready};

use unladen_http1::{Fields, Length};

use super::source_error::SourceError;
use crate::message::spool::Spool;

#[derive(Debug)]
pub(crate) struct SpoolSource {
    spool: Spool,
    trailers: Option<Fields>,
}

impl SpoolSource {
    pub(crate) fn new(spool: Spool, trailers: Option<Fields>) -> Self {
        Self { spool, trailers }
    }

    /// Framed by its length, or by chunks if there are trailers.
    pub(crate) fn length(&self) -> Length {
        if self.trailers.is_some() { Length::Chunked } else { Length::Exact(self.spool.length()) }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.spool.length()
    }

    pub(super) fn poll_fill(&mut self, cx: &mut Context<'_>) -> Poll<Result<bool, SourceError>> {
        Poll::Ready(Ok(ready!(self.spool.poll_fill(cx))?))
    }

    pub(super) fn data(&self) -> &[u8] {
        self.spool.data()
    }

    pub(super) fn consume(&mut self, count: usize) {
        self.spool.consume(count);
    }

    pub(super) fn is_done(&self) -> bool {
        self.spool.is_read()
    }

    pub(super) fn trailers(&self) -> Option<&Fields> {
        self.trailers.as_ref()
    }

    pub(super) fn rewind(&mut self) {
        self.spool.rewind();
    }
}
