//! The principal type is [`CodedSink`]: compresses a body on its way to a client.

use std::task::{Context, Poll, ready};

use unladen_cache::Encoder;
use unladen_http1::Fields;

use super::plain_sink::PlainSink;
use super::sink_error::SinkError;
use crate::limits::budget::Held;

/// Bytes taken at a time …
const PIECE: usize = 16 * 1024;
/// … and before others on this thread have their turn.
const TURN: usize = 64 * 1024;
/// Output bytes that may wait before more input is taken.
const WAITING: usize = 16 * 1024;

#[derive(Debug)]
pub(crate) struct CodedSink<'a> {
    inner: PlainSink<'a>,
    /// `None` once the body is over.
    encoder: Option<Encoder>,
    /// The encoder's last output.
    rest: Vec<u8>,
    sent: usize,
    /// Whether the encoder holds input not yet put out.
    holds_back: bool,
    turn: usize,
    has_yielded: bool,
    pub(super) bytes: u64,
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

    /// Flushes the encoder, so that the client gets all there is.
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

    /// Whether nothing was taken for the sake of others, not because the client is slow. Resets the flag.
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

    /// Sends output until at most `most` bytes wait.
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
