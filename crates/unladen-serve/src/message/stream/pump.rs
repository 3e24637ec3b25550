//! The principal type is [`Pump`]: carries a body from its source to its sink.

use std::task::{Context, Poll, ready};

use crate::message::stream::sink::Sink;
use crate::message::stream::sink_error::SinkError;
use crate::message::stream::source::BodySource;
use crate::message::stream::source_error::SourceError;

/// Carries a body over. Polled by hand, since two of them share a task, and what they work on is used by others between
/// the polls.
#[derive(Debug, Default)]
pub(crate) struct Pump {
    /// Bytes carried.
    pub(crate) bytes: u64,
    /// What was carried, as long as it is not more than the limit: to be sent again.
    kept: Vec<u8>,
    keep: usize,
    overflowed: bool,
    /// The source can begin again by itself.
    rewinds: bool,
    /// From an earlier attempt: goes before what the source has.
    replayed: usize,
    ended: bool,
    /// Whether it is the sink that is waited for, not the source.
    pub(crate) is_held_up: bool,
    moved: bool,
}

/// Which end a body broke off at.
#[derive(Debug)]
pub(crate) enum PumpError {
    /// Where it comes from.
    Source(SourceError),
    /// Where it goes to.
    Sink(SinkError),
    /// It is longer than is allowed.
    TooLarge,
}

impl Pump {
    /// One that keeps up to `keep` bytes, so that they can be sent again.
    pub(crate) fn keeping(keep: usize) -> Self {
        Self { keep, ..Self::default() }
    }

    /// One whose source is rewound to send all of it again.
    pub(crate) fn rewinding() -> Self {
        Self { rewinds: true, ..Self::default() }
    }

    /// Whether all that was carried can be sent again.
    pub(crate) fn is_kept(&self) -> bool {
        !self.overflowed || self.rewinds
    }

    /// Begins again, as the source does if it can. Only if all that was carried can be sent again.
    pub(crate) fn again(&mut self, source: &mut BodySource<'_>) {
        source.rewind();
        (self.replayed, self.ended) = (0, false);
        if self.rewinds {
            self.bytes = 0;
        }
    }

    /// Carries what there is.
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
                    // Before it is sent: the last piece would make the request whole.
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

    /// Whether anything was carried since this was asked the last time.
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
