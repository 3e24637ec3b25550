//! The principal type is [`H2Connection`]: one HTTP/2 connection to an endpoint, shared by many requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use h2::client::SendRequest;
use unladen_tls::TlsFault;

use crate::connection::ConnectionSlot;
use crate::endpoint::Endpoint;
use crate::settings::{PoolSettings, UpstreamSettings};
use crate::tls::TlsError;
use crate::transport::{Fault, Transport};

/// Window of a stream: the response to a slow client is held back rather than kept in memory.
const STREAM_WINDOW: u32 = 256 * 1024;
/// Window of all streams of a connection: large enough that slow clients leave room for others.
const CONNECTION_WINDOW: u32 = 256 * STREAM_WINDOW;
/// Maximum of remembered streams that the upstream reset.
const RESET_STREAMS: usize = 64;
/// Memory overhead of small response pieces (below 256 bytes) until they are read: four streams' windows full of pieces
/// of 16 bytes. Slow clients must not cost the others the connection.
const SMALL_PIECES: usize = 16 * 1024 * 1024;

#[derive(Clone, Debug)]
pub(crate) struct H2Connection {
    send: SendRequest<Bytes>,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    endpoint: Arc<Endpoint>,
    opened: Instant,
    requests: AtomicU32,
    streams: AtomicU32,
    idle_since: std::sync::Mutex<Instant>,
    closed: AtomicBool,
    fault: Fault,
    slot: ConnectionSlot,
}

/// A slot for one stream. The request is sent with [`Stream::send`].
#[derive(Debug)]
pub struct Stream {
    connection: H2Connection,
    was_used: bool,
}

impl H2Connection {
    pub(crate) async fn new(
        transport: Transport,
        endpoint: Arc<Endpoint>,
        slot: ConnectionSlot,
        settings: &UpstreamSettings,
    ) -> Result<Self, LeaseError> {
        let head = u32::try_from(settings.limits.head_bytes).unwrap_or(u32::MAX);
        let fault = transport.fault();
        let (send, driver) = h2::client::Builder::new()
            .enable_push(false)
            .initial_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_header_list_size(head)
            .max_concurrent_reset_streams(RESET_STREAMS)
            .data_frame_budget(SMALL_PIECES)
            .handshake(transport)
            .await
            .map_err(LeaseError::Http2)?;
        let now = Instant::now();
        let shared = Arc::new(Shared {
            endpoint,
            opened: now,
            requests: AtomicU32::new(0),
            streams: AtomicU32::new(0),
            idle_since: std::sync::Mutex::new(now),
            closed: AtomicBool::new(false),
            fault,
            slot,
        });
        let weak = Arc::downgrade(&shared);
        tokio::task::spawn_local(async move {
            // Each stream gets its error.
            let _ = driver.await;
            if let Some(shared) = weak.upgrade() {
                shared.closed.store(true, Ordering::Relaxed);
            }
        });
        Ok(Self { send, shared })
    }

    pub(crate) fn endpoint(&self) -> &Arc<Endpoint> {
        &self.shared.endpoint
    }

    pub(crate) fn streams(&self) -> u32 {
        self.shared.streams.load(Ordering::Relaxed)
    }

    pub(crate) fn is_spent(&self, settings: &PoolSettings, now: Instant) -> bool {
        let shared = &*self.shared;
        let idle_since = shared.idle_since.lock().map_or(now, |since| *since);
        shared.closed.load(Ordering::Relaxed)
            || shared.requests.load(Ordering::Relaxed) >= settings.max_requests.saturating_mul(H2_REQUESTS)
            || now.saturating_duration_since(shared.opened) >= settings.max_age
            || (self.streams() == 0 && now.saturating_duration_since(idle_since) >= settings.idle.max(H2_IDLE))
    }

    pub(crate) fn stream(&self) -> Option<Stream> {
        let limit = u32::try_from(self.send.current_max_send_streams()).unwrap_or(u32::MAX);
        let next = |streams| (streams < limit).then_some(streams + 1);
        self.shared.streams.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).ok()?;
        let was_used = self.shared.requests.fetch_add(1, Ordering::Relaxed) > 0;
        Some(Stream { connection: self.clone(), was_used })
    }
}

/// HTTP/2 announces a close (GOAWAY), so that it loses no request: a connection may carry more requests …
const H2_REQUESTS: u32 = 100;
/// … and be idle for longer.
const H2_IDLE: std::time::Duration = std::time::Duration::from_secs(30);

// === impl Stream ===

impl Stream {
    /// Its endpoint.
    pub fn endpoint(&self) -> &Arc<Endpoint> {
        self.connection.endpoint()
    }

    /// Whether its connection has carried a request before.
    pub fn was_used(&self) -> bool {
        self.was_used
    }

    /// Error of TLS on its connection after the handshake, if there was one.
    pub fn tls_fault(&self) -> Option<TlsFault> {
        self.connection.shared.fault.get().cloned()
    }

    /// Sends a request's head; returns the future response and the body's sink. If it fails, nothing was sent.
    pub async fn send(
        &mut self,
        request: http::Request<()>,
        ends: bool,
    ) -> Result<(h2::client::ResponseFuture, h2::SendStream<Bytes>), h2::Error> {
        let ready = self.connection.send.clone().ready().await;
        // It has ended, or its peer takes no more (GOAWAY) though its streams may go on for long: it is not to be used
        // again.
        let mut ready = ready.inspect_err(|_| self.connection.shared.closed.store(true, Ordering::Relaxed))?;
        ready.send_request(request, ends)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let shared = &*self.connection.shared;
        if shared.streams.fetch_sub(1, Ordering::Relaxed) == 1
            && let Ok(mut since) = shared.idle_since.lock()
        {
            *since = Instant::now();
        }
        shared.slot.stream_ended();
    }
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    #[error("no endpoint can be asked")]
    NoEndpoint,
    #[error("too many requests wait for a connection")]
    TooManyPending,
    #[error("cannot connect to {address}: {source}")]
    Connect { address: String, source: std::io::Error },
    #[error("connecting took longer than {0:?}")]
    Timeout(Duration),
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The peer does not speak the HTTP/2 it negotiated.
    #[error("HTTP/2: {0}")]
    Http2(h2::Error),
    /// An upgrade was requested, but only HTTP/2 or FastCGI is spoken to the upstream.
    #[error("this upstream's protocol (only HTTP/2, or FastCGI) has no upgrades")]
    NoUpgrade,
}
