//! The principal type is [`HttpVersion`]: which version of HTTP to speak; a [`Protocol`] is the one negotiated.

use serde::{Deserialize, Serialize};

/// Which version of HTTP to speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum HttpVersion {
    /// The server's preference of both over TLS (ALPN); HTTP/1.1 without TLS.
    #[default]
    Auto,
    Http1,
    /// HTTP/2; without TLS by prior knowledge (RFC 9113, section 3.3).
    Http2,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(const_into_str)]
pub(crate) enum Protocol {
    #[strum(serialize = "HTTP/1.1")]
    Http1,
    #[strum(serialize = "HTTP/2")]
    Http2,
}
