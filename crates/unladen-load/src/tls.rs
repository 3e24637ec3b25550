//! The principal type is [`TlsOptions`]: trust, identity and resumption in TLS.
//!
//! ```
//! use unladen_load::{Roots, TlsOptions};
//!
//! let own_authority = TlsOptions { roots: Roots::Only("/etc/ssl/internal-ca.pem".into()), ..TlsOptions::default() };
//! assert!(!own_authority.insecure, "certificates are verified unless one says otherwise");
//! ```

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use rustls::RootCertStore;
use rustls::client::{ClientConfig, Resumption};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde::{Deserialize, Serialize};
use unladen_tls::{Anyone, FileError, Verifier};

use crate::error::LoadError;
use crate::http_version::HttpVersion;

/// How TLS connections are made.
#[derive(Clone, Debug, Default)]
pub struct TlsOptions {
    pub roots: Roots,
    /// Accept any certificate. The connection is as slow as a verified one, but anyone may answer.
    pub insecure: bool,
    /// Resume earlier TLS sessions on new connections, as a returning browser does. Without it each new connection
    /// stands for a new client, as with `ab` or a PHP curl handle.
    pub resume: bool,
    /// For servers that ask for a client certificate.
    pub identity: Option<ClientIdentity>,
    /// Certificates that came from another host with a plan; they replace `roots` and `identity`, which name files
    /// there.
    pub carried: Option<Carried>,
}

/// Certificates that came from another host, in DER; see [`TlsForm`](crate::TlsForm).
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Carried {
    pub(crate) authorities: Vec<Vec<u8>>,
    pub(crate) chain: Vec<Vec<u8>>,
    pub(crate) key: Option<Vec<u8>>,
}

/// A client certificate and its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientIdentity {
    pub certificate: PathBuf,
    /// PEM; `None` if the key is in the certificate's file.
    pub key: Option<PathBuf>,
}

/// Trusted certificate authorities.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Roots {
    /// The system's (`SSL_CERT_FILE` and `SSL_CERT_DIR` are heeded).
    #[default]
    System,
    /// The certificates in this PEM file alone, as `curl --cacert`.
    Only(PathBuf),
}

impl TlsOptions {
    /// TLS client configuration, with the HTTP versions that `http` allows as ALPN (RFC 7301).
    pub(crate) fn client_config(&self, http: HttpVersion) -> Result<Arc<ClientConfig>, LoadError> {
        let builder = ClientConfig::builder_with_provider(unladen_tls::provider())
            .with_safe_default_protocol_versions()
            .map_err(|source| LoadError::TlsSetup { source })?;
        let builder = if self.insecure {
            builder.dangerous().with_custom_certificate_verifier(Arc::new(Verifier(Anyone)))
        } else {
            builder.with_root_certificates(self.authorities()?)
        };
        let carried = match &self.carried {
            Some(carried) => carried.key()?.map(|key| (certificates(&carried.chain).collect(), key)),
            None => None,
        };
        let mut config = match (&self.identity, carried) {
            (_, Some((chain, key))) => {
                let config = builder.with_client_auth_cert(chain, key);
                let refused = |source: rustls::Error| LoadError::IdentityFile { problem: source.to_string() };
                config.map_err(refused)?
            }
            (None, None) => builder.with_no_client_auth(),
            (Some(identity), None) => {
                let key = identity.key.as_deref().unwrap_or(&identity.certificate);
                let refused = |error: FileError| LoadError::IdentityFile { problem: error.to_string() };
                let chain = unladen_tls::certificates(&identity.certificate).map_err(refused)?;
                let private = unladen_tls::private_key(key).map_err(refused)?;
                builder.with_client_auth_cert(chain, private).map_err(|source| LoadError::Identity {
                    certificate: identity.certificate.clone(),
                    key: key.to_owned(),
                    source,
                })?
            }
        };
        if !self.resume {
            config.resumption = Resumption::disabled();
        }
        config.alpn_protocols = match http {
            HttpVersion::Auto => vec![b"h2".to_vec(), b"http/1.1".to_vec()],
            HttpVersion::Http1 => vec![b"http/1.1".to_vec()],
            HttpVersion::Http2 => vec![b"h2".to_vec()],
        };
        Ok(Arc::new(config))
    }

    fn authorities(&self) -> Result<Arc<RootCertStore>, LoadError> {
        let Some(carried) = &self.carried else { return self.roots.load() };
        let mut roots = RootCertStore::empty();
        // As with the system's: a few unreadable ones do not spoil the others.
        roots.add_parsable_certificates(certificates(&carried.authorities));
        if roots.is_empty() && !carried.authorities.is_empty() {
            return Err(LoadError::NoSystemRoots { source: None });
        }
        Ok(Arc::new(roots))
    }
}

// === impl Carried ===

impl Carried {
    pub(crate) fn key(&self) -> Result<Option<PrivateKeyDer<'static>>, LoadError> {
        let key = self.key.clone().map(PrivateKeyDer::try_from).transpose();
        key.map_err(|problem| LoadError::IdentityFile { problem: problem.to_owned() })
    }
}

impl fmt::Debug for Carried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Carried").field("authorities", &self.authorities.len()).finish_non_exhaustive()
    }
}

fn certificates(all: &[Vec<u8>]) -> impl Iterator<Item = CertificateDer<'static>> {
    all.iter().cloned().map(CertificateDer::from)
}

impl Roots {
    fn load(&self) -> Result<Arc<RootCertStore>, LoadError> {
        match self {
            Self::System => {
                unladen_tls::system_authorities().map_err(|none| LoadError::NoSystemRoots { source: none.source })
            }
            Self::Only(file) => Ok(Arc::new(unladen_tls::authorities(file)?)),
        }
    }
}

impl From<FileError> for LoadError {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Authority { file, source } => Self::RootsCertificate { file, source },
            FileError::Pem { file, source, .. } => Self::RootsFile { file, source },
        }
    }
}
