//! The principal type is [`TlsOptions`]: whom to trust.
//!
//! ```
//! use unladen_load::{Roots, TlsOptions};
//!
//! let own_authority = TlsOptions { roots: Roots::Only("/etc/ssl/internal-ca.pem".into()), ..TlsOptions::default() };
//! assert!(!own_authority.insecure, "certificates are verified unless one says otherwise");
//! ```

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{ClientConfig, Resumption};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, RootCertStore, SignatureScheme};

use crate::config::HttpVersion;
use crate::error::LoadError;

/// How TLS connections are made.
#[derive(Clone, Debug, Default)]
pub struct TlsOptions {
    /// Who may vouch for a server.
    pub roots: Roots,
    /// Accept any certificate. The connection is then as slow as a verified one, but anyone may answer.
    pub insecure: bool,
    /// Resume earlier TLS sessions on new connections, as a returning browser does. Off, each new connection stands
    /// for a new client, as those of `ab` or of a PHP curl handle do.
    pub resume: bool,
}

/// Whose signature makes a certificate good.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Roots {
    /// The authorities that the system trusts (`SSL_CERT_FILE` and `SSL_CERT_DIR` are heeded).
    #[default]
    System,
    /// Those, and the certificates in this PEM file.
    SystemAnd(PathBuf),
    /// The certificates in this PEM file alone, as `curl --cacert`.
    Only(PathBuf),
}

// === impl TlsOptions ===

impl TlsOptions {
    /// The client side of TLS, offering (ALPN, RFC 7301) the versions of HTTP that `http` allows.
    pub(crate) fn client_config(&self, http: HttpVersion) -> Result<Arc<ClientConfig>, LoadError> {
        // Named here, since the process's default provider belongs to the program, not to a library.
        let provider = Arc::new(aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|source| LoadError::TlsSetup { source })?;
        let mut config = if self.insecure {
            builder.dangerous().with_custom_certificate_verifier(Arc::new(Anyone(provider))).with_no_client_auth()
        } else {
            builder.with_root_certificates(self.roots.load()?).with_no_client_auth()
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
}

// === impl Roots ===

impl Roots {
    fn load(&self) -> Result<RootCertStore, LoadError> {
        let mut store = RootCertStore::empty();
        if let Self::System | Self::SystemAnd(_) = self {
            let found = rustls_native_certs::load_native_certs();
            // Systems carry a few certificates that webpki cannot read; the others still count.
            store.add_parsable_certificates(found.certs);
            if store.is_empty() && *self == Self::System {
                return Err(LoadError::NoSystemRoots { source: found.errors.into_iter().next() });
            }
        }
        if let Self::SystemAnd(file) | Self::Only(file) = self {
            add_file(&mut store, file)?;
        }
        Ok(store)
    }
}

fn add_file(store: &mut RootCertStore, file: &Path) -> Result<(), LoadError> {
    let pem = |source| LoadError::RootsFile { file: file.to_owned(), source };
    let mut any = false;
    for certificate in CertificateDer::pem_file_iter(file).map_err(pem)? {
        store
            .add(certificate.map_err(pem)?)
            .map_err(|source| LoadError::RootsCertificate { file: file.to_owned(), source })?;
        any = true;
    }
    if any { Ok(()) } else { Err(pem(rustls::pki_types::pem::Error::NoItemsFound)) }
}

/// Trusts everyone, but still checks that the server holds the key it shows: the same work as an honest handshake.
#[derive(Debug)]
struct Anyone(Arc<CryptoProvider>);

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
