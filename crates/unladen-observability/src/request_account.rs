//! The principal type is [`RequestAccount`]: one completed request, the source of metrics, access log and traces.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use unladen_http1::Fields;

use crate::cause::Cause;
use crate::reason::Reason;

/// One request, from its head to the end of its response.
#[derive(Clone, Debug)]
pub struct RequestAccount<'a> {
    /// The upstream's name, from the `[[outbound]]` table.
    pub upstream: &'a str,
    pub endpoint: Option<&'a unladen_pool::Address>,
    pub method: &'a [u8],
    pub target: &'a [u8],
    /// The client's `Host`.
    pub authority: &'a [u8],
    pub client_version: Version,
    /// `None` if the upstream was not reached.
    pub upstream_version: Option<Version>,
    /// Status sent to the client; 0 if none.
    pub status: u16,
    pub end: End,
    pub reuse: Reuse,
    /// Times it was sent, repeats after the keep-alive race included.
    pub attempts: u32,
    /// When the head's first byte was read.
    pub began: Instant,
    /// From `began` until the request's head was complete.
    pub head: Duration,
    pub connected: Option<Duration>,
    pub first_byte: Option<Duration>,
    /// From `began` until the response's last byte was written, or the request was given up.
    pub total: Duration,
    pub bytes_in: u64,
    pub bytes_out: u64,
    /// The client's address, as far as known; `None` for a Unix socket.
    pub client: Option<IpAddr>,
    /// Further request fields; `None` if it was no request.
    pub fields: Option<&'a Fields>,
    pub request_id: &'a [u8],
    pub trace: Option<Trace>,
    /// For sites: what the cache did, and the reason in a word.
    pub cache: Option<(CacheResult, &'static str)>,
    /// The upstream's last error, even if another attempt succeeded.
    pub cause: Option<&'a Cause>,
    /// For sites: the fetch made for this request.
    pub fetched: Option<FetchRecord<'a>>,
}

impl<'a> RequestAccount<'a> {
    /// Account of a request that no upstream was asked for; all other fields are unknown.
    pub fn unasked(upstream: &'a str, status: u16, end: End, began: Instant, total: Duration) -> Self {
        Self {
            upstream,
            endpoint: None,
            method: b"",
            target: b"",
            authority: b"",
            client_version: Version::Http11,
            upstream_version: None,
            status,
            end,
            reuse: Reuse::None,
            attempts: 0,
            began,
            head: Duration::ZERO,
            connected: None,
            first_byte: None,
            total,
            bytes_in: 0,
            bytes_out: 0,
            client: None,
            fields: None,
            request_id: b"",
            trace: None,
            cache: None,
            cause: None,
            fetched: None,
        }
    }

    /// The upstream's part: of this request, or of the fetch for it.
    pub fn asked(&self) -> FetchRecord<'a> {
        self.fetched.unwrap_or(FetchRecord {
            endpoint: self.endpoint,
            upstream_version: self.upstream_version,
            reuse: self.reuse,
            attempts: self.attempts,
            request_id: self.request_id,
            cause: self.cause,
        })
    }
}

/// A fetch made for another request, as shown in that request's log line. It is also counted and traced as its own
/// request.
#[derive(Clone, Copy, Debug)]
pub struct FetchRecord<'a> {
    pub endpoint: Option<&'a unladen_pool::Address>,
    pub upstream_version: Option<Version>,
    pub reuse: Reuse,
    pub attempts: u32,
    pub request_id: &'a [u8],
    pub cause: Option<&'a Cause>,
}

/// What the cache did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum CacheResult {
    Hit,
    /// Answered from memory, since a validator said that the page is current.
    Validated,
    /// Answered from memory with a stale response that may still be served.
    Stale,
    Revalidated,
    /// Shares the answer of a concurrent request for the same page.
    Collapsed,
    /// The application answered, and the cache stored it, or tried to.
    Miss,
    /// The application answered without the cache.
    Pass,
    /// A file of the site; no cache, no application.
    File,
    /// The site's own answer (a purge, a redirect, a bound).
    #[strum(serialize = "local_reply")]
    Own,
}

/// A version of HTTP, named as in OpenTelemetry's `network.protocol.version`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(const_into_str)]
pub enum Version {
    #[strum(serialize = "1.0")]
    Http10,
    #[strum(serialize = "1.1")]
    Http11,
    #[strum(serialize = "2")]
    Http2,
}

/// How a connection was obtained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Reuse {
    #[default]
    None,
    /// This thread had it idle, or (HTTP/2) open.
    #[strum(serialize = "same_thread")]
    Own,
    #[strum(serialize = "other_thread")]
    Sibling,
    New,
    Resumed,
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum End {
    Answered,
    #[strum(serialize = "local_reply")]
    Local(Reason),
    /// The upstream's answer broke off, and so did the client's.
    Broken(Reason),
    ClientGone,
    /// The connection switched to another protocol (WebSocket), and ended as that.
    Upgraded,
}

/// W3C trace context, level 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trace {
    pub trace_id: [u8; 16],
    /// The caller's span; `None` if the trace began here.
    pub parent_id: Option<[u8; 8]>,
    pub span_id: [u8; 8],
    /// Whether it is sent to the collector.
    pub sampled: bool,
}

impl CacheResult {
    /// All results.
    pub const ALL: &[Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Whether the application rendered nothing for this client.
    pub fn is_saved(self) -> bool {
        matches!(self, Self::Hit | Self::Validated | Self::Stale | Self::Revalidated | Self::Collapsed)
    }
}

impl From<unladen_pool::LeaseSource> for Reuse {
    fn from(source: unladen_pool::LeaseSource) -> Self {
        match source {
            unladen_pool::LeaseSource::Own => Self::Own,
            unladen_pool::LeaseSource::Sibling => Self::Sibling,
            unladen_pool::LeaseSource::New => Self::New,
            unladen_pool::LeaseSource::Resumed => Self::Resumed,
        }
    }
}

/// A method of OpenTelemetry's conventions, or any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "UPPERCASE", const_into_str)]
pub enum Method {
    /// RFC 9110, as those below.
    Get,
    Head,
    Post,
    Put,
    Delete,
    Connect,
    Options,
    Trace,
    /// RFC 5789.
    Patch,
    #[strum(serialize = "_OTHER")]
    Other,
}

impl Method {
    /// Method of this name, which is case-sensitive.
    pub fn of(name: &[u8]) -> Self {
        match name {
            b"GET" => Self::Get,
            b"HEAD" => Self::Head,
            b"POST" => Self::Post,
            b"PUT" => Self::Put,
            b"DELETE" => Self::Delete,
            b"CONNECT" => Self::Connect,
            b"OPTIONS" => Self::Options,
            b"TRACE" => Self::Trace,
            b"PATCH" => Self::Patch,
            _ => Self::Other,
        }
    }
}
