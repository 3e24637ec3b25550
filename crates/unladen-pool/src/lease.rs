//! The principal type is [`Lease`]: a connection for one request, and how it was obtained.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use crate::buffer::Buffer;
use crate::connection::{Closed, Connection, ConnectionSlot};
use crate::dial::dial;
use crate::endpoint::Endpoint;
use crate::h2_connection::{H2Connection, LeaseError, Stream};
use crate::settings::Protocol;
use crate::tls;
use crate::transport::Transport;
use crate::upstream::{Upstream, count};

/// A connection for one request.
#[derive(Debug)]
pub enum Lease {
    /// HTTP/1.1 or FastCGI, exclusive. [`Upstream::give_back`] keeps it for the next request.
    H1(Connection, LeaseSource),
    /// A stream of an HTTP/2 connection.
    H2(Stream, LeaseSource),
}

/// How a connection was obtained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseSource {
    Own,
    Sibling,
    New,
    Resumed,
}

/// What a request requires of its connection.
#[derive(Clone, Copy, Debug, Default)]
pub struct Need {
    /// The request must not be sent twice: no connection that was idle for long.
    pub fresh: bool,
    /// It met a connection that was just closed: no idle one.
    pub new: bool,
    /// It switches to another protocol: HTTP/1.1 only.
    pub upgrade: bool,
}

impl Upstream {
    /// A connection to `endpoint`: this thread's, another thread's, or a new one.
    pub async fn lease(
        &self,
        thread: usize,
        endpoint: &Arc<Endpoint>,
        need: Need,
        now: Instant,
    ) -> Result<Lease, LeaseError> {
        if need.upgrade && matches!(self.settings().http, Protocol::Http2 | Protocol::FastCgi) {
            return Err(LeaseError::NoUpgrade);
        }
        if let Some(lease) = self.kept(thread, endpoint, need, now) {
            return Ok(lease);
        }
        let timeout = self.settings().timeouts.connect;
        match tokio::time::timeout(timeout, self.lease_slowly(thread, endpoint, need)).await {
            Ok(done) => done,
            // Not the upstream was too slow, but the limit too low.
            Err(_) if self.slots.are_taken() => Err(LeaseError::TooManyPending),
            Err(_) => {
                count(&self.counters.connect_failures);
                Err(LeaseError::Timeout(timeout))
            }
        }
    }

    fn kept(&self, thread: usize, endpoint: &Arc<Endpoint>, need: Need, now: Instant) -> Option<Lease> {
        if self.may_be_h2() && !need.upgrade && !need.new {
            let threads = self.idle_connections.len();
            for offset in 0..threads {
                let mut idle_connections = self.idle_connections((thread + offset) % threads);
                if let Some(stream) = idle_connections.stream(endpoint, &self.settings().pool, now) {
                    return Some(Lease::H2(stream, if offset == 0 { LeaseSource::Own } else { LeaseSource::Sibling }));
                }
            }
        }
        if need.new {
            return None;
        }
        if let Some(connection) = self.idle(thread, endpoint, need, now) {
            return Some(Lease::H1(connection, LeaseSource::Own));
        }
        let threads = self.idle_connections.len();
        for offset in 1..threads {
            if let Some(mut connection) = self.idle((thread + offset) % threads, endpoint, need, now)
                && connection.is_open()
                && connection.move_here().is_ok()
            {
                return Some(Lease::H1(connection, LeaseSource::Sibling));
            }
        }
        None
    }

    fn idle(&self, thread: usize, endpoint: &Arc<Endpoint>, need: Need, now: Instant) -> Option<Connection> {
        loop {
            // The guard must not outlive the line: closing a connection below frees its slot, and may wake others.
            let taken = self.idle_connections(thread).take(endpoint);
            let mut connection = taken?;
            let why = match connection.spent(&self.settings().pool, now) {
                None if !connection.transport.get_mut().is_quiet() => Closed::ByPeer,
                None if need.fresh => {
                    let idle = now.saturating_duration_since(connection.idle_since);
                    if idle >= self.settings().pool.fresh {
                        // It is good for other requests; those before it were idle for longer still.
                        self.idle_connections(thread).put(connection);
                        return None;
                    }
                    if connection.is_open() {
                        return Some(connection);
                    }
                    Closed::ByPeer
                }
                None => return Some(connection),
                Some(why) => why,
            };
            self.count_closed(why);
        }
    }

    async fn lease_slowly(&self, thread: usize, endpoint: &Arc<Endpoint>, need: Need) -> Result<Lease, LeaseError> {
        if self.may_be_h2() && !need.upgrade {
            // One at a time: the others will find a stream on the first one's connection.
            let _one = self.gate.lock().await;
            if let Some(lease) = self.kept(thread, endpoint, need, Instant::now()) {
                return Ok(lease);
            }
            if self.may_be_h2()
                && let Some(slot) = self.slots.take()
            {
                return self.connect(thread, endpoint, need, slot).await;
            }
            // The first one has found HTTP/1.1, or there is no slot: the others need not wait for each other.
        }
        match self.slots.take() {
            Some(slot) => self.connect(thread, endpoint, need, slot).await,
            None => self.wait(thread, endpoint, need).await,
        }
    }

    async fn wait(&self, thread: usize, endpoint: &Arc<Endpoint>, need: Need) -> Result<Lease, LeaseError> {
        let _waiting =
            Waiting::begin(&self.pending, self.settings().limits.pending).ok_or(LeaseError::TooManyPending)?;
        count(&self.counters.waited);
        loop {
            let freed = self.slots.freed.notified();
            tokio::pin!(freed);
            // Registered before looking, so that nothing freed in between is missed.
            freed.as_mut().enable();
            if let Some(lease) = self.kept(thread, endpoint, need, Instant::now()) {
                return Ok(lease);
            }
            if let Some(slot) = self.slots.take() {
                return self.connect(thread, endpoint, need, slot).await;
            }
            // Idle ones that do not suit this request make room for one that does.
            if self.drop_idle(thread) {
                continue;
            }
            freed.await;
        }
    }

    async fn connect(
        &self,
        thread: usize,
        endpoint: &Arc<Endpoint>,
        need: Need,
        slot: ConnectionSlot,
    ) -> Result<Lease, LeaseError> {
        let (transport, source, is_h2) = self.open(endpoint, need.upgrade).await?;
        if !is_h2 {
            let mut connection = new_connection(transport, endpoint.clone(), slot);
            if self.settings().http == Protocol::FastCgi {
                connection.waits = Some(self.unanswered.begin(self.now_ms()));
            }
            return Ok(Lease::H1(connection, source));
        }
        let connection = H2Connection::new(transport, endpoint.clone(), slot, self.settings()).await?;
        let stream = connection.stream().ok_or(LeaseError::TooManyPending)?;
        self.idle_connections(thread).share(connection);
        Ok(Lease::H2(stream, source))
    }

    pub(crate) async fn warm(&self, thread: usize, endpoint: &Arc<Endpoint>) -> Result<(), LeaseError> {
        let Some(slot) = self.slots.take() else { return Ok(()) };
        let timeout = self.settings().timeouts.connect;
        let opened = tokio::time::timeout(timeout, self.open(endpoint, false)).await;
        let (transport, _, is_h2) = opened.map_err(|_| LeaseError::Timeout(timeout))??;
        if is_h2 {
            let connection = H2Connection::new(transport, endpoint.clone(), slot, self.settings()).await?;
            self.idle_connections(thread).share(connection);
        } else {
            self.idle_connections(thread).put(new_connection(transport, endpoint.clone(), slot));
        }
        Ok(())
    }

    pub(crate) async fn open(
        &self,
        endpoint: &Arc<Endpoint>,
        upgrade: bool,
    ) -> Result<(Transport, LeaseSource, bool), LeaseError> {
        let settings = self.settings();
        let failed = |source: std::io::Error| {
            count(&self.counters.connect_failures);
            match source.kind() {
                std::io::ErrorKind::TimedOut => LeaseError::Timeout(settings.timeouts.connect),
                _ => LeaseError::Connect { address: endpoint.address.to_string(), source },
            }
        };
        let socket = dial(&endpoint.address, settings.timeouts.connect).await.map_err(failed)?;
        count(&self.counters.connects);
        let Some((connector, name)) = self.tls(endpoint, upgrade) else {
            return Ok((Transport::Plain(socket), LeaseSource::New, settings.http == Protocol::Http2));
        };
        let shaken = connector.connect(name, socket).await.inspect_err(|_| count(&self.counters.handshake_failures))?;
        let is_resumed = tls::is_resumed(&shaken);
        let is_h2 = tls::is_h2(&shaken);
        count(if is_resumed { &self.counters.handshakes_resumed } else { &self.counters.handshakes_full });
        if !upgrade {
            self.speaks(is_h2);
        }
        let source = if is_resumed { LeaseSource::Resumed } else { LeaseSource::New };
        Ok((Transport::tls(shaken), source, is_h2))
    }
}

fn new_connection(transport: Transport, endpoint: Arc<Endpoint>, slot: ConnectionSlot) -> Connection {
    let now = Instant::now();
    Connection {
        transport: RefCell::new(transport),
        buffer: Buffer::default(),
        endpoint,
        opened: now,
        idle_since: now,
        requests: 0,
        keep: None,
        waits: None,
        _slot: slot,
    }
}

struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn begin(pending: &'a AtomicUsize, limit: usize) -> Option<Self> {
        let next = |waiting| (waiting < limit).then_some(waiting + 1);
        pending.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).ok()?;
        Some(Self(pending))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
