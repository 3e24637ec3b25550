//! The principal type is [`Socket`]: a stream to or from a peer that can move between the runtimes of threads.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::unix_stream::UnixStream;

/// A TCP or Unix socket stream.
#[derive(Debug)]
pub enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
    /// On no runtime: between two threads.
    ParkedTcp(std::net::TcpStream),
    ParkedUnix(std::os::unix::net::UnixStream),
    Gone,
}

// === impl Socket ===

impl Socket {
    /// Removes it from this thread's runtime, so that another may take it.
    pub fn park(&mut self) -> io::Result<()> {
        *self = match std::mem::replace(self, Self::Gone) {
            Self::Tcp(stream) => Self::ParkedTcp(stream.into_std()?),
            Self::Unix(stream) => Self::ParkedUnix(stream.into_std()),
            parked => parked,
        };
        Ok(())
    }

    /// Registers it on this thread's runtime.
    pub fn unpark(&mut self) -> io::Result<()> {
        *self = match std::mem::replace(self, Self::Gone) {
            Self::ParkedTcp(stream) => Self::Tcp(TcpStream::from_std(stream)?),
            Self::ParkedUnix(stream) => Self::Unix(UnixStream::from_std(stream)?),
            awake => awake,
        };
        Ok(())
    }
}

fn parked() -> io::Error {
    io::Error::new(io::ErrorKind::NotConnected, "the connection is between two threads")
}

impl AsyncRead for Socket {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_read(cx, into),
            Self::Unix(stream) => Pin::new(stream).poll_read(cx, into),
            _ => Poll::Ready(Err(parked())),
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Unix(stream) => Pin::new(stream).poll_write(cx, bytes),
            _ => Poll::Ready(Err(parked())),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_write_vectored(cx, pieces),
            Self::Unix(stream) => Pin::new(stream).poll_write_vectored(cx, pieces),
            _ => Poll::Ready(Err(parked())),
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Unix(stream) => Pin::new(stream).poll_shutdown(cx),
            _ => Poll::Ready(Err(parked())),
        }
    }
}
