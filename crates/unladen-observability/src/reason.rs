//! The principal type is [`Reason`]: why the client did not get the upstream's answer.

/// Why the client did not get the upstream's answer; the value of the response's `X-Unladen-Reason`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Reason {
    /// Not valid HTTP (RFC 9112).
    Malformed(unladen_http1::Fault),
    BodyTooLarge,
    /// The request's head, or a piece of its body, took too long.
    ClientTimeout,
    /// The rate limit of the listener, or of a header value.
    RateLimited,
    BreakerOpen,
    TooManyRequests,
    TooManyPending,
    NoEndpoint,
    ConnectFailed,
    ConnectTimeout,
    TlsFailed,
    UpstreamClosed,
    UpstreamTimeout,
    UpstreamMalformed,
    /// It answered with a status that calls for a retry, which was not possible.
    UpstreamStatus,
    DeadlineExceeded,
    NoUpgrade,
    Draining,
    TooManyOfClient,
    /// The request wants a stored response only (`only-if-cached`), and there is none.
    OnlyIfCached,
    PurgeForbidden,
    TooManyUploads,
    BufferFull,
    DiskFailed,
    OutOfFiles,
    QueueFull,
    QueueTimeout,
    /// Requests have waited too long for a while: the oldest are answered at once.
    Overloaded,
    /// The listen backlog of the application is full: it accepts connections more slowly than they come.
    BacklogFull,
    /// The requested name is not served there (RFC 9110, section 15.5.20).
    Misdirected,
    Unauthorized,
    AccessForbidden,
    BadPath,
    NotFound,
    FileDenied,
    MethodNotAllowed,
    FileFailed,
    NotForPeers,
    /// The request has come back through the nodes that passed it on (RFC 8586).
    LoopDetected,
}

impl Reason {
    /// Name in logs, metrics and the response.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Malformed(fault) => fault.into_str(),
            other => other.into(),
        }
    }

    /// Status of the answer.
    pub fn status(self) -> u16 {
        match self {
            Self::Malformed(fault) => fault.status(),
            Self::BodyTooLarge => 413,
            Self::ClientTimeout => 408,
            Self::RateLimited | Self::TooManyOfClient | Self::TooManyUploads => 429,
            Self::PurgeForbidden | Self::AccessForbidden => 403,
            Self::Misdirected | Self::NotForPeers => 421,
            Self::LoopDetected => 508,
            Self::Unauthorized => 401,
            Self::BreakerOpen
            | Self::TooManyRequests
            | Self::TooManyPending
            | Self::NoEndpoint
            | Self::OutOfFiles
            | Self::Draining
            | Self::BufferFull
            | Self::QueueFull
            | Self::QueueTimeout
            | Self::Overloaded
            | Self::BacklogFull => 503,
            Self::DiskFailed => 507,
            Self::ConnectFailed
            | Self::TlsFailed
            | Self::UpstreamClosed
            | Self::UpstreamMalformed
            | Self::UpstreamStatus => 502,
            Self::ConnectTimeout | Self::UpstreamTimeout | Self::DeadlineExceeded | Self::OnlyIfCached => 504,
            Self::NoUpgrade => 501,
            Self::BadPath => 400,
            Self::NotFound => 404,
            Self::FileDenied => 403,
            Self::MethodNotAllowed => 405,
            Self::FileFailed => 500,
        }
    }

    /// Whether it is the upstream's fault, and counts against it.
    pub fn is_upstreams(self) -> bool {
        matches!(
            self,
            Self::ConnectFailed
                | Self::ConnectTimeout
                | Self::TlsFailed
                | Self::UpstreamClosed
                | Self::UpstreamTimeout
                | Self::UpstreamMalformed
                | Self::UpstreamStatus
        )
    }

    /// Whether another attempt may succeed.
    pub fn may_be_tried_again(self) -> bool {
        matches!(
            self,
            Self::ConnectFailed
                | Self::ConnectTimeout
                | Self::TlsFailed
                | Self::UpstreamClosed
                | Self::UpstreamStatus
                | Self::BacklogFull
        )
    }
}
