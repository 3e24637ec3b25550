//! Bodies on their way: where they come from ([`BodySource`]), where they go to ([`Sink`]), and what carries them over
//! ([`Pump`]). Most keep no more than one block, so a slow end holds up the other. HTTP/2 is bounded by its client's
//! share, a coding by its window; and a [`Relay`] spools what a slow client does not take as `[buffer]` says.

mod fastcgi_source;
mod file_source;
mod h1_sink;
mod h2_sink;
mod relay;
mod sink;
mod source;

use unladen_http1::Fault;

use super::spool::SpoolError;

pub(crate) use self::fastcgi_source::{FastCgiSource, Output};
pub(crate) use self::file_source::{FileSource, Piece, read_now};
pub(crate) use self::h1_sink::H1Sink;
pub(crate) use self::h2_sink::H2Sink;
pub(crate) use self::relay::{Relay, Relayed};
pub(crate) use self::sink::{PlainSink, Pump, PumpError, Sink};
pub(crate) use self::source::{BodySource, FetchSource, Guard, H1Source, H2Source, SpoolSource};

/// Why a body cannot be taken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SinkError {
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("{0}")]
    H2(#[from] h2::Error),
    #[error("the file became shorter while it was sent")]
    Shrunk,
    #[error("the connection was closed")]
    Gone,
}

/// Why a body broke off.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SourceError {
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("the connection ended before the body")]
    Closed,
    #[error("{0}")]
    Malformed(#[from] Fault),
    #[error("{0}")]
    FastCgi(#[from] unladen_fastcgi::Fault),
    #[error("{0}")]
    H2(#[from] h2::Error),
    #[error("the file became shorter while it was sent")]
    Shrunk,
    #[error("{0}")]
    Spool(#[from] SpoolError),
}

#[cfg(test)]
mod tests;
