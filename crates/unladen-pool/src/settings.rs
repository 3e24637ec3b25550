//! The principal type is [`UpstreamSettings`]: what is known about an upstream, with every default filled in.
//!
//! Values only: the file they are read from belongs to `unladen-serve`. Each `Default` is the product's default; its
//! reason stands with it and is what `unladen serve --explain` prints.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use crate::discovery::Discovery;

/// An upstream, resolved.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UpstreamSettings {
    /// Its name in logs and metrics.
    pub name: String,
    /// Whether it is the peers of a tier, which have other settings for the same.
    #[serde(skip)]
    pub is_tier: bool,
    /// Where it is: one or more.
    pub origins: Vec<Origin>,
    /// How its TLS is made, for the origins that have TLS.
    pub tls: TlsSettings,
    /// What is spoken to it.
    pub http: Protocol,
    /// Which of several endpoints is taken.
    pub balance: Balance,
    /// Connections kept.
    pub pool: PoolSettings,
    /// Bounds of what goes on at a time.
    pub limits: LimitSettings,
    /// How long things may take.
    pub timeouts: TimeoutSettings,
    /// When a request is sent again.
    pub retry: RetrySettings,
    /// Answers at once while the upstream is broken; none: never.
    pub breaker: Option<BreakerSettings>,
    /// Takes an endpoint that fails out for a while; none: never.
    pub outlier: Option<OutlierSettings>,
    /// Asks endpoints how they are; none: never.
    pub health: Option<HealthSettings>,
    /// How names become addresses.
    pub resolve: ResolveSettings,
}

/// One place where an upstream is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Origin {
    /// Host and port, or a socket's path.
    pub at: EndpointAddress,
    /// Whether TLS is spoken there.
    pub tls: bool,
    /// The share of each of its addresses among those of all origins, 1 to 1,000.
    pub weight: u32,
    /// What goes into `Host` and `:authority`, and (without its port) into SNI: as in the URL.
    pub authority: String,
    /// Where its endpoints are learnt: then `at` is its name alone, and it is the only origin of its upstream. None:
    /// they are where `at` says.
    // What sites have kept is found by their settings: those of before this was there stay the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discovery: Option<Discovery>,
}

/// Where to connect to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EndpointAddress {
    /// A name or an address (without brackets), and a port.
    Tcp(String, u16),
    /// A Unix socket.
    Unix(PathBuf),
}

/// Whom to trust, and as whom to appear.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TlsSettings {
    /// Authorities, PEM, instead of the system's.
    pub ca: Option<PathBuf>,
    /// Own certificate chain and key, PEM, for an upstream that asks for one.
    pub certificate: Option<(PathBuf, PathBuf)>,
    /// The name to ask for and to verify, if it is not the URL's host.
    pub server_name: Option<String>,
    /// Accept any certificate. Said loudly at each start.
    pub insecure: bool,
}

/// What is spoken to an upstream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// With TLS: HTTP/2 where the upstream offers it (ALPN), else HTTP/1.1. Without TLS: HTTP/1.1.
    #[default]
    Auto,
    /// HTTP/1.1 alone.
    Http1,
    /// HTTP/2 alone; without TLS by prior knowledge.
    Http2,
    /// FastCGI, one request at a time on a connection.
    #[serde(rename = "fastcgi")]
    FastCgi,
}

/// Which endpoint is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Balance {
    /// Of two drawn at random by weight, the one with fewer requests in flight for its weight (power of two choices).
    #[default]
    LeastRequests,
    /// In turn, smoothly by weight.
    RoundRobin,
}

/// Connections kept to an upstream.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PoolSettings {
    /// An idle connection is closed after this long. Must be below the upstream's own.
    pub idle: Duration,
    /// Idle for less than this, a connection is good enough for a request that must not be sent twice.
    pub fresh: Duration,
    /// So many connections are kept ready by all threads together.
    pub warm: usize,
    /// Of idle connections, all threads together.
    pub max_idle: usize,
    /// A connection is not used for longer than this in all.
    pub max_age: Duration,
    /// Nor for more requests.
    pub max_requests: u32,
}

/// Bounds of what goes on at a time; all threads together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LimitSettings {
    /// Connections to the upstream, idle ones included.
    pub connections: usize,
    /// Requests that wait for a connection.
    pub pending: usize,
    /// Requests in flight, those that wait included.
    pub requests: usize,
    /// Requests that are being sent again.
    pub retries: usize,
    /// A response's head, in bytes.
    pub head_bytes: usize,
}

/// How long things may take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TimeoutSettings {
    /// Name, TCP and TLS together, for one attempt.
    pub connect: Duration,
    /// From the request's end (or the last byte of it sent) to the response's first byte.
    pub first_byte: Duration,
    /// Between two pieces of a body, either way.
    pub idle: Duration,
    /// The whole of it, retries included. None: no bound (streams).
    pub request: Option<Duration>,
    /// Between two pieces of an upgraded connection (WebSocket), either way.
    pub tunnel: Duration,
}

/// When a request is sent again.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RetrySettings {
    /// How often at most, besides the first time. The keep-alive race does not count.
    pub attempts: u32,
    /// Statuses for which it is; only if the request is idempotent and its body is still there.
    pub statuses: Vec<u16>,
    /// Of all requests, the share that may be sent again (besides a few a second that always may).
    pub budget: f64,
    /// The first wait; doubled each time, and jittered over its whole length.
    pub backoff: Duration,
    /// No wait is longer.
    pub max_backoff: Duration,
    /// So many bytes of a body are kept so that they can be sent again.
    pub replay_bytes: usize,
}

/// When requests are answered at once, without asking the upstream.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BreakerSettings {
    /// The share of failures (no connection, no answer, 502, 503, 504) that opens it …
    pub failures: f64,
    /// … among at least so many requests …
    pub requests: u32,
    /// … within this time.
    pub window: Duration,
    /// How long it stays open; then so many trials decide.
    pub open: Duration,
    /// Trials at a time, and successes in a row that close it.
    pub trials: u32,
}

/// When one endpoint among several is taken out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OutlierSettings {
    /// Failures in a row.
    pub consecutive: u32,
    /// For how long: times the number of times it was taken out.
    pub ejection: Duration,
    /// No longer than this.
    pub max_ejection: Duration,
    /// At most this share of the endpoints is out at a time.
    pub max_share: f64,
}

/// How an endpoint is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HealthSettings {
    /// A path; GET, expecting 200 to 299.
    pub path: String,
    /// How often, jittered by a tenth.
    pub every: Duration,
    /// How long an answer may take.
    pub timeout: Duration,
    /// Good answers in a row that bring an endpoint back.
    pub healthy: u32,
    /// Bad ones that take it out.
    pub unhealthy: u32,
}

/// How names become addresses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ResolveSettings {
    /// The DNS servers that are asked; none: those of resolv.conf.
    pub servers: Vec<SocketAddr>,
    /// No answer is believed for less …
    pub min_ttl: Duration,
    /// … or for more than this.
    pub max_ttl: Duration,
    /// How long asking may take.
    pub timeout: Duration,
}

// === impl PoolSettings ===

impl PoolSettings {
    /// Of an upstream of FastCGI. A process of PHP-FPM, or of a Perl program, serves nobody else as long as a connection
    /// to it is kept: what is idle is closed soon, and what is busy after a while, so that others get their turn.
    pub fn fastcgi() -> Self {
        Self {
            idle: Duration::from_millis(50),
            fresh: Duration::from_millis(50),
            max_age: Duration::from_secs(1),
            ..Self::default()
        }
    }
}

impl Default for PoolSettings {
    fn default() -> Self {
        Self {
            // Below the 5 s of Node.js and Apache, the shortest of the servers in wide use; shorter where an upstream
            // says so (Keep-Alive: timeout).
            idle: Duration::from_secs(4),
            fresh: Duration::from_secs(1),
            warm: 0,
            max_idle: 256,
            max_age: Duration::from_secs(600),
            // nginx's own default bound (keepalive_requests).
            max_requests: 1000,
        }
    }
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self { connections: 1024, pending: 1024, requests: 4096, retries: 64, head_bytes: 64 * 1024 }
    }
}

impl Default for TimeoutSettings {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(2),
            first_byte: Duration::from_secs(30),
            idle: Duration::from_secs(30),
            request: None,
            tunnel: Duration::from_secs(3600),
        }
    }
}

impl Default for RetrySettings {
    fn default() -> Self {
        Self {
            attempts: 1,
            statuses: Vec::new(),
            budget: 0.2,
            backoff: Duration::from_millis(25),
            max_backoff: Duration::from_millis(250),
            replay_bytes: 64 * 1024,
        }
    }
}

impl Default for BreakerSettings {
    fn default() -> Self {
        Self { failures: 0.5, requests: 20, window: Duration::from_secs(10), open: Duration::from_secs(5), trials: 3 }
    }
}

impl Default for OutlierSettings {
    fn default() -> Self {
        Self {
            consecutive: 5,
            ejection: Duration::from_secs(10),
            max_ejection: Duration::from_secs(300),
            max_share: 0.5,
        }
    }
}

impl Default for ResolveSettings {
    fn default() -> Self {
        Self {
            servers: Vec::new(),
            min_ttl: Duration::from_secs(1),
            max_ttl: Duration::from_secs(300),
            timeout: Duration::from_secs(5),
        }
    }
}

impl UpstreamSettings {
    /// With every default, for the tests and as a start for the file's reader.
    pub fn new(name: impl Into<String>, origins: Vec<Origin>) -> Self {
        Self {
            name: name.into(),
            is_tier: false,
            origins,
            tls: TlsSettings::default(),
            http: Protocol::default(),
            balance: Balance::default(),
            pool: PoolSettings::default(),
            limits: LimitSettings::default(),
            timeouts: TimeoutSettings::default(),
            retry: RetrySettings::default(),
            breaker: Some(BreakerSettings::default()),
            outlier: Some(OutlierSettings::default()),
            health: None,
            resolve: ResolveSettings::default(),
        }
    }
}
