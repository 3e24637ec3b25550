//! The principal type is [`Acceptor`]: accepts TLS connections for a site.

pub(crate) mod acme;
mod certificates;

use std::io;
use std::pin::Pin;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs::Ticketer;
use rustls::server::{NoServerSessionStorage, ProducesTickets, ResolvesServerCert};
use rustls::version::{TLS12, TLS13};
use tokio::io::AsyncWrite;
use tokio_rustls::TlsAcceptor;
use unladen_acme::{ACME_TLS, Answers, Held};
use unladen_pool::{Socket, Transport};
use unladen_serve_config::{ServerTlsSettings, SiteSettings};

use self::certificates::{Certificates, OfSeveral};
use super::hosts::Hosts;

pub(crate) use self::certificates::AcceptorError;

pub(crate) struct Acceptor {
    acceptor: TlsAcceptor,
    /// Kept over a reload, so that clients can resume sessions. Keys rotate every six hours (rustls).
    tickets: Arc<dyn ProducesTickets>,
    certificates: Arc<Certificates>,
    options: Options,
    /// Doubts about the certificates, a sentence each.
    pub(crate) warnings: Vec<String>,
}

// === impl Acceptor ===

impl Acceptor {
    /// Reads the certificates and keys. `http2`: whether it is offered; `acme`: an authority's certificate, and its
    /// challenge answers. Tickets of `before` stay valid.
    pub(crate) fn new(
        settings: &ServerTlsSettings,
        http2: bool,
        acme: Option<(&Arc<Held>, &Arc<Answers>)>,
        before: Option<&Self>,
    ) -> Result<Self, AcceptorError> {
        let mut warnings = Vec::new();
        let mut certificates = Certificates::read(&settings.certificates, &mut warnings)?;
        if let Some((held, answers)) = acme {
            certificates.add(held, answers);
        }
        let tickets = match before {
            Some(before) => before.tickets.clone(),
            None => Ticketer::new()?,
        };
        let certificates = Arc::new(certificates);
        let options = Options { tls12: settings.tls12, http2, has_answers: certificates.has_answers() };
        let acceptor = acceptor(certificates.clone(), options, &tickets)?;
        Ok(Self { acceptor, tickets, certificates, options, warnings })
    }

    /// For several sites at an address: the named one (SNI) shows its certificate, or the first if none is named. The
    /// first one's versions and protocols hold for all.
    pub(crate) fn of_several(first: &Self, sites: &[(&SiteSettings, Arc<Self>)]) -> Result<Self, AcceptorError> {
        let of_each = || sites.iter().map(|(settings, site)| (*settings, site.certificates.clone()));
        let several =
            OfSeveral { hosts: Hosts::new(of_each()), all: of_each().map(|(_, certificates)| certificates).collect() };
        let has_answers = sites.iter().any(|(_, site)| site.options.has_answers);
        let options = Options { has_answers, ..first.options };
        let (tickets, certificates) = (first.tickets.clone(), first.certificates.clone());
        let acceptor = acceptor(Arc::new(several), options, &tickets)?;
        Ok(Self { acceptor, tickets, certificates, options, warnings: Vec::new() })
    }

    /// For each certificate from a file, one of its names, and the last second of its validity, since 1970.
    pub(crate) fn files(&self) -> &[(String, u64)] {
        &self.certificates.files
    }

    /// Accepts a connection. The caller bounds the time, and has the socket on this thread's runtime.
    ///
    /// # Errors
    /// If the client breaks off, or speaks something else. It is told by an alert if it can read that.
    pub(crate) async fn accept(&self, socket: Socket) -> io::Result<Transport> {
        let mut stream = self.acceptor.accept(socket).await?;
        if stream.get_ref().1.alpn_protocol() == Some(ACME_TLS) {
            // An authority has seen what it came for (RFC 8737, section 3).
            let _ = std::future::poll_fn(|cx| Pin::new(&mut stream).poll_shutdown(cx)).await;
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        Ok(Transport::TlsServer(Box::new(stream)))
    }
}

#[derive(Clone, Copy, Debug)]
struct Options {
    tls12: bool,
    http2: bool,
    /// Whether TLS-ALPN challenges are answered.
    has_answers: bool,
}

fn acceptor(
    certificates: Arc<dyn ResolvesServerCert>,
    Options { tls12, http2, has_answers }: Options,
    tickets: &Arc<dyn ProducesTickets>,
) -> Result<TlsAcceptor, AcceptorError> {
    let versions: &[_] = if tls12 { &[&TLS13, &TLS12] } else { &[&TLS13] };
    let mut config = ServerConfig::builder_with_provider(unladen_tls::provider())
        .with_protocol_versions(versions)?
        .with_no_client_auth()
        .with_cert_resolver(certificates);
    config.alpn_protocols = match http2 {
        true => vec![b"h2".to_vec(), b"http/1.1".to_vec()],
        false => vec![b"http/1.1".to_vec()],
    };
    if has_answers {
        config.alpn_protocols.push(ACME_TLS.to_vec());
    }
    config.ticketer = tickets.clone();
    // Tickets hold the whole session: nothing is kept here, whoever comes.
    config.session_storage = Arc::new(NoServerSessionStorage {});
    // Early data can be replayed by others (RFC 8446, 8).
    config.max_early_data_size = 0;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

impl std::fmt::Debug for Acceptor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The rest is secret, or in the settings.
        f.debug_struct("Acceptor").field("warnings", &self.warnings).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
