//! The principal type is [`Connection`]: one HTTP/1.1 connection to an endpoint, in use or idle.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use unladen_tls::TlsFault;

use crate::buffer::Buffer;
use crate::endpoint::Endpoint;
use crate::settings::PoolSettings;
use crate::socket::Socket;
use crate::transport::Transport;
use crate::unanswered::Waits;

/// One connection of HTTP/1.1 or FastCGI to an endpoint.
#[derive(Debug)]
pub struct Connection {
    pub transport: RefCell<Transport>,
    pub buffer: Buffer,
    pub endpoint: Arc<Endpoint>,
    pub opened: Instant,
    pub idle_since: Instant,
    pub requests: u32,
    pub keep: Option<Duration>,
    /// FastCGI: present until the first answer.
    pub(crate) waits: Option<Waits>,
    pub(crate) _slot: ConnectionSlot,
}

/// A slot for one of an upstream's connections; free again when it is dropped.
#[derive(Debug)]
pub(crate) struct ConnectionSlot {
    slots: Arc<ConnectionSlots>,
}

#[derive(Debug)]
pub(crate) struct ConnectionSlots {
    taken: AtomicUsize,
    limit: usize,
    pub(crate) freed: Notify,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closed {
    Idle,
    Age,
    Requests,
    ByPeer,
}

impl Connection {
    pub(crate) fn spent(&self, settings: &PoolSettings, now: Instant) -> Option<Closed> {
        let idle = self.keep.map_or(settings.idle, |keep| keep.min(settings.idle));
        if now.saturating_duration_since(self.idle_since) >= idle {
            Some(Closed::Idle)
        } else if now.saturating_duration_since(self.opened) >= settings.max_age {
            Some(Closed::Age)
        } else if self.requests >= settings.max_requests {
            Some(Closed::Requests)
        } else {
            None
        }
    }

    /// FastCGI: to be dropped at the first answer, since a process serves it from then on.
    pub fn take_waits(&mut self) -> Option<Waits> {
        self.waits.take()
    }

    /// Error of TLS after the handshake, if there was one.
    pub fn tls_fault(&self) -> Option<TlsFault> {
        self.transport.borrow().fault().get().cloned()
    }

    /// Asks the system whether the peer has closed it. Costs a system call.
    pub(crate) fn is_open(&mut self) -> bool {
        let mut byte = [std::mem::MaybeUninit::uninit(); 1];
        let seen = match self.transport.get_mut().socket() {
            Socket::Tcp(stream) => socket2::SockRef::from(&*stream).peek(&mut byte),
            Socket::Unix(stream) => socket2::SockRef::from(&*stream).peek(&mut byte),
            Socket::ParkedTcp(stream) => socket2::SockRef::from(&*stream).peek(&mut byte),
            Socket::ParkedUnix(stream) => socket2::SockRef::from(&*stream).peek(&mut byte),
            Socket::Gone => return false,
        };
        matches!(seen, Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
    }

    pub(crate) fn move_here(&mut self) -> std::io::Result<()> {
        let socket = self.transport.get_mut().socket();
        socket.park()?;
        socket.unpark()
    }
}

impl ConnectionSlots {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { taken: AtomicUsize::new(0), limit, freed: Notify::new() })
    }

    pub(crate) fn take(self: &Arc<Self>) -> Option<ConnectionSlot> {
        let next = |taken| (taken < self.limit).then_some(taken + 1);
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).ok()?;
        Some(ConnectionSlot { slots: self.clone() })
    }

    pub(crate) fn are_taken(&self) -> bool {
        self.taken() >= self.limit
    }

    pub(crate) fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }
}

impl ConnectionSlot {
    pub(crate) fn stream_ended(&self) {
        self.slots.freed.notify_waiters();
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.slots.taken.fetch_sub(1, Ordering::Relaxed);
        self.slots.freed.notify_one();
    }
}
