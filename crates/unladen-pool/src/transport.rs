//! The principal type is [`Transport`]: a stream of bytes to or from a peer, with or without TLS.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use unladen_tls::TlsFault;

use crate::buffer::Buffer;
use crate::socket::Socket;

/// A stream of bytes to or from a peer.
#[derive(Debug)]
pub enum Transport {
    Plain(Socket),
    TlsClient(Box<tokio_rustls::client::TlsStream<Socket>>, Fault),
    TlsServer(Box<tokio_rustls::server::TlsStream<Socket>>),
}

/// Error of TLS after its handshake, once there is one. The driver of a connection owns its transport; requests that
/// wait on it use this.
///
/// With TLS 1.3 a server checks our certificate when the handshake is over for us (RFC 8446, section 4.4.2.4).
#[derive(Clone, Debug, Default)]
pub struct Fault(Arc<OnceLock<TlsFault>>);

/// One of the two users of a transport, reading or writing: both belong to one task.
#[derive(Clone, Copy, Debug)]
pub struct Half<'a>(pub &'a RefCell<Transport>);

// === impl Transport ===

impl Transport {
    /// The underlying socket.
    pub fn socket(&mut self) -> &mut Socket {
        match self {
            Self::Plain(socket) => socket,
            Self::TlsClient(stream, _) => stream.get_mut().0,
            Self::TlsServer(stream) => stream.get_mut().0,
        }
    }

    /// Wraps a client stream after its handshake.
    pub fn tls(stream: tokio_rustls::client::TlsStream<Socket>) -> Self {
        Self::TlsClient(Box::new(stream), Fault::default())
    }

    /// Handle to later TLS errors.
    pub fn fault(&self) -> Fault {
        match self {
            Self::TlsClient(_, fault) => fault.clone(),
            Self::Plain(_) | Self::TlsServer(_) => Fault::default(),
        }
    }

    /// Waits until there may be something to read, without a buffer to read into.
    pub fn poll_readable(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.has_decrypted() {
            return Poll::Ready(Ok(()));
        }
        match self.socket() {
            Socket::Tcp(stream) => stream.poll_read_ready(cx),
            Socket::Unix(stream) => stream.poll_read_ready(cx),
            _ => Poll::Ready(Ok(())),
        }
    }

    /// Whether there is something to read that the runtime may not know of yet: asks the system itself.
    pub fn has_come(&mut self) -> bool {
        let mut byte = [std::mem::MaybeUninit::uninit(); 1];
        let seen = match self.socket() {
            Socket::Tcp(stream) => SockRef::from(&*stream).peek(&mut byte),
            Socket::Unix(stream) => SockRef::from(&*stream).peek(&mut byte),
            _ => Ok(0),
        };
        matches!(seen, Ok(count) if count > 0)
    }

    /// Whether TLS has read more from the socket than was requested, which the socket no longer shows. True if the peer
    /// has announced its close.
    fn has_decrypted(&self) -> bool {
        match self {
            Self::Plain(_) => false,
            Self::TlsClient(stream, _) => !stream.get_ref().1.wants_read(),
            Self::TlsServer(stream) => !stream.get_ref().1.wants_read(),
        }
    }

    /// Resets the connection on drop, so that its end is not taken for an orderly one. Not for Unix sockets.
    pub fn abort(&mut self) {
        if let Socket::Tcp(stream) = self.socket() {
            // It fails if the peer has done so before.
            let _ = SockRef::from(&*stream).set_linger(Some(Duration::ZERO));
        }
    }

    /// Whether it can be reused: no unexpected bytes, and not closed by the peer. Needs no system call if the runtime
    /// already knows.
    pub fn is_quiet(&mut self) -> bool {
        let mut byte = [0; 1];
        let mut into = ReadBuf::new(&mut byte);
        let mut cx = Context::from_waker(std::task::Waker::noop());
        Pin::new(self).poll_read(&mut cx, &mut into).is_pending()
    }
}

impl AsyncRead for Transport {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(socket) => Pin::new(socket).poll_read(cx, into),
            Self::TlsClient(stream, fault) => fault.heard(Pin::new(stream).poll_read(cx, into)),
            Self::TlsServer(stream) => Pin::new(stream).poll_read(cx, into),
        }
    }
}

impl AsyncWrite for Transport {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(socket) => Pin::new(socket).poll_write(cx, bytes),
            Self::TlsClient(stream, _) => Pin::new(stream).poll_write(cx, bytes),
            Self::TlsServer(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(socket) => Pin::new(socket).poll_write_vectored(cx, pieces),
            Self::TlsClient(stream, _) => Pin::new(stream).poll_write_vectored(cx, pieces),
            Self::TlsServer(stream) => Pin::new(stream).poll_write_vectored(cx, pieces),
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(socket) => Pin::new(socket).poll_flush(cx),
            Self::TlsClient(stream, _) => Pin::new(stream).poll_flush(cx),
            Self::TlsServer(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(socket) => Pin::new(socket).poll_shutdown(cx),
            Self::TlsClient(stream, _) => Pin::new(stream).poll_shutdown(cx),
            Self::TlsServer(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}

impl Fault {
    /// Error of TLS, if there was one.
    pub fn get(&self) -> Option<&TlsFault> {
        self.0.get()
    }

    fn heard(&self, read: Poll<io::Result<()>>) -> Poll<io::Result<()>> {
        if let Poll::Ready(Err(error)) = &read
            && let Some(fault) = TlsFault::after(error)
        {
            let _ = self.0.set(fault);
        }
        read
    }
}

impl Half<'_> {
    /// Reads once into a buffer; returns the number of bytes, 0 at the stream's end.
    pub fn poll_read(self, buffer: &mut Buffer, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let mut transport = self.0.borrow_mut();
        if buffer.is_released() {
            // Memory is taken only when there are bytes to store. TLS holds nothing back at such a moment: what it had
            // went into the memory that was returned since.
            ready!(transport.poll_readable(cx))?;
        }
        buffer.poll_read(&mut *transport, cx)
    }

    /// Reads once into a buffer; returns the number of bytes, 0 at the stream's end.
    pub async fn read(self, buffer: &mut Buffer) -> io::Result<usize> {
        poll_fn(|cx| self.poll_read(buffer, cx)).await
    }

    /// Writes some of the pieces in one system call; returns the number of bytes written.
    pub fn poll_write(self, cx: &mut Context<'_>, pieces: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        let mut transport = self.0.borrow_mut();
        let transport = Pin::new(&mut *transport);
        let count = ready!(match pieces {
            [one] => transport.poll_write(cx, one),
            several => transport.poll_write_vectored(cx, several),
        })?;
        if count == 0 { Poll::Ready(Err(io::ErrorKind::WriteZero.into())) } else { Poll::Ready(Ok(count)) }
    }

    /// Flushes: TLS may have held back some of what was written.
    pub fn poll_flush(self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0.borrow_mut()).poll_flush(cx)
    }

    /// Whether it uses TLS, which may hold back some of what was written.
    pub fn is_encrypted(self) -> bool {
        !matches!(*self.0.borrow(), Transport::Plain(_))
    }

    /// Closes the writing side.
    pub fn poll_shutdown(self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0.borrow_mut()).poll_shutdown(cx)
    }
}
