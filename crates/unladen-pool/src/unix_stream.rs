//! The principal type is [`UnixStream`]: a Unix socket stream on this thread's runtime, without wake-ups for the peer's
//! reads.

use std::future::Future;
use std::io::{self, IoSlice, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream as System;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::task::coop::poll_proceed;
use tokio::time::{Sleep, sleep};

/// Pause before a full queue is tried again, if it cannot be watched.
const AGAIN: Duration = Duration::from_millis(5);

/// A Unix socket stream.
///
/// The kernel wakes those that wait to write at each message that the peer reads, not only after a full queue as with
/// TCP. A request would wake its thread twice: when the peer has read it, and when the answer is there. So the stream
/// waits to write only while the queue is full.
#[derive(Debug)]
pub struct UnixStream {
    stream: AsyncFd<System>,
    full: Option<Full>,
}

#[derive(Debug)]
enum Full {
    Watched(AsyncFd<System>),
    Later(Pin<Box<Sleep>>),
}

// === impl UnixStream ===

impl UnixStream {
    /// Registers a non-blocking stream on this thread's runtime.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn from_std(stream: System) -> io::Result<Self> {
        Ok(Self { stream: watch(stream, Interest::READABLE)?, full: None })
    }

    /// Removes it from the runtime.
    pub fn into_std(self) -> System {
        self.stream.into_inner()
    }

    /// Waits until there may be something to read.
    pub fn poll_read_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.poll_read_ready(cx).map_ok(|_| ())
    }

    /// Writes at once if possible, else as soon as it is.
    pub fn poll_write_with<T>(
        &mut self,
        cx: &mut Context<'_>,
        mut write: impl FnMut(&System) -> io::Result<T>,
    ) -> Poll<io::Result<T>> {
        // As with other streams, a task whose calls always succeed yields at times.
        let coop = ready!(poll_proceed(cx));
        loop {
            match &mut self.full {
                Some(Full::Watched(socket)) => ready!(socket.poll_write_ready(cx))?.clear_ready(),
                Some(Full::Later(again)) => {
                    ready!(again.as_mut().poll(cx));
                    self.full = None;
                }
                None => (),
            }
            match write(self.stream.get_ref()) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if self.full.is_none() {
                        let watched =
                            self.stream.get_ref().try_clone().and_then(|same| watch(same, Interest::WRITABLE));
                        self.full = Some(match watched {
                            Ok(watched) => Full::Watched(watched),
                            Err(_) => Full::Later(Box::pin(sleep(AGAIN))),
                        });
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => {
                    self.full = None;
                    coop.made_progress();
                    return Poll::Ready(done);
                }
            }
        }
    }
}

#[expect(deprecated, reason = "it is unsound for what changes its descriptor, which a stream does not")]
fn watch(stream: System, interest: Interest) -> io::Result<AsyncFd<System>> {
    AsyncFd::with_interest(stream, interest)
}

impl AsFd for UnixStream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.get_ref().as_fd()
    }
}

impl AsyncRead for UnixStream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        loop {
            let mut guard = ready!(self.stream.poll_read_ready(cx))?;
            let room = into.initialize_unfilled();
            match guard.get_inner().read(room) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => guard.clear_ready(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Poll::Ready(Err(error)),
                Ok(count) => {
                    // All bytes are read, and the kernel will notify of more: that saves a read (epoll(7)).
                    if 0 < count && count < room.len() {
                        guard.clear_ready();
                    }
                    into.advance(count);
                    return Poll::Ready(Ok(()));
                }
            }
        }
    }
}

impl AsyncWrite for UnixStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.get_mut().poll_write_with(cx, |mut stream| stream.write(bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.get_mut().poll_write_with(cx, |mut stream| stream.write_vectored(pieces))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.stream.get_ref().shutdown(Shutdown::Write))
    }
}

#[cfg(test)]
mod tests;
