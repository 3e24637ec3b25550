//! The principal type is [`Failure`]: why one exchange over an open connection failed. It may be tried again before it
//! counts as an error.

use std::io;

use crate::sources::find;

#[derive(Debug)]
pub(crate) enum Failure {
    Hyper(hyper::Error),
    BodyTooLarge { announced: Option<u64> },
}

impl Failure {
    /// Whether it looks like a server that closed a kept connection.
    pub(crate) fn is_closed(&self) -> bool {
        match self {
            Self::Hyper(error) => {
                error.is_incomplete_message() || error.is_canceled() || error.is_closed() || has_ended(error)
            }
            Self::BodyTooLarge { .. } => false,
        }
    }
}

/// Whether the transport ended, or HTTP/2 announced its end properly (RFC 9113, sections 6.8 and 8.7).
fn has_ended(error: &hyper::Error) -> bool {
    let transport = find::<io::Error>(error).is_some_and(|error| {
        matches!(
            error.kind(),
            io::ErrorKind::ConnectionReset
                | io::ErrorKind::ConnectionAborted
                | io::ErrorKind::BrokenPipe
                | io::ErrorKind::NotConnected
                | io::ErrorKind::UnexpectedEof
        )
    });
    let http2 = find::<h2::Error>(error).is_some_and(|error| {
        let refused = error.reason() == Some(h2::Reason::REFUSED_STREAM);
        let leaving = error.is_go_away() && error.is_remote() && error.reason() == Some(h2::Reason::NO_ERROR);
        let ended = error.get_io().is_some_and(|error| error.kind() != io::ErrorKind::InvalidData);
        refused || leaving || ended
    });
    transport || http2
}
