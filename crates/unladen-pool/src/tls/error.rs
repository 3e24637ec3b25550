//! The principal type is [`TlsError`]: why TLS failed, and what to do about it.

use std::io;
use std::path::PathBuf;

use rustls::pki_types::ServerName;
use unladen_tls::{FileError, NoSystemRoots, TlsFault};

/// Why TLS failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("the certificate in {} does not go with the key in {}: {source}; name the key that it was made for", chain.display(), key.display())]
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
        TlsFault::UnknownIssuer => "; name the file of the one that did with `ca`",
        TlsFault::WrongName { .. } => "; set `server_name` to a name it is for, if that is the server you mean",
        TlsFault::NoSuchHttp => "; set `http` to another",
        TlsFault::WantsClientCertificate => "; name yours with `certificate` and `key`",
        _ => "",
    }
}
