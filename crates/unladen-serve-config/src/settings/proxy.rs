//! The principal type is [`ProxySettings`]: a listener and the upstream behind it.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::{Serialize, Serializer};
use unladen_pool::UpstreamSettings;

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

/// A rate limit service that speaks `envoy.service.ratelimit.v3`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RateServiceSettings {
    pub tls: bool,
    /// A name, or an address without brackets.
    pub host: String,
    pub port: u16,
    /// Which of the service's configurations applies.
    pub domain: String,
}

/// An entry of a descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntrySettings {
    pub key: String,
    pub value: EntryValue,
}

/// What the value of an entry is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryValue {
    /// This value, always.
    Fixed(String),
    /// The client's address; for IPv6, its /64.
    Client,
    Header(String),
}

// === impl RateServiceSettings ===

impl RateServiceSettings {
    /// Host and port, as in a URL.
    pub fn authority(&self) -> String {
        let Self { host, port, .. } = self;
        if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
    }
}

impl fmt::Display for RateServiceSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.tls { "grpcs" } else { "grpc" };
        write!(f, "{scheme}://{}/{}", self.authority(), self.domain)
    }
}

impl Serialize for RateServiceSettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

// === impl EntrySettings ===

impl fmt::Display for EntrySettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, value } = self;
        match value {
            EntryValue::Fixed(value) => write!(f, "{key}={value}"),
            EntryValue::Client => write!(f, "{key}=$client"),
            EntryValue::Header(name) => write!(f, "{key}=$header:{name}"),
        }
    }
}

impl Serialize for EntrySettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A client's minimum average speed, after a grace period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Pace {
    /// Time in which no speed is required.
    pub grace: Duration,
    /// Bytes a second; `None` for no minimum.
    pub rate: Option<u64>,
}

impl Pace {
    /// When a transfer that began at `began` and has carried `bytes` becomes too slow, unless more come.
    pub fn until(&self, began: Instant, bytes: u64) -> Option<Instant> {
        let rate = self.rate?.max(1);
        let (whole, rest) = (bytes / rate, bytes % rate);
        // The rest is less than a second's: its ns fit, unless the rate exceeds any line.
        let part = u64::try_from(u128::from(rest) * 1_000_000_000 / u128::from(rate)).unwrap_or(0);
        let earned = Duration::from_secs(whole) + Duration::from_nanos(part);
        began.checked_add(self.grace.checked_add(earned)?)
    }

    /// The slower of both, which neither minds.
    pub(crate) fn or_slower(self, other: Self) -> Self {
        let rate = self.rate.zip(other.rate).map(|(one, other)| one.min(other));
        Self { grace: self.grace.max(other.grace), rate }
    }
}

#[cfg(test)]
mod tests;
