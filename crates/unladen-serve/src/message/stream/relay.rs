//! The principal type is [`Relay`]: carries an answer to its client, and reads ahead while the client is slow.

use std::net::IpAddr;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use unladen_http1::Fields;

use super::sink::{PumpError, Sink};
use super::source::BodySource;
use crate::message::spool::{Spool, Spools};

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
