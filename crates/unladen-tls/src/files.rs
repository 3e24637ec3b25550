//! Certificates and keys from PEM files: [`authorities`], [`certificates`], [`private_key`].

use std::path::{Path, PathBuf};

use rustls::RootCertStore;
use rustls::pki_types::pem::{Error as PemError, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// A file without the expected content.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be read, is no PEM, or has other content.
    #[error("cannot read {what} from {}: {source}; expected PEM, `-----BEGIN …`", file.display())]
    Pem { file: PathBuf, what: &'static str, source: PemError },
    #[error("a certificate in {} cannot be used as an authority: {source}", file.display())]
    Authority { file: PathBuf, source: rustls::Error },
}

/// The authorities in a file; at least one.
///
/// # Errors
/// If there is none, or one that cannot be an authority.
pub fn authorities(file: &Path) -> Result<RootCertStore, FileError> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(file)? {
        roots.add(certificate).map_err(|source| FileError::Authority { file: file.to_owned(), source })?;
    }
    Ok(roots)
}

/// The certificates in a file; at least one.
///
/// # Errors
/// If there is none.
pub fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, FileError> {
    CertificateDer::pem_file_iter(file)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .and_then(|found| if found.is_empty() { Err(PemError::NoItemsFound) } else { Ok(found) })
        .map_err(|source| FileError::Pem { file: file.to_owned(), what: "certificates", source })
}

/// The first private key in a file.
///
/// # Errors
/// If there is none.
pub fn private_key(file: &Path) -> Result<PrivateKeyDer<'static>, FileError> {
    PrivateKeyDer::from_pem_file(file).map_err(|source| FileError::Pem {
        file: file.to_owned(),
        what: "a private key",
        source,
    })
}

#[cfg(test)]
mod tests;
