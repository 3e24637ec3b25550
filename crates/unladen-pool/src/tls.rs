//! The principal type is [`Connector`]: verified TLS on a socket, with session resumption.
//!
//! Early data (0-RTT) is never sent: an observer can replay it (RFC 8446, section 8), and it would save little, one
//! round trip of a new connection, for a pool that keeps its connections.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustls::client::{
    ClientSessionStore, Resumption, Tls12ClientSessionValue, Tls12Resumption, Tls13ClientSessionValue,
};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, NamedGroup};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use unladen_tls::{Anyone, FileError, NoSystemRoots, Trusted, Verifier};

use crate::settings::{Protocol, TlsSettings};
use crate::socket::Socket;
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
        config.resumption =
            Resumption::store(Arc::new(Sessions::default())).tls12_resumption(Tls12Resumption::SessionIdOrTickets);
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

/// Why TLS failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("the certificate in {} does not match the key in {}: {source}; name the key that belongs to it", chain.display(), key.display())]
    OwnCertificate { chain: PathBuf, key: PathBuf, source: rustls::Error },
    #[error("{0}, or name a file with `ca`")]
    NoSystemRoots(#[from] NoSystemRoots),
    #[error("TLS cannot be set up: {0}")]
    Setup(rustls::Error),
    /// Not a name that a certificate could be for.
    #[error(
        "`{name}` is neither a host's name nor an address: set `server_name` to the name in the upstream's certificate"
    )]
    Name { name: String },
    #[error("no TLS with {name}: {fault}{}", advice(fault))]
    Handshake { name: String, fault: TlsFault },
}

impl TlsError {
    pub(super) fn handshake(name: &ServerName<'_>, source: io::Error) -> Self {
        Self::Handshake { name: name.to_str().into_owned(), fault: TlsFault::of(&source) }
    }
}

fn advice(fault: &TlsFault) -> &'static str {
    match fault {
        TlsFault::UnknownIssuer => "; set `ca` to the file of the authority that did",
        TlsFault::WrongName { .. } => "; set `server_name` to one of its names, if that is the right server",
        TlsFault::NoSuchHttp => "; set `http` to another version",
        TlsFault::WantsClientCertificate => "; name yours with `certificate` and `key`",
        _ => "",
    }
}

/// Maximum of names; an upstream has one for each origin.
const MAX_NAMES: usize = 64;
/// Tickets kept for each name. A server sends one or two with each connection; each takes about a kilobyte, and more
/// with long certificate chains.
const MAX_TICKETS: usize = 128;

/// State to resume earlier TLS sessions.
///
/// A TLS 1.3 ticket is used once (RFC 8446, appendix C.4), so only as many simultaneous connections resume as there are
/// tickets. rustls's own store keeps eight for each server, Envoy's one; a pool that opens a hundred connections at
/// once needs more.
#[derive(Debug, Default)]
pub(crate) struct Sessions(Mutex<HashMap<ServerName<'static>, Session>>);

#[derive(Debug, Default)]
struct Session {
    group: Option<NamedGroup>,
    tls12: Option<Tls12ClientSessionValue>,
    tls13: VecDeque<Tls13ClientSessionValue>,
}

// === impl Sessions ===

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, HashMap<ServerName<'static>, Session>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn edit(&self, name: ServerName<'static>, edit: impl FnOnce(&mut Session)) {
        let mut names = self.lock();
        if names.len() >= MAX_NAMES && !names.contains_key(&name) {
            // More names than an upstream has: the dropped one costs one full handshake.
            let Some(any) = names.keys().next().cloned() else { return };
            names.remove(&any);
        }
        edit(names.entry(name).or_default());
    }
}

impl ClientSessionStore for Sessions {
    fn set_kx_hint(&self, name: ServerName<'static>, group: NamedGroup) {
        self.edit(name, |session| session.group = Some(group));
    }

    fn kx_hint(&self, name: &ServerName<'_>) -> Option<NamedGroup> {
        self.lock().get(name)?.group
    }

    fn set_tls12_session(&self, name: ServerName<'static>, value: Tls12ClientSessionValue) {
        self.edit(name, |session| session.tls12 = Some(value));
    }

    fn tls12_session(&self, name: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        self.lock().get(name)?.tls12.clone()
    }

    fn remove_tls12_session(&self, name: &ServerName<'static>) {
        if let Some(session) = self.lock().get_mut(name) {
            session.tls12 = None;
        }
    }

    fn insert_tls13_ticket(&self, name: ServerName<'static>, value: Tls13ClientSessionValue) {
        self.edit(name, |session| {
            if session.tls13.len() >= MAX_TICKETS {
                session.tls13.pop_front();
            }
            session.tls13.push_back(value);
        });
    }

    fn take_tls13_ticket(&self, name: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        // The newest: it lives longest.
        self.lock().get_mut(name)?.tls13.pop_back()
    }
}

#[cfg(test)]
mod tests;
