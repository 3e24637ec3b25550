//! The principal type is [`Pump`]: carries a body from its source to its sink.

use std::task::{Context, Poll, ready};

use crate::message::stream::sink::Sink;
use crate::message::stream::sink_error::SinkError;
use crate::message::stream::source::BodySource;
use crate::message::stream::source_error::SourceError;

/// Polled by hand, since two of them share a task, and others use source and sink between the polls.
#[derive(Debug, Default)]
pub(crate) struct Pump {
    pub(crate) bytes: u64,
    /// What was carried, up to the limit `keep`: to be sent again.
    kept: Vec<u8>,
    keep: usize,
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
    pub(crate) fn keeping(keep: usize) -> Self {
        Self { keep, ..Self::default() }
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
                    self.remember(source.data().get(..count).unwrap_or_default());
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

    fn remember(&mut self, data: &[u8]) {
        if self.keep == 0 || self.overflowed {
            self.overflowed = true;
        } else if self.kept.len() + data.len() > self.keep {
            self.overflowed = true;
            self.kept = Vec::new();
        } else {
            self.kept.extend_from_slice(data);
            self.replayed = self.kept.len();
        }
    }
}
