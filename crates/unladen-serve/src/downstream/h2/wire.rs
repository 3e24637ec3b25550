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

use super::frames::Frames;
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
    seen: Rc<Seen>,
    share: Arc<Share>,
}

/// Observed state, for the connection's driver.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Number of the head under way, if any.
    pub(super) head: Cell<Option<u64>>,
}

// === impl Wire ===

impl Wire {
    /// `read`: what came already. The client begins with a preface of this length.
    pub(super) fn new(transport: Transport, read: Buffer, preface: usize, share: Arc<Share>) -> (Self, Rc<Seen>) {
        let seen = Rc::new(Seen::default());
        let (came, went) = (Frames::after(preface), Frames::after(0));
        (Self { read, transport, came, went, owed: 0, seen: seen.clone(), share }, seen)
    }

    fn came(&mut self, bytes: &[u8]) {
        let before = self.came.frames;
        self.came.pass(bytes);
        self.owed += (self.came.frames - before) / FRAMES_A_READ;
        self.seen.head.set(self.came.head());
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
