//! The principal type is [`Wire`]: the transport of an HTTP/2 connection, some of which was read already, observed as
//! it passes.

use std::cell::Cell;
use std::io;
use std::io::IoSlice;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::task::coop::poll_proceed;
use unladen_pool::{Buffer, Transport};

use crate::limits::budget::Share;

/// Frames that cost `h2` about as much as a read.
const FRAMES_A_READ: u64 = 16;

pub(super) struct Wire {
    read: Buffer,
    transport: Transport,
    came: Frames,
    went: Frames,
    /// Reads that the last one's frames count for: a client that sends tiny frames yields to others.
    owed: u64,
    /// Number of the head under way, if any, for the connection's driver.
    head: Rc<Cell<Option<u64>>>,
    share: Arc<Share>,
}

impl Wire {
    /// `read`: what came already. The client begins with a preface of this length.
    pub(super) fn new(
        transport: Transport,
        read: Buffer,
        preface: usize,
        share: Arc<Share>,
    ) -> (Self, Rc<Cell<Option<u64>>>) {
        let head = Rc::new(Cell::new(None));
        let (came, went) = (Frames::after(preface), Frames::after(0));
        (Self { read, transport, came, went, owed: 0, head: head.clone(), share }, head)
    }

    fn came(&mut self, bytes: &[u8]) {
        let before = self.came.frames;
        self.came.pass(bytes);
        self.owed += (self.came.frames - before) / FRAMES_A_READ;
        self.head.set(self.came.head());
    }

    fn went(&mut self, pieces: &[IoSlice<'_>], mut count: usize) {
        let frames = &mut self.went;
        let before = frames.bodies;
        for piece in pieces {
            let part = count.min(piece.len());
            frames.pass(&piece[..part]);
            count -= part;
        }
        // Other frames, such as answers to PINGs, are no progress.
        let bodies = usize::try_from(frames.bodies - before).unwrap_or(usize::MAX);
        if bodies > 0 {
            self.share.took(bodies);
        }
    }
}

impl AsyncRead for Wire {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        while this.owed > 0 {
            ready!(poll_proceed(cx)).made_progress();
            this.owed -= 1;
        }
        let before = into.filled().len();
        if this.read.is_empty() {
            ready!(Pin::new(&mut this.transport).poll_read(cx, into))?;
        } else {
            let count = this.read.bytes().len().min(into.remaining());
            into.put_slice(&this.read.bytes()[..count]);
            this.read.consume(count);
            this.read.release();
        }
        this.came(&into.filled()[before..]);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Wire {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let count = ready!(Pin::new(&mut this.transport).poll_write(cx, bytes))?;
        this.went(&[IoSlice::new(bytes)], count);
        Poll::Ready(Ok(count))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let count = ready!(Pin::new(&mut this.transport).poll_write_vectored(cx, pieces))?;
        this.went(pieces, count);
        Poll::Ready(Ok(count))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().transport).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().transport).poll_shutdown(cx)
    }
}

/// Length of a frame's own head (RFC 9113, section 4.1).
const HEAD: usize = 9;
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const CONTINUATION: u8 = 9;
const END_HEADERS: u8 = 4;

/// Follows frames in one direction, as far as needed to tell whether a head is under way and how many body bytes have
/// passed. `h2` parses the content.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    head: [u8; HEAD],
    filled: usize,
    /// Bytes of the frame still to come; before the first frame, of the preface.
    left: usize,
    kind: u8,
    /// Heads begun; the first stands for everything up to the end of the first frame.
    begun: u64,
    is_in_head: bool,
    /// Body bytes that have passed, with their padding.
    pub(crate) bodies: u64,
    pub(super) frames: u64,
}

impl Frames {
    /// Frames after a preface of this length. Until the first frame is over, all counts as a head.
    pub(crate) fn after(preface: usize) -> Self {
        Self { left: preface, kind: u8::MAX, begun: 1, is_in_head: true, ..Self::default() }
    }

    /// Number of the head under way, if any.
    pub(crate) fn head(&self) -> Option<u64> {
        self.is_in_head.then_some(self.begun)
    }

    pub(crate) fn pass(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.left > 0 {
                let count = self.left.min(bytes.len());
                if self.kind == DATA {
                    self.bodies += count as u64;
                }
                self.left -= count;
                bytes = &bytes[count..];
                if self.left == 0 && self.kind != u8::MAX {
                    self.over();
                }
                continue;
            }
            let count = (HEAD - self.filled).min(bytes.len());
            self.head[self.filled..self.filled + count].copy_from_slice(&bytes[..count]);
            self.filled += count;
            bytes = &bytes[count..];
            if self.filled == HEAD {
                self.begins();
            }
        }
    }

    fn begins(&mut self) {
        self.filled = 0;
        self.frames += 1;
        self.left = u32::from_be_bytes([0, self.head[0], self.head[1], self.head[2]]) as usize;
        self.kind = self.head[3];
        if self.kind == HEADERS && !self.is_in_head {
            self.begun += 1;
            self.is_in_head = true;
        }
        if self.left == 0 {
            self.over();
        }
    }

    fn over(&mut self) {
        // No other frames may come between those of a head (RFC 9113, section 6.10): `h2` ends such a connection.
        let goes_on = matches!(self.kind, HEADERS | CONTINUATION) && self.head[4] & END_HEADERS == 0;
        self.is_in_head = goes_on;
    }
}

#[cfg(test)]
mod tests;
