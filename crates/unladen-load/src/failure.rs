//! The principal type is [`Failure`]: why one exchange over an open connection failed. It may be tried again before it
//! counts as an error.

use std::io;

use unladen_tls::TlsFault;

use crate::error::{LoadError, Stage, find};
use crate::request::Request;

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

/// Where an exchange failed, without which its [`Failure`] says little.
pub(crate) struct Scene<'a> {
    pub(crate) request: &'a Request,
    pub(crate) target: String,
    pub(crate) stage: Stage,
    pub(crate) version: &'static str,
    pub(crate) max_body: u64,
}

impl Scene<'_> {
    pub(crate) fn explain(self, failure: Failure) -> LoadError {
        let request = self.request.name().to_owned();
        let is_closed = failure.is_closed();
        match failure {
            Failure::BodyTooLarge { announced } => LoadError::BodyTooLarge { request, limit: self.max_body, announced },
            // In TLS 1.3 a server may refuse the client after the client has finished the handshake.
            Failure::Hyper(error) if find::<rustls::Error>(&error).is_some() => {
                let source = io::Error::other(
                    find::<rustls::Error>(&error).cloned().unwrap_or(rustls::Error::HandshakeNotComplete),
                );
                LoadError::Tls { target: self.target, fault: TlsFault::of(&source), source }
            }
            Failure::Hyper(source) if is_closed => LoadError::ClosedEarly {
                request,
                stage: self.stage,
                version: self.version,
                target: self.target,
                source,
            },
            Failure::Hyper(source) => LoadError::Protocol { request, version: self.version, source },
        }
    }
}
