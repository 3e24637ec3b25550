//! The principal type is [`Connector`]: verified TLS on a socket, with session resumption.
//!
//! Early data (0-RTT) is never sent: an observer can replay it (RFC 8446, section 8), and it would save little, one
//! round trip of a new connection, for a pool that keeps its connections.

use std::sync::Arc;

use rustls::ClientConfig;
use rustls::client::{Resumption, Tls12Resumption};
use rustls::pki_types::ServerName;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use unladen_tls::{Anyone, Trusted, Verifier};

use crate::settings::{Protocol, TlsSettings};
use crate::socket::Socket;

mod error;
mod sessions;

pub use error::TlsError;
pub use unladen_tls::TlsFault;

/// ALPN names of HTTP/2 and HTTP/1.1 (RFC 7301; RFC 9113, section 3.2).
const H2: &[u8] = b"h2";
const HTTP1: &[u8] = b"http/1.1";

/// Makes TLS connections. Cheap to clone; threads share it and its sessions.
#[derive(Clone)]
pub struct Connector {
    config: Arc<ClientConfig>,
    server_name: Option<ServerName<'static>>,
    http: Protocol,
}

// === impl Connector ===

impl Connector {
    /// Creates it with the trust of these settings, and the ALPN offer of this protocol.
    ///
    /// Reads the files named. The system's authorities are read once for all connectors that are made about the same
    /// time.
    ///
    /// # Errors
    /// A file that cannot be read or has the wrong content, or an invalid server name.
    pub fn new(settings: &TlsSettings, http: Protocol) -> Result<Self, TlsError> {
        let builder = ClientConfig::builder_with_provider(unladen_tls::provider())
            .with_safe_default_protocol_versions()
            .map_err(TlsError::Setup)?;
        let builder = if settings.insecure {
            builder.dangerous().with_custom_certificate_verifier(Arc::new(Verifier(Anyone)))
        } else {
            match &settings.ca {
                Some(file) => {
                    builder.dangerous().with_custom_certificate_verifier(Arc::new(Verifier(Trusted::read(file)?)))
                }
                None => builder.with_root_certificates(unladen_tls::system_authorities()?),
            }
        };
        let mut config = match &settings.certificate {
            Some((chain, key)) => {
                let (certificates, secret) = (unladen_tls::certificates(chain)?, unladen_tls::private_key(key)?);
                builder.with_client_auth_cert(certificates, secret).map_err(|source| TlsError::OwnCertificate {
                    chain: chain.clone(),
                    key: key.clone(),
                    source,
                })?
            }
            None => builder.with_no_client_auth(),
        };
        config.resumption = Resumption::store(Arc::new(sessions::Sessions::default()))
            .tls12_resumption(Tls12Resumption::SessionIdOrTickets);
        config.alpn_protocols = alpn(http);
        let server_name = settings.server_name.as_deref().map(server_name).transpose()?;
        Ok(Self { config: Arc::new(config), server_name, http })
    }

    /// Clone for another protocol, with the same trust, identity and sessions.
    #[must_use]
    pub fn with_protocol(&self, http: Protocol) -> Self {
        let mut config = ClientConfig::clone(&self.config);
        config.alpn_protocols = alpn(http);
        Self { config: Arc::new(config), server_name: self.server_name.clone(), http }
    }

    /// Performs the handshake with the server of this name (its port is ignored), or of the settings' name if they have
    /// one.
    ///
    /// The caller must bound the time. Writes to the stream have to be flushed: it may accept all bytes and send none,
    /// whenever the socket takes nothing for a moment, as it does when a task has used up its share of a turn.
    ///
    /// # Errors
    /// [`TlsError::Handshake`] with the cause; [`TlsError::Name`] for an invalid name.
    ///
    /// With TLS 1.3 a server that requires a client certificate says so only after the handshake: then the first read
    /// fails, and [`TlsFault::of`] recognises it.
    pub async fn connect(&self, name: &str, socket: Socket) -> Result<TlsStream<Socket>, TlsError> {
        let server_name = match &self.server_name {
            Some(name) => name.clone(),
            None => server_name(name)?,
        };
        let stream = TlsConnector::from(self.config.clone())
            .connect(server_name.clone(), socket)
            .await
            .map_err(|source| TlsError::handshake(&server_name, source))?;
        // Without ALPN there is no HTTP/2 (RFC 9113, section 3.3).
        if self.http == Protocol::Http2 && stream.get_ref().1.alpn_protocol() != Some(H2) {
            return Err(TlsError::Handshake { name: server_name.to_str().into_owned(), fault: TlsFault::NoSuchHttp });
        }
        Ok(stream)
    }
}

/// Whether HTTP/2 was negotiated.
pub fn is_h2(stream: &TlsStream<Socket>) -> bool {
    stream.get_ref().1.alpn_protocol() == Some(H2)
}

/// Whether an earlier session was resumed: no certificate was sent or verified, no signature made.
pub fn is_resumed(stream: &TlsStream<Socket>) -> bool {
    stream.get_ref().1.handshake_kind() == Some(rustls::HandshakeKind::Resumed)
}

fn alpn(http: Protocol) -> Vec<Vec<u8>> {
    match http {
        Protocol::Auto => vec![H2.to_vec(), HTTP1.to_vec()],
        Protocol::Http1 => vec![HTTP1.to_vec()],
        Protocol::Http2 => vec![H2.to_vec()],
        // FastCGI has no ALPN name.
        Protocol::FastCgi => Vec::new(),
    }
}

/// Host of an authority, as in a certificate: without port, without the brackets of an IPv6 address, and without a
/// final dot, which is for the resolver alone.
fn server_name(authority: &str) -> Result<ServerName<'static>, TlsError> {
    let host = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => match authority.split_once(':') {
            Some((host, port)) if !port.contains(':') => host,
            _ => authority,
        },
    };
    let host = host.strip_suffix('.').unwrap_or(host);
    ServerName::try_from(host.to_owned()).map_err(|_| TlsError::Name { name: authority.to_owned() })
}

impl std::fmt::Debug for Connector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connector")
            .field("server_name", &self.server_name)
            .field("http", &self.http)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
