//! The principal type is [`ProxySettings`]: a listener and the upstream behind it.

mod shared_rate;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use unladen_pool::UpstreamSettings;

pub use self::shared_rate::*;
use crate::pace::Pace;

/// Where to listen.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ListenAddress {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

/// A listener and its upstream.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProxySettings {
    /// Where the application calls: one address or more.
    pub listen: Vec<ListenAddress>,
    /// Mode of its Unix sockets, as of chmod.
    pub socket_mode: u32,
    pub upstream: UpstreamSettings,
    pub host: HostRule,
    /// What happens to `X-Forwarded-*` and `Forwarded`.
    pub forwarded: Forwarded,
    pub via: bool,
    /// Whether a request without `X-Request-Id` is given one.
    pub request_id: bool,
    pub http2: bool,
    pub client: ClientSettings,
    pub rates: Vec<RateSettings>,
    /// Buffering of bodies, so that a slow client occupies no upstream connection.
    pub buffer: BufferSettings,
}

/// `Host` sent to the upstream.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HostRule {
    /// The upstream's own name, as in its URL.
    #[default]
    Upstream,
    /// The application's value.
    Keep,
    Fixed(String),
}

/// What happens to `X-Forwarded-For`, `-Host`, `-Proto` and `Forwarded` (RFC 7239).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Forwarded {
    /// Passed on: beside an application, it is the application that knows for whom it calls.
    #[default]
    Pass,
    /// `X-Forwarded-For`, `-Host`, `-Proto` are appended to.
    XForwarded,
    /// `Forwarded` is appended to.
    Forwarded,
    /// Removed.
    Strip,
}

/// Bounds of a listener's clients, for all threads together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClientSettings {
    /// Connections; beyond, new ones wait in the listener's queue.
    pub connections: usize,
    pub head_bytes: usize,
    pub fields: usize,
    /// Bytes of a request's body; `None` for no bound.
    pub body_bytes: Option<u64>,
    /// From a request's first byte to its head's end.
    pub head_timeout: Duration,
    pub body_pace: Pace,
    /// Minimum speed at which an answer is taken.
    pub answer_pace: Pace,
    pub idle: Duration,
    pub streams: u32,
}

impl ClientSettings {
    /// The more generous of each bound.
    #[must_use]
    pub fn or_more(&self, other: &Self) -> Self {
        Self {
            connections: self.connections.max(other.connections),
            head_bytes: self.head_bytes.max(other.head_bytes),
            fields: self.fields.max(other.fields),
            body_bytes: self.body_bytes.zip(other.body_bytes).map(|(one, other)| one.max(other)),
            head_timeout: self.head_timeout.max(other.head_timeout),
            body_pace: self.body_pace.or_slower(other.body_pace),
            answer_pace: self.answer_pace.or_slower(other.answer_pace),
            idle: self.idle.max(other.idle),
            streams: self.streams.max(other.streams),
        }
    }
}

/// A rate bound: a token bucket.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RateSettings {
    /// One bucket for each value of this header; `None` for one in all.
    pub header: Option<String>,
    pub rate: f64,
    pub burst: u32,
    /// Number of header values with their own bucket; those beyond share one.
    pub keys: usize,
    /// For a site: whether cache hits count.
    pub hits: bool,
    /// Rate limit service; this bound holds, for each descriptor, where it does not answer. `None` if the bound is of
    /// this process alone.
    pub service: Option<RateServiceSettings>,
    /// What the service is sent about a request.
    pub descriptor: Vec<EntrySettings>,
    pub deadline: Duration,
}

/// Buffering of bodies, so that a slow client occupies no upstream connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BufferSettings {
    /// Whether a request's body is read to its end before an upstream connection is requested.
    pub requests: bool,
    /// Whether an answer is read as fast as it comes, however slow its client is.
    pub answers: bool,
    /// Path prefixes of requests that are never buffered.
    pub streamed: Vec<String>,
    /// Bytes of one body in memory; the rest goes to a file.
    pub memory: usize,
    pub all_memory: u64,
    pub disk: u64,
    pub folder: PathBuf,
}

impl Default for BufferSettings {
    /// Defaults beside an application: its clients are trusted, and wait for streams.
    fn default() -> Self {
        Self {
            requests: false,
            answers: false,
            streamed: Vec::new(),
            memory: 64 * 1024,
            all_memory: 16 << 20,
            disk: 4 << 30,
            folder: PathBuf::from("/var/tmp"),
        }
    }
}

impl Default for ClientSettings {
    fn default() -> Self {
        Self {
            connections: 16 * 1024,
            head_bytes: 64 * 1024,
            fields: 128,
            body_bytes: None,
            head_timeout: Duration::from_secs(10),
            body_pace: Pace { grace: Duration::from_secs(20), rate: None },
            answer_pace: Pace { grace: Duration::from_secs(60), rate: None },
            idle: Duration::from_secs(60),
            streams: 128,
        }
    }
}
