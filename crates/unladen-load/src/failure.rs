//! The principal type is [`Failure`]: why one exchange over an open connection failed, before it is known whether that
//! is worth a word to anyone: it may be tried again.

use std::error::Error;
use std::io;

use unladen_tls::TlsFault;

use crate::error::{LoadError, Stage};
use crate::request::Request;

/// Why one exchange failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// What hyper says of connection, head or body.
    Hyper(hyper::Error),
    /// There is more of the body than may be.
    BodyTooLarge { announced: Option<u64> },
}

/// Where it happened.
pub(crate) struct Scene<'a> {
    pub(crate) request: &'a Request,
    pub(crate) target: String,
    pub(crate) stage: Stage,
    pub(crate) version: &'static str,
    pub(crate) max_body: u64,
}

// === impl Failure ===

impl Failure {
    /// Whether a server that closes a connection it had kept open would look like this from here.
    pub(crate) fn is_closed(&self) -> bool {
        match self {
            Self::Hyper(error) => {
                error.is_incomplete_message() || error.is_canceled() || error.is_closed() || has_ended(error)
            }
            Self::BodyTooLarge { .. } => false,
        }
    }

    /// Tells it to the user.
    pub(crate) fn explain(self, scene: Scene<'_>) -> LoadError {
        let request = scene.request.name().to_owned();
        let is_closed = self.is_closed();
        match self {
            Self::BodyTooLarge { announced } => LoadError::BodyTooLarge { request, limit: scene.max_body, announced },
            // In TLS 1.3 a server may refuse the client when the client believes the handshake to be done.
            Self::Hyper(error) if find::<rustls::Error>(&error).is_some() => {
                let source = io::Error::other(
                    find::<rustls::Error>(&error).cloned().unwrap_or(rustls::Error::HandshakeNotComplete),
                );
                LoadError::Tls { target: scene.target, fault: TlsFault::of(&source), source }
            }
            Self::Hyper(source) if is_closed => LoadError::ClosedEarly {
                request,
                stage: scene.stage,
                version: scene.version,
                target: scene.target,
                source,
            },
            Self::Hyper(source) => LoadError::Protocol { request, version: scene.version, source },
        }
    }
}

/// Whether the transport ended, or HTTP/2 said in good order that it would (RFC 9113, sections 6.8 and 8.7).
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

/// The first error of this type in the chain of sources.
fn find<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        // An io::Error passes over the error inside it, and names that one's source as its own.
        if let Some(inner) = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            return find(inner);
        }
        next = error.source();
    }
    None
}

/// What the last error in the chain of sources says: the one that knows most.
pub(crate) fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}
