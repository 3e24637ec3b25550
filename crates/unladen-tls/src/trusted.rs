//! The principal type is [`Trusted`]: trusts a file's certificates.

use std::net::IpAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustls::client::danger::ServerCertVerifier;
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, Error, RootCertStore};
use x509_parser::certificate::X509Certificate;
use x509_parser::error::X509Error;
use x509_parser::extensions::GeneralName;
use x509_parser::parse_x509_certificate;
use x509_parser::x509::X509Version;

use crate::files::{FileError, certificates};
use crate::provider;
use crate::verifier::{Judge, Shown, Verifier};

/// Trusts a file's certificates: what their authorities have signed, for its names; and each of them itself.
///
/// A server that shows one of the file's own certificates, byte for byte, is accepted: whoever holds its key is meant.
/// Its names are not checked, since it was itself named; its dates are. A certificate that is no authority's cannot
/// sign.
#[derive(Debug)]
pub struct Trusted {
    own: Vec<Own>,
    /// Whether the server's name must match the file's own certificates, too.
    by_name: bool,
    /// `None` if the file has no authority.
    authorities: Option<Arc<WebPkiServerVerifier>>,
}

/// What clients connect with: servers are verified by a file's certificates, or by the system's authorities.
///
/// # Errors
/// The file cannot be used, or the system has no authority.
pub fn client_config(ca: Option<&Path>) -> Result<ClientConfig, String> {
    let builder = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let builder = match ca {
        Some(file) => {
            let trusted = Trusted::read(file).map_err(|error| error.to_string())?;
            builder.dangerous().with_custom_certificate_verifier(Arc::new(Verifier(trusted)))
        }
        None => builder.with_root_certificates(system_authorities().map_err(|error| error.to_string())?),
    };
    Ok(builder.with_no_client_auth())
}

#[derive(Debug)]
struct Own {
    certificate: CertificateDer<'static>,
    not_before: u64,
    not_after: u64,
}

// === impl Trusted ===

impl Trusted {
    /// Reads a file's certificates; at least one.
    ///
    /// # Errors
    /// If there is none, or one that cannot be read.
    pub fn read(file: &Path) -> Result<Self, FileError> {
        let unusable = |source| FileError::Authority { file: file.to_owned(), source };
        let mut own = Vec::new();
        let mut roots = RootCertStore::empty();
        for certificate in certificates(file)? {
            let Ok((_, parsed)) = parse_x509_certificate(&certificate) else {
                // The verifier itself says best what is wrong.
                roots.add(certificate).map_err(unusable)?;
                continue;
            };
            let validity = parsed.validity();
            let seconds = |time: i64| u64::try_from(time).unwrap_or(0);
            let (not_before, not_after) =
                (seconds(validity.not_before.timestamp()), seconds(validity.not_after.timestamp()));
            let is_authority = is_authority(&parsed);
            own.push(Own { certificate: certificate.clone(), not_before, not_after });
            if is_authority {
                roots.add(certificate).map_err(unusable)?;
            }
        }
        let authorities = if roots.is_empty() {
            None
        } else {
            let builder = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider());
            Some(builder.build().map_err(|error| unusable(Error::General(error.to_string())))?)
        };
        Ok(Self { own, by_name: false, authorities })
    }

    /// Requires the server's name even of the file's own certificates: libpq's `verify-full`.
    #[must_use]
    pub fn by_name(self) -> Self {
        Self { by_name: true, ..self }
    }
}

/// Whether it may sign others: it says so, or its version cannot say.
fn is_authority(certificate: &X509Certificate<'_>) -> bool {
    certificate.version() != X509Version::V3
        || matches!(certificate.basic_constraints(), Ok(Some(constraints)) if constraints.value.ca)
}

impl Judge for Trusted {
    fn judge(&self, shown: &Shown<'_>) -> Result<(), Error> {
        let &Shown { certificate, intermediates, name, ocsp, now } = shown;
        let Some(own) = self.own.iter().find(|own| *own.certificate == **certificate) else {
            let authorities = self.authorities.as_ref().ok_or(CertificateError::UnknownIssuer)?;
            return authorities.verify_server_cert(certificate, intermediates, name, ocsp, now).map(drop);
        };
        let (time, at) = (now, |seconds| UnixTime::since_unix_epoch(Duration::from_secs(seconds)));
        if now.as_secs() > own.not_after {
            return Err(CertificateError::ExpiredContext { time, not_after: at(own.not_after) }.into());
        }
        if now.as_secs() < own.not_before {
            return Err(CertificateError::NotValidYetContext { time, not_before: at(own.not_before) }.into());
        }
        if self.by_name {
            verify_server_name(&ParsedCertificate::try_from(certificate)?, name)?;
        }
        Ok(())
    }
}

/// Whether a URL's host, in brackets or not, is this machine by name or address, so that nobody can listen in on the way.
pub fn is_near(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse();
    host == "localhost" || address.is_ok_and(|address: IpAddr| address.is_loopback())
}

/// The host names of a certificate, in small letters (`subjectAltName`; RFC 9525, section 6.3).
///
/// A certificate's names may have any bytes. Those that no client can ask for are left out: names are shown, and so
/// would be a line end or a terminal's control codes.
///
/// # Errors
/// If the extension is malformed, or there twice.
pub fn dns_names(certificate: &X509Certificate<'_>) -> Result<Vec<String>, X509Error> {
    let alternative = certificate.subject_alternative_name()?;
    let names = alternative.iter().flat_map(|names| &names.value.general_names);
    let names = names.filter_map(|name| match name {
        GeneralName::DNSName(name) if may_be_asked_for(name) => Some(name.to_ascii_lowercase()),
        _ => None,
    });
    Ok(names.collect())
}

fn may_be_asked_for(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._*".contains(&byte))
}

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
