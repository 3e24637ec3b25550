//! The principal type is [`Acceptor`]: as whom a site appears to its clients, by TLS.

mod certificates;
mod error;

use std::io;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs::Ticketer;
use rustls::server::{NoServerSessionStorage, ProducesTickets};
use rustls::version::{TLS12, TLS13};
use tokio_rustls::TlsAcceptor;
use unladen_pool::{Socket, Transport};
use unladen_serve_config::ServerTlsSettings;

use self::certificates::Certificates;
pub(crate) use self::error::AcceptorError;

/// Takes connections of TLS. Shared by all threads.
pub(crate) struct Acceptor {
    acceptor: TlsAcceptor,
    /// Kept over a reload, so that clients can go on with their sessions. Its keys change every six hours (rustls).
    tickets: Arc<dyn ProducesTickets>,
    /// What is doubtful about the certificates, a sentence each.
    pub(crate) warnings: Vec<String>,
}

// === impl Acceptor ===

impl Acceptor {
    /// Reads the certificates and keys; `http2`: whether it is offered. With the one before, its tickets are still
    /// taken.
    ///
    /// # Errors
    /// If a file cannot be used, or a key is another certificate's.
    pub(crate) fn new(settings: &ServerTlsSettings, http2: bool, before: Option<&Self>) -> Result<Self, AcceptorError> {
        let mut warnings = Vec::new();
        let certificates = Certificates::read(&settings.certificates, &mut warnings)?;
        let tickets = match before {
            Some(before) => before.tickets.clone(),
            None => Ticketer::new()?,
        };
        let versions: &[_] = if settings.tls12 { &[&TLS13, &TLS12] } else { &[&TLS13] };
        let mut config = ServerConfig::builder_with_provider(unladen_tls::provider())
            .with_protocol_versions(versions)?
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(certificates));
        config.alpn_protocols = match http2 {
            true => vec![b"h2".to_vec(), b"http/1.1".to_vec()],
            false => vec![b"http/1.1".to_vec()],
        };
        config.ticketer = tickets.clone();
        // Tickets have all of a session: nothing is kept here, whoever comes.
        config.session_storage = Arc::new(NoServerSessionStorage {});
        // What is sent early can be sent again by others (RFC 8446, 8).
        config.max_early_data_size = 0;
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(config)), tickets, warnings })
    }

    /// Takes a connection. The caller bounds the time, and has the socket on this thread's runtime.
    ///
    /// # Errors
    /// If the client breaks off, or speaks something else. A client that can read it has been told by an alert.
    pub(crate) async fn accept(&self, socket: Socket) -> io::Result<Transport> {
        let stream = self.acceptor.accept(socket).await?;
        Ok(Transport::TlsServer(Box::new(stream)))
    }
}

impl std::fmt::Debug for Acceptor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // What it holds is secret, or in the settings.
        f.debug_struct("Acceptor").field("warnings", &self.warnings).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
