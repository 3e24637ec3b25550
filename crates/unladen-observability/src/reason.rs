//! The principal type is [`Reason`]: why the upstream's answer is not what the client got.

/// Why the upstream's answer is not what the client got. The value of the response's `X-Unladen-Reason`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The request is none (RFC 9112).
    Malformed(unladen_http1::Fault),
    /// Its body is longer than is allowed.
    BodyTooLarge,
    /// Its head, or a piece of its body, took too long.
    ClientTimeout,
    /// The listener's rate, or a header value's.
    RateLimited,
    BreakerOpen,
    /// As many requests are in flight as may be.
    TooManyRequests,
    /// As many requests wait for a connection as may.
    TooManyPending,
    /// No endpoint is healthy, or the name has no address.
    NoEndpoint,
    /// No connection could be made.
    ConnectFailed,
    /// Making one took too long.
    ConnectTimeout,
    /// TLS: its certificate could not be verified, or the handshake failed.
    TlsFailed,
    /// The upstream closed before it answered.
    UpstreamClosed,
    /// It did not answer in time.
    UpstreamTimeout,
    /// What it answered is no HTTP.
    UpstreamMalformed,
    /// It answered with a status for which the request is sent again, and could not be.
    UpstreamStatus,
    /// The whole took too long.
    DeadlineExceeded,
    /// The upgrade to another protocol cannot be had here.
    NoUpgrade,
    /// `serve` is stopping.
    Draining,
    /// As many requests of this client are under way as may be.
    TooManyOfClient,
    /// The request wants what is stored alone (`only-if-cached`), and nothing is.
    OnlyIfCached,
    /// This address may not purge.
    PurgeForbidden,
    /// As many uploads of this client, or of its network, are under way as may be.
    TooManyUploads,
    /// There is no room now for its body to wait in.
    BufferFull,
    /// The disk did not take its body.
    DiskFailed,
    /// No file descriptor is left to connect with.
    OutOfFiles,
    /// As many requests wait for the application as may.
    QueueFull,
    /// It waited for the application for as long as it may.
    QueueTimeout,
    /// Requests have waited for the application for too long at a stretch: the oldest of them are answered at once.
    Overloaded,
    /// The application does not accept connections as fast as they come: the system's queue for them is full.
    BacklogFull,
    /// The name that it asks for is none of those that are served there (RFC 9110, section 15.5.20).
    Misdirected,
    /// A route lets in those alone that have a password.
    Unauthorized,
    /// A route does not let this address in.
    AccessForbidden,
    /// The path is none that a client may send.
    BadPath,
    /// There is nothing by this path.
    NotFound,
    /// The system does not let this process read the file.
    FileDenied,
    /// Files are read alone.
    MethodNotAllowed,
    /// The file could not be read, or not to its end.
    FileFailed,
    /// A peer of the tier has to ask the application itself.
    NotForPeers,
    /// The request has come back to the nodes that passed it on (RFC 8586).
    LoopDetected,
}

impl Reason {
    /// Its name in logs, metrics and the response.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Malformed(fault) => fault.as_str(),
            Self::BodyTooLarge => "body_too_large",
            Self::ClientTimeout => "client_timeout",
            Self::RateLimited => "rate_limited",
            Self::BreakerOpen => "breaker_open",
            Self::TooManyRequests => "too_many_requests",
            Self::TooManyPending => "too_many_pending",
            Self::NoEndpoint => "no_endpoint",
            Self::ConnectFailed => "connect_failed",
            Self::ConnectTimeout => "connect_timeout",
            Self::TlsFailed => "tls_failed",
            Self::UpstreamClosed => "upstream_closed",
            Self::UpstreamTimeout => "upstream_timeout",
            Self::UpstreamMalformed => "upstream_malformed",
            Self::UpstreamStatus => "upstream_status",
            Self::DeadlineExceeded => "deadline_exceeded",
            Self::NoUpgrade => "no_upgrade",
            Self::Draining => "draining",
            Self::TooManyOfClient => "too_many_of_client",
            Self::OnlyIfCached => "only_if_cached",
            Self::PurgeForbidden => "purge_forbidden",
            Self::TooManyUploads => "too_many_uploads",
            Self::BufferFull => "buffer_full",
            Self::DiskFailed => "disk_failed",
            Self::OutOfFiles => "out_of_files",
            Self::QueueFull => "queue_full",
            Self::QueueTimeout => "queue_timeout",
            Self::Overloaded => "overloaded",
            Self::BacklogFull => "backlog_full",
            Self::Misdirected => "misdirected",
            Self::Unauthorized => "unauthorized",
            Self::AccessForbidden => "access_forbidden",
            Self::BadPath => "bad_path",
            Self::NotFound => "not_found",
            Self::FileDenied => "file_denied",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::FileFailed => "file_failed",
            Self::NotForPeers => "not_for_peers",
            Self::LoopDetected => "loop_detected",
        }
    }

    /// The status of the answer.
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

    /// Whether it is the upstream's doing, and so speaks against it.
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

    /// Whether another attempt may do better.
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
