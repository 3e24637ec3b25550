//! The principal type is [`Wire`]: a stream that counts its bytes. [`Counts`] are those of a client.

use std::cell::Cell;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use http::{HeaderMap, header};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Any stream of bytes; boxed, since a virtual call costs nothing beside its system call.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// HTTP bytes in each direction over all connections, before encryption.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    pub(crate) sent: AtomicU64,
    pub(crate) received: AtomicU64,
}

#[derive(Debug)]
pub(crate) struct Traffic {
    epoch: Instant,
    received: AtomicU64,
    /// When the first byte since the last [`rearm`](Self::rearm) was written, ns after the epoch; 0 for none.
    written: AtomicU64,
}

/// A counted stream.
///
/// The counters are atomic only because hyper may require streams that are `Send`; one thread counts.
pub(crate) struct Wire {
    stream: Box<dyn Stream>,
    all: Arc<Meter>,
    traffic: Arc<Traffic>,
}

impl Traffic {
    pub(crate) fn new() -> Self {
        Self { epoch: Instant::now(), received: AtomicU64::new(0), written: AtomicU64::new(0) }
    }

    pub(crate) fn received(&self) -> u64 {
        self.received.load(Relaxed)
    }

    pub(crate) fn rearm(&self) {
        self.written.store(0, Relaxed);
    }

    /// When the first byte since then was about to be written.
    pub(crate) fn written(&self) -> Option<Instant> {
        match self.written.load(Relaxed) {
            0 => None,
            ns => self.epoch.checked_add(Duration::from_nanos(ns)),
        }
    }

    fn writes(&self) {
        if self.written.load(Relaxed) == 0 {
            let ns = u64::try_from(self.epoch.elapsed().as_nanos()).unwrap_or(u64::MAX);
            self.written.store(ns.max(1), Relaxed);
        }
    }
}

// === impl Wire ===

impl Wire {
    pub(crate) fn new(stream: Box<dyn Stream>, all: Arc<Meter>, traffic: Arc<Traffic>) -> Self {
        Self { stream, all, traffic }
    }

    fn count_sent(&self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Ok(bytes)) = &written {
            self.all.sent.fetch_add(*bytes as u64, Relaxed);
        }
        written
    }
}

impl AsyncRead for Wire {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        let bytes = (buffer.filled().len() - before) as u64;
        self.traffic.received.fetch_add(bytes, Relaxed);
        self.all.received.fetch_add(bytes, Relaxed);
        read
    }
}

impl AsyncWrite for Wire {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.traffic.writes();
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.count_sent(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.traffic.writes();
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes);
        self.count_sent(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// Cumulative counters of a client; a run takes differences.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    opened: Cell<u64>,
    closed_by_server: Cell<u64>,
    retries: Cell<u64>,
    /// Requests without cookies that were given some.
    pub(crate) strangers: Arc<AtomicU64>,
    pub(crate) meter: Arc<Meter>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    pub(crate) opened: u64,
    pub(crate) closed_by_server: u64,
    pub(crate) retries: u64,
    pub(crate) sent: u64,
    pub(crate) received: u64,
}

impl Counts {
    pub(crate) fn opened(&self) {
        self.opened.update(|opened| opened + 1);
    }

    pub(crate) fn closed_by_server(&self) {
        self.closed_by_server.update(|closed| closed + 1);
    }

    pub(crate) fn retried(&self) {
        self.retries.update(|retries| retries + 1);
    }

    /// Counts a stranger who was given cookies: an answer with cookies to a request without any.
    pub(crate) fn met(&self, bore_cookies: bool, answer: &HeaderMap) {
        if !bore_cookies && answer.contains_key(header::SET_COOKIE) {
            self.strangers.fetch_add(1, Relaxed);
        }
    }

    pub(crate) fn read(&self) -> Reading {
        Reading {
            opened: self.opened.get(),
            closed_by_server: self.closed_by_server.get(),
            retries: self.retries.get(),
            sent: self.meter.sent.load(Relaxed),
            received: self.meter.received.load(Relaxed),
        }
    }
}

impl Reading {
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            opened: self.opened - before.opened,
            closed_by_server: self.closed_by_server - before.closed_by_server,
            retries: self.retries - before.retries,
            sent: self.sent - before.sent,
            received: self.received - before.received,
        }
    }
}
