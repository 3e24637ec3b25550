//! The principal type is [`RequestAccount`]: one request, told once it is over. Metrics, the access log and traces are made of
//! it.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use unladen_http1::Fields;

use crate::cause::Cause;
use crate::reason::Reason;

/// One request, from its head to its response's end.
#[derive(Clone, Debug)]
pub struct RequestAccount<'a> {
    /// The upstream's name, which is the `[[outbound]]` table's.
    pub upstream: &'a str,
    /// The endpoint that answered last, or failed last.
    pub endpoint: Option<&'a unladen_pool::Address>,
    /// GET …
    pub method: &'a [u8],
    /// Path and query.
    pub target: &'a [u8],
    /// What the client said as Host.
    pub authority: &'a [u8],
    /// HTTP's version, of the client's side.
    pub client_version: Version,
    /// Of the upstream's, if it was reached.
    pub upstream_version: Option<Version>,
    /// What the client was answered; 0: nothing.
    pub status: u16,
    pub end: End,
    /// How the last attempt's connection was come by.
    pub reuse: Reuse,
    /// Times it was sent, the keep-alive race included; 0: never.
    pub attempts: u32,
    /// The head's first byte was read.
    pub began: Instant,
    /// From there until the request's head was whole.
    pub head: Duration,
    /// From `began`, until a connection was there (for the last attempt).
    pub connected: Option<Duration>,
    /// From `began`, until the response's head was there.
    pub first_byte: Option<Duration>,
    /// From `began`, until the response's last byte was written, or all was given up.
    pub total: Duration,
    /// Bytes of the request's body.
    pub bytes_in: u64,
    /// Bytes of the response's body.
    pub bytes_out: u64,
    /// For whom it is, as far as that is known; none: of a Unix socket.
    pub client: Option<IpAddr>,
    /// What the request said besides; none: it was no request.
    pub fields: Option<&'a Fields>,
    /// `X-Request-Id`, as sent on.
    pub request_id: &'a [u8],
    /// W3C trace context, as sent on.
    pub trace: Option<Trace>,
    /// In front of an application: what the cache did, and why, in a word.
    pub cache: Option<(CacheResult, &'static str)>,
    /// What went wrong last at the upstream, also if another attempt did better.
    pub cause: Option<&'a Cause>,
    /// In front of an application: what was fetched for it.
    pub fetched: Option<FetchRecord<'a>>,
}

impl<'a> RequestAccount<'a> {
    /// Of one for which no upstream was asked, and of which nothing else is known.
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

    /// What was asked of the upstream: by this request, or for it.
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

/// Of a request that was fetched for another: what that one's line in the log tells of it. It is counted and traced as
/// a request of its own.
#[derive(Clone, Copy, Debug)]
pub struct FetchRecord<'a> {
    /// As of [`RequestAccount`].
    pub endpoint: Option<&'a unladen_pool::Address>,
    /// As of [`RequestAccount`].
    pub upstream_version: Option<Version>,
    /// As of [`RequestAccount`].
    pub reuse: Reuse,
    /// As of [`RequestAccount`].
    pub attempts: u32,
    /// As of [`RequestAccount`].
    pub request_id: &'a [u8],
    /// As of [`RequestAccount`].
    pub cause: Option<&'a Cause>,
}

/// What the cache did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheResult {
    /// It answered from memory.
    Hit,
    /// It answered from memory, as a validator said that the page is current.
    Validated,
    /// It answered from memory with what is stale, and may be served all the same.
    Stale,
    /// The application said that what is in memory is still good.
    Revalidated,
    /// Another request for the same was under way: its answer is this one's too.
    Collapsed,
    /// The application answered, and the cache keeps it, or tried to.
    Miss,
    /// The application answered, and the cache had no part in it.
    Pass,
    /// Neither: a file of the site.
    File,
    /// Neither: the site itself answered (a purge, a redirect, a bound).
    Own,
}

/// A version of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// 1.0
    Http10,
    /// 1.1
    Http11,
    /// 2
    Http2,
}

/// How a connection was come by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reuse {
    /// None was asked for.
    None,
    /// This thread had it idle, or (HTTP/2) open.
    Own,
    /// Another thread had it.
    Sibling,
    /// It was made, with a whole handshake if it has TLS.
    New,
    /// It was made, with a resumed TLS session.
    Resumed,
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With the upstream's answer, whole.
    Answered,
    /// With an answer of our own.
    Local(Reason),
    /// The upstream's answer broke off, and so did ours.
    Broken(Reason),
    /// The client left.
    ClientGone,
    /// The connection became another protocol's (WebSocket), and ended as that.
    Upgraded,
}

/// W3C trace context, level 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Of the whole.
    pub trace_id: [u8; 16],
    /// Of the caller's span; none if the trace began here.
    pub parent_id: Option<[u8; 8]>,
    /// Of the span that was made here.
    pub span_id: [u8; 8],
    /// Whether it is sent to the collector.
    pub sampled: bool,
}

impl CacheResult {
    /// All there are.
    pub const ALL: [Self; 9] = [
        Self::Hit,
        Self::Validated,
        Self::Stale,
        Self::Revalidated,
        Self::Collapsed,
        Self::Miss,
        Self::Pass,
        Self::File,
        Self::Own,
    ];

    /// Its name in logs and metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hit => "hit",
            Self::Validated => "validated",
            Self::Stale => "stale",
            Self::Revalidated => "revalidated",
            Self::Collapsed => "collapsed",
            Self::Miss => "miss",
            Self::Pass => "pass",
            Self::File => "file",
            Self::Own => "local_reply",
        }
    }

    /// Whether the client was answered without the application rendering anything for it.
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
