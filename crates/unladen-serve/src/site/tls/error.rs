//! The principal type is [`AcceptorError`]: why certificates cannot be used.

use std::path::PathBuf;

use unladen_tls::FileError;

#[derive(Debug, thiserror::Error)]
pub(crate) enum AcceptorError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("the certificate {} cannot be read: {why}", file.display())]
    Certificate { file: PathBuf, why: String },
    #[error("the key {} is not that of the certificate {}: {source}", key.display(), certificate.display())]
    Pair { certificate: PathBuf, key: PathBuf, source: rustls::Error },
    #[error("TLS cannot be set up: {0}")]
    Setup(#[from] rustls::Error),
}
