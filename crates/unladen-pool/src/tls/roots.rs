//! Certificates from files: the authorities to trust, and the own one.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustls::RootCertStore;
use rustls::pki_types::pem::{Error as PemError, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::error::TlsError;

/// Connectors made within this time of each other share the system's authorities (some 150 certificates); one made later, as by a
/// reload, sees those of its own day.
const SHARED_FOR: Duration = Duration::from_secs(60);

/// The authorities that the system trusts (`SSL_CERT_FILE` and `SSL_CERT_DIR` are heeded).
pub(super) fn of_system() -> Result<Arc<RootCertStore>, TlsError> {
    static LAST: Mutex<Option<(Instant, Arc<RootCertStore>)>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((at, roots)) = &*last
        && at.elapsed() < SHARED_FOR
    {
        return Ok(roots.clone());
    }
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    // Systems carry a few certificates that webpki cannot read; the others still count.
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        return Err(TlsError::NoSystemRoots { source: found.errors.into_iter().next() });
    }
    let roots = Arc::new(roots);
    *last = Some((Instant::now(), roots.clone()));
    Ok(roots)
}

/// Those in a PEM file alone.
pub(super) fn of_file(file: &Path) -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(file)? {
        roots.add(certificate).map_err(|source| TlsError::Authority { file: file.to_owned(), source })?;
    }
    Ok(roots)
}

/// The own chain and its key.
pub(super) fn own_certificate(
    chain: &Path,
    key: &Path,
) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), TlsError> {
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|source| pem(key, "private key", source))?;
    Ok((certificates(chain)?, secret))
}

fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let found = CertificateDer::pem_file_iter(file)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|source| pem(file, "certificate", source))?;
    if found.is_empty() { Err(pem(file, "certificate", PemError::NoItemsFound)) } else { Ok(found) }
}

fn pem(file: &Path, what: &'static str, source: PemError) -> TlsError {
    TlsError::Pem { file: file.to_owned(), what, source }
}
