//! The principal type is [`Pump`]: carries a body from its source to its sink.

use std::net::IpAddr;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use unladen_http1::Fields;

use super::sink::Sink;
use super::source::BodySource;
use super::{SinkError, SourceError};
use crate::message::spool::{Spool, Spools};

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

/// While the client keeps up, nothing is kept or copied; what it does not take is spooled, so that the sender is done
/// with it.
#[derive(Debug)]
pub(crate) struct Relay<'s> {
    /// Where untaken data waits; `None` makes the sender wait.
    spools: Option<&'s Arc<Spools>>,
    client: Option<IpAddr>,
    waiting: Option<Box<Spool>>,
    pub(crate) bytes: u64,
    /// Whether the client is waited for.
    pub(crate) is_held_up: bool,
    moved: bool,
    /// Set with the trailers once the answer has fully come.
    ended: Option<Option<Fields>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relayed {
    Whole,
    /// All of it is here; the client has yet to take the rest.
    Here,
}

impl<'s> Relay<'s> {
    /// Reads ahead if there are `spools`.
    pub(crate) fn new(spools: Option<&'s Arc<Spools>>, client: Option<IpAddr>) -> Self {
        Self { spools, client, waiting: None, bytes: 0, is_held_up: true, moved: false, ended: None }
    }

    /// Whether the client took anything since the last call.
    pub(crate) fn has_moved(&mut self) -> bool {
        std::mem::take(&mut self.moved)
    }

    /// Carries what there is, until all of it is here.
    pub(crate) fn poll(
        &mut self,
        cx: &mut Context<'_>,
        source: &mut BodySource<'_>,
        sink: &mut Sink<'_>,
    ) -> Poll<Result<Relayed, PumpError>> {
        self.is_held_up = true;
        loop {
            if self.poll_waiting(cx, sink)?.is_pending() {
                return self.read_ahead(cx, source, sink);
            }
            match source.poll_fill(cx) {
                Poll::Ready(Ok(true)) => match sink.poll_take(cx, source).map_err(PumpError::Sink)? {
                    Poll::Ready(count) => {
                        self.took(count);
                        source.consume(count);
                    }
                    Poll::Pending => return self.read_ahead(cx, source, sink),
                },
                Poll::Ready(Ok(false)) => {
                    let ended = sink.poll_end(cx, source.trailers()).map_err(PumpError::Sink)?;
                    if ended.is_ready() {
                        return Poll::Ready(Ok(Relayed::Whole));
                    }
                    self.ended = Some(source.trailers().cloned());
                    return Poll::Ready(Ok(Relayed::Here));
                }
                Poll::Ready(Err(error)) => return Poll::Ready(Err(PumpError::Source(error))),
                Poll::Pending => {
                    // What is there goes on before more is waited for.
                    ready!(sink.poll_flush(cx)).map_err(PumpError::Sink)?;
                    self.is_held_up = false;
                    return Poll::Pending;
                }
            }
        }
    }

    pub(crate) fn poll_rest(&mut self, cx: &mut Context<'_>, sink: &mut Sink<'_>) -> Poll<Result<(), PumpError>> {
        ready!(self.poll_waiting(cx, sink))?;
        let trailers = self.ended.as_ref().and_then(Option::as_ref);
        sink.poll_end(cx, trailers).map_err(PumpError::Sink)
    }

    fn poll_waiting(&mut self, cx: &mut Context<'_>, sink: &mut Sink<'_>) -> Poll<Result<(), PumpError>> {
        while let Some(spool) = &mut self.waiting {
            let has_more = ready!(spool.poll_fill(cx)).map_err(|error| PumpError::Source(error.into()))?;
            if has_more {
                let count = ready!(sink.poll_write(cx, spool.data())).map_err(PumpError::Sink)?;
                spool.consume(count);
                self.took(count);
            } else {
                self.waiting = None;
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Spools what comes while the client is slow, as far as there is room.
    fn read_ahead(
        &mut self,
        cx: &mut Context<'_>,
        source: &mut BodySource<'_>,
        sink: &mut Sink<'_>,
    ) -> Poll<Result<Relayed, PumpError>> {
        let Some(spools) = self.spools else { return Poll::Pending };
        if sink.has_yielded() {
            // It is not the client that is waited for.
            return Poll::Pending;
        }
        loop {
            match source.poll_fill(cx) {
                Poll::Ready(Ok(true)) => {
                    let spool =
                        self.waiting.get_or_insert_with(|| Box::new(Spool::new(spools).for_client(self.client)));
                    match spool.poll_push(cx, source.data()) {
                        Poll::Ready(Ok(count)) => source.consume(count),
                        // Without room, the sender waits until the client has taken some, as it would without spooling.
                        Poll::Ready(Err(_)) | Poll::Pending => return Poll::Pending,
                    }
                }
                Poll::Ready(Ok(false)) => {
                    self.ended = Some(source.trailers().cloned());
                    return Poll::Ready(Ok(Relayed::Here));
                }
                Poll::Ready(Err(error)) => return Poll::Ready(Err(PumpError::Source(error))),
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    fn took(&mut self, count: usize) {
        self.bytes += count as u64;
        self.moved = true;
    }
}
