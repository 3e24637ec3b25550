//! The principal type is [`TlsError`]: why there is no TLS, and what to do about it.

use std::io;
use std::path::PathBuf;

use rustls::pki_types::ServerName;
use rustls::pki_types::pem::Error as PemError;

use super::fault::TlsFault;

/// Why there is no TLS.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// A file that does not hold what it should.
    #[error("no {what} in {}: {source}; it should hold one in PEM form (-----BEGIN …)", file.display())]
    Pem {
        /// Which file.
        file: PathBuf,
        /// What it should hold.
        what: &'static str,
        /// What was found.
        source: PemError,
    },
    /// A file's certificate is no authority.
    #[error("a certificate in {} cannot be trusted as an authority: {source}; name the certificate that signed the upstream's", file.display())]
    Authority {
        /// Which file.
        file: PathBuf,
        /// What is wrong with it.
        source: rustls::Error,
    },
    /// The own certificate cannot be used.
    #[error("the certificate in {} does not go with the key in {}: {source}; name the key that it was made for", chain.display(), key.display())]
    OwnCertificate {
        /// The certificate's file.
        chain: PathBuf,
        /// The key's file.
        key: PathBuf,
        /// What is wrong with them.
        source: rustls::Error,
    },
    /// The system trusts nobody.
    #[error(
        "the system trusts no authority: install its certificates (on Debian: ca-certificates), or name a file with `ca`"
    )]
    NoSystemRoots {
        /// What went wrong while they were read, if anything.
        source: Option<rustls_native_certs::Error>,
    },
    /// TLS cannot be made at all.
    #[error("TLS cannot be set up: {0}")]
    Setup(rustls::Error),
    /// Not a name that a certificate could be for.
    #[error(
        "`{name}` is neither a host's name nor an address: set `server_name` to the name in the upstream's certificate"
    )]
    Name {
        /// What was given.
        name: String,
    },
    /// No hands were shaken.
    #[error("no TLS with {name}: {fault}")]
    Handshake {
        /// The name that was asked for.
        name: String,
        /// What was wrong.
        fault: TlsFault,
    },
}

// === impl TlsError ===

impl TlsError {
    pub(super) fn handshake(name: &ServerName<'_>, source: io::Error) -> Self {
        Self::Handshake { name: name.to_str().into_owned(), fault: TlsFault::of(&source) }
    }
}
