//! The principal type is [`Fault`]: why bytes are not an unambiguous HTTP/1 message.

/// What is wrong with a head or a body. A request is answered with [`Fault::status`], and the connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Fault {
    /// The head exceeds the limit of bytes.
    #[error("the head is too long")]
    HeadTooLong,
    #[error("the head has too many fields")]
    TooManyFields,
    /// The first line is malformed (RFC 9112, section 3 or 4).
    #[error("the first line is malformed")]
    StartLine,
    #[error("the version of HTTP is not supported")]
    Version,
    /// A field's line is malformed: spaces before the colon, obs-fold, a forbidden byte. In a request also a name that
    /// CGI would take for another (`Content_Length`), and a Connection that lists what cannot be removed.
    #[error("a header field is malformed")]
    Field,
    /// A line ends with a line feed alone, or a carriage return alone.
    #[error("a line does not end with CRLF")]
    LineEnd,
    /// The target is neither origin-form, nor absolute-form of http or https, nor the asterisk of OPTIONS.
    #[error("the request target is malformed")]
    Target,
    /// Missing, repeated or malformed (RFC 9112, section 3.2).
    #[error("the Host field is missing, repeated or malformed")]
    Host,
    /// Not a number, too large, or several that differ (RFC 9112, section 6.3).
    #[error("the Content-Length is malformed")]
    ContentLength,
    #[error("the message has both a Content-Length and a Transfer-Encoding")]
    TwoLengths,
    /// Transfer-Encoding other than `chunked` alone, or in HTTP/1.0.
    #[error("the Transfer-Encoding is not `chunked` alone")]
    TransferEncoding,
    /// A chunk's size, extension or end is malformed (RFC 9112, section 7.1).
    #[error("the chunked body is malformed")]
    Chunk,
    #[error("the trailers are malformed")]
    Trailers,
    /// CONNECT, which only a forward proxy answers; and `head`, `Connect` and the like, which not all tell apart from
    #[error("the method is not supported here")]
    Method,
}

impl Fault {
    /// The status of the answer to such a request.
    pub fn status(self) -> u16 {
        match self {
            Self::HeadTooLong | Self::TooManyFields => 431,
            Self::Version => 505,
            Self::TransferEncoding | Self::Method => 501,
            _ => 400,
        }
    }
}
