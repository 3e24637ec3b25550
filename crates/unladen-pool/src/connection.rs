//! The principal type is [`Connection`]: one connection of HTTP/1.1 to an endpoint, in use or idle.

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
    /// Its bytes.
    pub transport: RefCell<Transport>,
    /// What was read of it and not used yet.
    pub buffer: Buffer,
    /// Where it leads.
    pub endpoint: Arc<Endpoint>,
    /// When it was made.
    pub opened: Instant,
    pub idle_since: Instant,
    /// How many requests it has carried.
    pub requests: u32,
    /// How long the upstream keeps it, if it says so.
    pub keep: Option<Duration>,
    /// Of FastCGI, until it has answered for the first time.
    pub(crate) waits: Option<Waits>,
    pub(crate) _slot: ConnectionSlot,
}

/// A connection's place among those that an upstream may have: free again when it is dropped.
#[derive(Debug)]
pub(crate) struct ConnectionSlot {
    slots: Arc<ConnectionSlots>,
}

/// The places for connections of one upstream, all threads together.
#[derive(Debug)]
pub(crate) struct ConnectionSlots {
    taken: AtomicUsize,
    limit: usize,
    /// Told when a connection or a place becomes free.
    pub(crate) freed: Notify,
}

/// Why an idle connection is not used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closed {
    /// It was idle for too long.
    Idle,
    /// It is too old.
    Age,
    /// It has carried enough requests.
    Requests,
    /// The upstream closed it, or sent something unasked.
    ByPeer,
}

impl Connection {
    /// Why it may not carry another request, if so, by what is known without asking the system.
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

    /// Of FastCGI: what is to be dropped when it answers for the first time, as somebody serves it then.
    pub fn take_waits(&mut self) -> Option<Waits> {
        self.waits.take()
    }

    /// What TLS has failed of after the handshake, if it has.
    pub fn tls_fault(&self) -> Option<TlsFault> {
        self.transport.borrow().fault().get().cloned()
    }

    /// Asks the system itself whether the peer has closed it. Costs a system call.
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

    /// Takes it off the runtime of the thread that had it, onto this one's.
    pub(crate) fn move_here(&mut self) -> std::io::Result<()> {
        let socket = self.transport.get_mut().socket();
        socket.park()?;
        socket.unpark()
    }
}

// === impl ConnectionSlots ===

impl ConnectionSlots {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { taken: AtomicUsize::new(0), limit, freed: Notify::new() })
    }

    /// A place, if there is one.
    pub(crate) fn take(self: &Arc<Self>) -> Option<ConnectionSlot> {
        let next = |taken| (taken < self.limit).then_some(taken + 1);
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).ok()?;
        Some(ConnectionSlot { slots: self.clone() })
    }

    /// Whether there is none left.
    pub(crate) fn are_taken(&self) -> bool {
        self.taken() >= self.limit
    }

    /// Connections there are.
    pub(crate) fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }
}

impl ConnectionSlot {
    /// A connection of many streams has room for one more.
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
