//! The principal type is [`PassedOver`]: why a line of a log is not sent.

/// Why a line of a log is not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PassedOver {
    Empty,
    /// Not in the combined log format: cut, or of another kind.
    NoEntry,
    /// No request of HTTP/1.0 or later.
    NoRequest,
    /// Not GET: its body is in no log.
    Method,
    NoAnswer,
    /// Answered 1xx: the connection changed its protocol (WebSocket), which a GET alone does not repeat.
    Informational,
    /// Answered 206: the requested range is in no log.
    Partial,
    /// Answered 400 or above.
    Failed,
    OtherHost,
    /// The target begins neither with a slash nor with `http://` or `https://`.
    NoPath,
    /// A blank in the target, which no request can carry.
    Blank,
    /// A `#` in the target, which no request can carry.
    Fragment,
    /// More than 8 KiB.
    Long,
    /// A new target beyond the maximum of distinct ones.
    Surplus,
}

impl PassedOver {
    /// All, in the order in which they are shown.
    pub const ALL: [Self; 14] = [
        Self::Empty,
        Self::NoEntry,
        Self::NoRequest,
        Self::Method,
        Self::NoAnswer,
        Self::Informational,
        Self::Partial,
        Self::Failed,
        Self::OtherHost,
        Self::NoPath,
        Self::Blank,
        Self::Fragment,
        Self::Long,
        Self::Surplus,
    ];

    /// Name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::NoEntry => "no_entry",
            Self::NoRequest => "no_request",
            Self::Method => "method",
            Self::NoAnswer => "no_answer",
            Self::Informational => "informational",
            Self::Partial => "partial",
            Self::Failed => "failed",
            Self::OtherHost => "other_host",
            Self::NoPath => "no_path",
            Self::Blank => "blank",
            Self::Fragment => "fragment",
            Self::Long => "long",
            Self::Surplus => "surplus",
        }
    }

    /// Describes such lines, to follow their number.
    pub fn about(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::NoEntry => "no entry in the combined log format (cut, or of another kind)",
            Self::NoRequest => "without a request of HTTP/1.0 or later",
            Self::Method => "of other methods than GET, whose bodies are in no log",
            Self::NoAnswer => "that the server did not answer",
            Self::Informational => "answered 1xx (WebSockets), which a GET does not repeat",
            Self::Partial => "answered 206 (a part of a file): the range is in no log",
            Self::Failed => "answered 400 or above",
            Self::OtherHost => "with an absolute URL of another host",
            Self::NoPath => "with a target that is no path",
            Self::Blank => "with a blank in the target, which no request can carry",
            Self::Fragment => "with a # in the target, which no request can carry",
            Self::Long => "with a target of more than 8 KiB",
            Self::Surplus => "with a target beyond the first 100,000 different ones, or beyond 64 MiB of them",
        }
    }
}
