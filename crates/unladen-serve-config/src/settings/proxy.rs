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
    /// An address and a port.
    Tcp(SocketAddr),
    /// A Unix socket.
    Unix(PathBuf),
}

/// One listener beside the application, and its upstream.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProxySettings {
    /// Where the application calls: one or more.
    pub listen: Vec<ListenAddress>,
    /// Who may open its Unix sockets, as of chmod.
    pub socket_mode: u32,
    /// Where its calls go.
    pub upstream: UpstreamSettings,
    /// What the upstream is told as `Host`.
    pub host: HostRule,
    /// What becomes of `X-Forwarded-*` and `Forwarded`.
    pub forwarded: Forwarded,
    /// Whether `Via` is added, to requests and to responses.
    pub via: bool,
    /// Whether a request without `X-Request-Id` is given one.
    pub request_id: bool,
    /// Whether clients may speak HTTP/2.
    pub http2: bool,
    /// Bounds of the clients.
    pub client: ClientSettings,
    /// Bounds of rates.
    pub rates: Vec<RateSettings>,
    /// Bodies that wait, so that a slow client takes no connection of the upstream.
    pub buffer: BufferSettings,
}

/// What the upstream is told as `Host`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HostRule {
    /// The upstream's own name, as in its URL.
    #[default]
    Upstream,
    /// What the application said.
    Keep,
    Fixed(String),
}

/// What becomes of `X-Forwarded-For`, `-Host`, `-Proto` and `Forwarded` (RFC 7239).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Forwarded {
    /// Passed on as they came: beside an application, it is the application's to say for whom it calls.
    #[default]
    Pass,
    /// `X-Forwarded-For`, `-Host`, `-Proto` are added to.
    XForwarded,
    /// `Forwarded` is added to.
    Forwarded,
    /// Taken off.
    Strip,
}

/// Bounds of what clients do to a listener; all threads together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClientSettings {
    /// Connections; beyond, new ones wait in the listener's queue.
    pub connections: usize,
    /// A request's head, in bytes.
    pub head_bytes: usize,
    /// A request's fields.
    pub fields: usize,
    /// A request's body, in bytes; none: no bound.
    pub body_bytes: Option<u64>,
    /// From a request's first byte to its head's end.
    pub head_timeout: Duration,
    /// How fast a request's body has to come.
    pub body_pace: Pace,
    /// How fast an answer has to be taken.
    pub answer_pace: Pace,
    /// Between requests.
    pub idle: Duration,
    /// Streams of HTTP/2 at a time on a connection.
    pub streams: u32,
}

impl ClientSettings {
    /// The more generous of each.
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

/// A bound of a rate: a token bucket.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RateSettings {
    /// One bucket for each value of this header, or (none) one for all.
    pub header: Option<String>,
    /// Requests a second.
    pub rate: f64,
    /// So many at once.
    pub burst: u32,
    /// So many values of the header are kept apart; those beyond share one bucket.
    pub keys: usize,
    /// Of a site: whether answers from memory count too.
    pub hits: bool,
    /// The service that is asked; this is the bound where it does not answer, a bucket for each descriptor. None: the
    /// bound is of this process alone.
    pub service: Option<RateServiceSettings>,
    /// What it is told of a request.
    pub descriptor: Vec<EntrySettings>,
    /// No answer of it is waited for longer.
    pub deadline: Duration,
}

/// Bodies that wait, so that a slow client takes no connection of the upstream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BufferSettings {
    /// Whether a request's body is read to its end before the upstream is asked for a connection.
    pub requests: bool,
    /// Whether an answer is read as fast as it comes, however slow its client is.
    pub answers: bool,
    /// How paths begin whose requests are sent on as they come all the same.
    pub streamed: Vec<String>,
    /// Of one body, in bytes; what is more goes to a file.
    pub memory: usize,
    /// Of all bodies together.
    pub all_memory: u64,
    /// Of all files together.
    pub disk: u64,
    /// Where the files are.
    pub folder: PathBuf,
}

impl Default for BufferSettings {
    /// Beside an application: its clients are trusted, and wait for what is streamed.
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
