//! The principal type is [`FastCgiSource`]: the body of a FastCGI answer.

use std::task::{Context, Poll, ready};

use unladen_fastcgi::{Decoder, Fault, Unwrapped};
use unladen_http1::Length;
use unladen_pool::{Buffer, Half, LARGE};

use super::SourceError;
use crate::request::FastCgiNotes;

/// FastCGI output as received, without its records.
#[derive(Debug)]
pub(crate) struct Output<'a> {
    half: Half<'a>,
    pub(crate) buffer: &'a mut Buffer,
    pub(crate) decoder: Decoder,
    notes: &'a FastCgiNotes,
    /// Bytes of output at the buffer's start.
    pub(crate) ready: usize,
    /// Whether nothing has come yet.
    pub(crate) is_silent: bool,
}

/// The body of an answer. It ends with the request, even if the body is empty or longer than announced: leftovers on
/// the connection would be taken for the next answer.
#[derive(Debug)]
pub(crate) struct FastCgiSource<'a> {
    output: Output<'a>,
    /// Announced bytes still to come; `None` if not announced.
    left: Option<u64>,
}

impl<'a> Output<'a> {
    pub(crate) fn new(half: Half<'a>, buffer: &'a mut Buffer, request: u16, notes: &'a FastCgiNotes) -> Self {
        Self { half, buffer, decoder: Decoder::new(request), notes, ready: 0, is_silent: true }
    }

    /// Reads once; `false` if the connection has ended.
    pub(crate) fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<Result<bool, SourceError>> {
        let count = ready!(self.half.poll_read(self.buffer, cx))?;
        if count == 0 {
            return Poll::Ready(Ok(false));
        }
        self.is_silent = false;
        let has_more = self.buffer.is_full();
        let unwrapped =
            self.decoder.unwrap(self.buffer.bytes_mut(), self.ready, &mut self.notes.stderr.borrow_mut())?;
        let Unwrapped { start, ready, rest } = unwrapped;
        self.buffer.consume(start);
        self.buffer.truncate(ready + rest);
        self.ready = ready;
        if has_more {
            // More is coming than fits: a larger buffer saves reads.
            self.buffer.grow(LARGE);
        }
        Poll::Ready(Ok(true))
    }

    pub(crate) fn data(&self) -> &[u8] {
        &self.buffer.bytes()[..self.ready]
    }

    pub(crate) fn consume(&mut self, count: usize) {
        self.ready -= count.min(self.ready);
        self.buffer.consume(count);
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.decoder.has_ended()
    }
}

impl<'a> FastCgiSource<'a> {
    pub(crate) fn new(output: Output<'a>, length: Length) -> Self {
        let left = match length {
            Length::None => Some(0),
            Length::Exact(length) => Some(length),
            Length::Chunked | Length::UntilClose => None,
        };
        Self { output, left }
    }

    pub(super) fn poll_fill(&mut self, cx: &mut Context<'_>) -> Poll<Result<bool, SourceError>> {
        loop {
            if self.left == Some(0) {
                let surplus = self.output.ready;
                self.output.consume(surplus);
            }
            if self.output.ready > 0 {
                return Poll::Ready(Ok(true));
            }
            if self.output.has_ended() {
                // It was accepted, and then refused.
                if self.output.decoder.refusal().is_some() {
                    return Poll::Ready(Err(SourceError::Closed));
                }
                return match self.left {
                    None | Some(0) => Poll::Ready(Ok(false)),
                    // The client must not take it for complete.
                    Some(_) => Poll::Ready(Err(Fault::Head(unladen_http1::Fault::ContentLength).into())),
                };
            }
            if !ready!(self.output.poll_read(cx))? {
                return Poll::Ready(Err(SourceError::Closed));
            }
        }
    }

    pub(super) fn data(&self) -> &[u8] {
        let data = self.output.data();
        match self.left.and_then(|left| usize::try_from(left).ok()) {
            Some(left) => &data[..data.len().min(left)],
            None => data,
        }
    }

    pub(super) fn consume(&mut self, count: usize) {
        self.output.consume(count);
        if let Some(left) = &mut self.left {
            *left -= (count as u64).min(*left);
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.output.has_ended() && self.output.ready == 0
    }
}
