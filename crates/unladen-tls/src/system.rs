//! The system's authorities: [`system_authorities`], [`system_certificates`].

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;

/// Callers within this time share the authorities (some 150 certificates); later ones, as after a reload, read them
/// anew.
const SHARED_FOR: Duration = Duration::from_secs(60);

/// The system has no authorities.
#[derive(Debug, thiserror::Error)]
#[error("this system has no certificate authorities: install ca-certificates")]
pub struct NoSystemRoots {
    /// The first error, if any.
    pub source: Option<rustls_native_certs::Error>,
}

/// The system's authorities (`SSL_CERT_FILE` and `SSL_CERT_DIR` are heeded).
///
/// # Errors
/// If there are none.
pub fn system_authorities() -> Result<Arc<RootCertStore>, NoSystemRoots> {
    static LAST: Mutex<Option<(Instant, Arc<RootCertStore>)>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((at, roots)) = &*last
        && at.elapsed() < SHARED_FOR
    {
        return Ok(roots.clone());
    }
    let (roots, _) = loaded()?;
    let roots = Arc::new(roots);
    *last = Some((Instant::now(), roots.clone()));
    Ok(roots)
}

/// The certificates of the system's authorities, as they stand in its files, as far as they can be read.
///
/// # Errors
/// If there are none.
pub fn system_certificates() -> Result<Vec<CertificateDer<'static>>, NoSystemRoots> {
    loaded().map(|(_, certificates)| certificates)
}

fn loaded() -> Result<(RootCertStore, Vec<CertificateDer<'static>>), NoSystemRoots> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    let mut certificates = found.certs;
    // Systems have a few certificates that webpki cannot read; the others still count.
    certificates.retain(|certificate| roots.add(certificate.clone()).is_ok());
    if roots.is_empty() {
        return Err(NoSystemRoots { source: found.errors.into_iter().next() });
    }
    Ok((roots, certificates))
}

#[cfg(test)]
mod tests;
