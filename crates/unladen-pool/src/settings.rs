//! The principal type is [`UpstreamSettings`]: an upstream's settings, with every default filled in.
//!
//! Values only: `unladen-serve` reads the file. Each `Default` is the product's default; its reason stands with it and
//! is what `unladen serve --explain` prints.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

/// Resolved settings of an upstream.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UpstreamSettings {
    pub name: String,
    /// Whether it is the peers of a tier, whose settings have other names.
    #[serde(skip)]
    pub is_tier: bool,
    pub origins: Vec<Origin>,
    pub tls: TlsSettings,
    pub http: Protocol,
    pub balance: Balance,
    pub pool: PoolSettings,
    pub limits: LimitSettings,
    pub timeouts: TimeoutSettings,
    pub retry: RetrySettings,
    /// Answers at once while the upstream is broken; `None` turns it off.
    pub breaker: Option<BreakerSettings>,
    /// Takes failing endpoints out for a while; `None` turns it off.
    pub outlier: Option<OutlierSettings>,
    /// Health checks; `None` turns them off.
    pub health: Option<HealthSettings>,
    pub resolve: ResolveSettings,
}

/// One address of an upstream.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Origin {
    /// Host and port, or a socket's path.
    pub at: EndpointAddress,
    pub tls: bool,
    /// Weight of each of its addresses among those of all origins, 1 to 1,000.
    pub weight: u32,
    /// `Host` and `:authority`, and without the port SNI: as in the URL.
    pub authority: String,
    /// Source of its endpoints: then `at` is only a name, and this is the upstream's only origin. `None`: they are at
    /// `at`.
    // Stored responses are found by their site's settings: settings without this field must stay the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discovery: Option<Discovery>,
}

/// Where to connect to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EndpointAddress {
    /// A name or an address (without brackets), and a port.
    Tcp(String, u16),
    Unix(PathBuf),
}

/// Trust and client identity in TLS.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TlsSettings {
    /// Certificate authorities in PEM, instead of the system's.
    pub ca: Option<PathBuf>,
    /// Client certificate chain and key, PEM, for an upstream that asks for one.
    pub certificate: Option<(PathBuf, PathBuf)>,
    /// Name for SNI and verification, if it is not the URL's host.
    pub server_name: Option<String>,
    /// Accept any certificate. A warning appears at each start.
    pub insecure: bool,
}

/// Protocol spoken to an upstream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// With TLS: HTTP/2 if the upstream offers it (ALPN), else HTTP/1.1. Without TLS: HTTP/1.1.
    #[default]
    Auto,
    /// HTTP/1.1 only.
    Http1,
    /// HTTP/2 only; without TLS by prior knowledge.
    Http2,
    /// FastCGI, one request at a time on a connection.
    #[serde(rename = "fastcgi")]
    FastCgi,
}

/// How an endpoint is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Balance {
    /// Of two drawn at random by weight, the one with fewer requests in flight relative to its weight (power of two
    /// choices).
    #[default]
    LeastRequests,
    /// In turn, smoothly by weight.
    RoundRobin,
}

/// Connections kept to an upstream.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PoolSettings {
    /// An idle connection is closed after this long. Must be below the upstream's own limit.
    pub idle: Duration,
    /// A connection idle for less than this may carry a request that must not be sent twice.
    pub fresh: Duration,
    /// Connections kept ready, by all threads together.
    pub warm: usize,
    /// Maximum of idle connections, all threads together.
    pub max_idle: usize,
    pub max_age: Duration,
    pub max_requests: u32,
}

/// Bounds of concurrent use; all threads together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LimitSettings {
    /// Connections to the upstream, idle ones included.
    pub connections: usize,
    pub pending: usize,
    /// Requests in flight, waiting ones included.
    pub requests: usize,
    pub retries: usize,
    /// Response head, in bytes.
    pub head_bytes: usize,
}

/// Time limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TimeoutSettings {
    /// Name lookup, TCP and TLS together, for one attempt.
    pub connect: Duration,
    /// From the end of the request (or the last byte of it sent) to the first byte of the response.
    pub first_byte: Duration,
    /// Between two pieces of a body, in either direction.
    pub idle: Duration,
    /// The whole request, retries included. `None` for no bound (streams).
    pub request: Option<Duration>,
    /// Between two pieces of an upgraded connection (WebSocket), in either direction.
    pub tunnel: Duration,
}

/// When a request is sent again.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RetrySettings {
    /// Maximum of retries. Repeats after the keep-alive race do not count.
    pub attempts: u32,
    /// Statuses that are retried, if the request is idempotent and its body is still available.
    pub statuses: Vec<u16>,
    /// Share of all requests that may be retried (besides a few a second that always may).
    pub budget: f64,
    /// First pause; doubled each time, and jittered over its whole length.
    pub backoff: Duration,
    pub max_backoff: Duration,
    /// Bytes of a body kept for a retry.
    pub replay_bytes: usize,
}

/// When requests are answered at once, without asking the upstream.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BreakerSettings {
    /// Share of failures (no connection, no answer, 502, 503, 504) that opens it …
    pub failures: f64,
    /// … of at least this many requests within `window`.
    pub requests: u32,
    pub window: Duration,
    /// Time it stays open, before trials.
    pub open: Duration,
    /// Concurrent trials, and consecutive successes that close it.
    pub trials: u32,
}

/// When one endpoint among several is taken out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OutlierSettings {
    pub consecutive: u32,
    /// Duration, multiplied by the number of times it was taken out.
    pub ejection: Duration,
    pub max_ejection: Duration,
    pub max_share: f64,
}

/// How an endpoint is checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HealthSettings {
    /// Path; GET, expecting 200 to 299.
    pub path: String,
    /// Interval, jittered by a tenth.
    pub every: Duration,
    pub timeout: Duration,
    /// Consecutive good answers that bring an endpoint back.
    pub healthy: u32,
    /// Consecutive bad answers that take it out.
    pub unhealthy: u32,
}

/// How names become addresses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ResolveSettings {
    /// DNS servers; `None` for those of resolv.conf.
    pub servers: Vec<SocketAddr>,
    pub min_ttl: Duration,
    pub max_ttl: Duration,
    pub timeout: Duration,
}

// === impl PoolSettings ===

impl PoolSettings {
    /// Settings for FastCGI. A process of PHP-FPM, or of a Perl program, serves nobody else while a connection to it is
    /// kept: idle ones are closed soon, and busy ones after a while, so that others get their turn.
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
    /// Settings with every default, for tests and as a start for the file's reader.
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

/// How the endpoints of an upstream are discovered.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Discovery {
    pub from: EndpointSource,
    /// Zone of this process, whose endpoints come first; `None` to ignore zones.
    pub zone: Option<String>,
}

/// Source of an upstream's endpoints.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EndpointSource {
    /// SRV records of a name such as `_http._tcp.app.example` (RFC 2782).
    Srv(String),
    File(PathBuf),
    Xds(XdsSource),
}

/// A cluster of a control plane.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct XdsSource {
    /// Whether TLS is used, verified against the system's authorities.
    pub tls: bool,
    /// A name or an address, without brackets.
    pub host: String,
    pub port: u16,
    pub cluster: String,
    pub node: String,
}

impl fmt::Display for EndpointSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Srv(name) => write!(f, "srv:{name}"),
            Self::File(path) => write!(f, "file:{}", path.display()),
            Self::Xds(XdsSource { tls, host, port, cluster, node }) => {
                let scheme = if *tls { "xdss" } else { "xds" };
                let host = if host.contains(':') { format!("[{host}]") } else { host.clone() };
                write!(f, "{scheme}://{host}:{port}/{cluster}?node={node}")
            }
        }
    }
}
