//! The principal type is [`CodedSink`]: a body that is put into a coding on its way to a client.

use std::task::{Context, Poll, ready};

use unladen_cache::Encoder;
use unladen_http1::Fields;

use super::plain_sink::PlainSink;
use super::sink_error::SinkError;
use crate::limits::budget::Held;

/// So much is taken at a time …
const PIECE: usize = 16 * 1024;
/// … and so much before others on this thread have their turn.
const TURN: usize = 64 * 1024;
/// So much of what has come out may wait before more is taken.
const WAITING: usize = 16 * 1024;

/// A body that is put into a coding on its way to a client.
#[derive(Debug)]
pub(crate) struct CodedSink<'a> {
    inner: PlainSink<'a>,
    /// None: the body is over.
    encoder: Option<Encoder>,
    /// What has come out at the end.
    rest: Vec<u8>,
    /// Of what waits, what has been sent.
    sent: usize,
    /// Whether something was taken that has not come out yet.
    holds_back: bool,
    turn: usize,
    /// Whether others have their turn.
    has_yielded: bool,
    /// Bytes that have gone out.
    pub(super) bytes: u64,
    /// The memory of the encoder.
    _held: Held,
}

impl<'a> CodedSink<'a> {
    pub(crate) fn new(inner: PlainSink<'a>, encoder: Encoder, held: Held) -> Self {
        let encoder = Some(encoder);
        Self {
            inner,
            encoder,
            rest: Vec::new(),
            sent: 0,
            holds_back: false,
            turn: 0,
            has_yielded: false,
            bytes: 0,
            _held: held,
        }
    }

    pub(super) fn poll_write(&mut self, cx: &mut Context<'_>, data: &[u8]) -> Poll<Result<usize, SinkError>> {
        ready!(self.poll_out(cx, WAITING))?;
        if self.turn >= TURN {
            self.turn = 0;
            self.has_yielded = true;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let piece = &data[..data.len().min(PIECE)];
        if let Some(encoder) = &mut self.encoder {
            encoder.write(piece)?;
            self.turn += piece.len();
            self.holds_back |= !piece.is_empty();
        }
        Poll::Ready(Ok(piece.len()))
    }

    /// Nothing more is there now: whoever reads gets all of what was.
    pub(super) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), SinkError>> {
        if std::mem::take(&mut self.holds_back)
            && let Some(encoder) = &mut self.encoder
        {
            encoder.flush()?;
        }
        self.turn = 0;
        ready!(self.poll_out(cx, 0))?;
        self.inner.poll_flush(cx)
    }

    pub(super) fn poll_end(&mut self, cx: &mut Context<'_>, trailers: Option<&Fields>) -> Poll<Result<(), SinkError>> {
        if let Some(encoder) = self.encoder.take() {
            self.rest = encoder.finish()?;
        }
        ready!(self.poll_out(cx, 0))?;
        self.inner.poll_end(cx, trailers)
    }

    /// Whether nothing was taken so that others have their turn, and not because the client takes nothing. Asked once.
    pub(super) fn has_yielded(&mut self) -> bool {
        std::mem::take(&mut self.has_yielded)
    }

    pub(super) fn has_sent(&self) -> bool {
        self.inner.has_sent()
    }

    pub(super) fn poll_gone(&mut self, cx: &mut Context<'_>) -> bool {
        self.inner.poll_gone(cx)
    }

    pub(super) fn reset(&mut self) {
        self.inner.reset();
    }

    /// Sends what has come out, until no more than so much waits.
    fn poll_out(&mut self, cx: &mut Context<'_>, most: usize) -> Poll<Result<(), SinkError>> {
        let Self { inner, encoder, rest, sent, bytes, .. } = self;
        let out = encoder.as_mut().map_or(rest, Encoder::out);
        if out.len() - *sent <= most && most > 0 {
            return Poll::Ready(Ok(()));
        }
        while *sent < out.len() {
            let count = ready!(inner.poll_write(cx, &out[*sent..]))?;
            *sent += count;
            *bytes += count as u64;
        }
        out.clear();
        *sent = 0;
        Poll::Ready(Ok(()))
    }
}
