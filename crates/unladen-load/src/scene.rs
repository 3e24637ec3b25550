//! The principal type is [`Scene`]: where an exchange failed, without which its [`Failure`] says little.

use std::io;

use unladen_tls::TlsFault;

use crate::error::LoadError;
use crate::failure::Failure;
use crate::request::Request;
use crate::sources::find;
use crate::stage::Stage;

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
