//! The principal type is [`Settings`]: what `serve` does, with every default filled in. `config` reads them from a file.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use unladen_pool::UpstreamSettings;

/// What `serve` does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Settings {
    /// Threads that carry requests.
    pub threads: usize,
    /// How long requests in flight may take when it stops or hands over.
    pub drain: Duration,
    /// Where it shows itself.
    pub admin: Option<AdminSettings>,
    /// The access log.
    pub log: Option<LogSettings>,
    /// Traces and metrics for a collector.
    pub otlp: Option<OtlpSettings>,
    /// Beside the application.
    pub beside: Vec<BesideSettings>,
    /// In front of applications.
    pub front: Vec<crate::front::FrontSettings>,
}

/// Where `serve` shows itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AdminSettings {
    /// Loopback or a Unix socket.
    pub listen: ListenAddress,
}

/// The access log: JSON, a request a line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LogSettings {
    /// None: standard error. A file is opened anew at each reload, for logrotate.
    pub file: Option<PathBuf>,
    /// The share of requests that is written; those with a status of 500 or more, and those that failed, always are.
    pub sample: f64,
}

/// A collector of OpenTelemetry, by OTLP over HTTP.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OtlpSettings {
    /// `http://127.0.0.1:4318`: `/v1/traces` and `/v1/metrics` are added.
    pub endpoint: String,
    /// The share of requests without a decision of their caller (`traceparent`) that is traced.
    pub sample: f64,
    /// How often metrics are sent.
    pub every: Duration,
    /// `service.name`.
    pub service: String,
}

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
pub struct BesideSettings {
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
    /// Bounds of the clients.
    pub client: ClientSettings,
    /// Bounds of rates.
    pub rates: Vec<RateSettings>,
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
    /// This.
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
    /// Between requests.
    pub idle: Duration,
    /// Streams of HTTP/2 at a time on a connection.
    pub streams: u32,
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
}

impl Default for ClientSettings {
    fn default() -> Self {
        Self {
            connections: 16 * 1024,
            head_bytes: 64 * 1024,
            fields: 128,
            body_bytes: None,
            head_timeout: Duration::from_secs(10),
            idle: Duration::from_secs(60),
            streams: 128,
        }
    }
}
