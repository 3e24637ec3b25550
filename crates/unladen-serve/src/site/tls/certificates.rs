//! The principal type is [`Certificates`]: finds the one that is for the name which a client asks for.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use unladen_tls::{certificates, private_key};
use x509_parser::extensions::GeneralName;
use x509_parser::parse_x509_certificate;

use super::error::AcceptorError;

/// Certificates by their names, in small letters. Of two for the same name the first is taken.
#[derive(Debug)]
pub(super) struct Certificates {
    exact: HashMap<Box<str>, Arc<CertifiedKey>>,
    /// `example.org` for `*.example.org`: one label, and no more (RFC 9525, 6.3).
    wild: HashMap<Box<str>, Arc<CertifiedKey>>,
    first: Option<Arc<CertifiedKey>>,
}

// === impl Certificates ===

impl Certificates {
    /// Reads chains and their keys.
    ///
    /// # Errors
    /// The first that cannot be used.
    pub(super) fn read(pairs: &[(PathBuf, PathBuf)], warnings: &mut Vec<String>) -> Result<Self, AcceptorError> {
        let mut all = Self { exact: HashMap::new(), wild: HashMap::new(), first: None };
        for (certificate, key) in pairs {
            let chain = certificates(certificate)?;
            let names = names(certificate, chain.first(), warnings)?;
            let certified = CertifiedKey::from_der(chain, private_key(key)?, &unladen_tls::provider());
            let certified = Arc::new(certified.map_err(|source| {
                let (certificate, key) = (certificate.clone(), key.clone());
                AcceptorError::Pair { certificate, key, source }
            })?);
            for name in names {
                match name.strip_prefix("*.") {
                    Some(parent) => all.wild.entry(parent.into()).or_insert_with(|| certified.clone()),
                    None => all.exact.entry(name.into()).or_insert_with(|| certified.clone()),
                };
            }
            all.first.get_or_insert(certified);
        }
        Ok(all)
    }

    fn find(&self, name: &str) -> Option<&Arc<CertifiedKey>> {
        let wild = || name.split_once('.').and_then(|(_, parent)| self.wild.get(parent));
        self.exact.get(name).or_else(wild)
    }
}

impl ResolvesServerCert for Certificates {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let found = hello.server_name().and_then(|name| match name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            true => self.find(&name.to_ascii_lowercase()),
            false => self.find(name),
        });
        found.or(self.first.as_ref()).cloned()
    }
}

/// The names that a certificate is for (RFC 9525, 6.1: the subject's is none of them), and what is doubtful about it.
fn names(
    file: &Path,
    certificate: Option<&CertificateDer<'_>>,
    warnings: &mut Vec<String>,
) -> Result<Vec<String>, AcceptorError> {
    let wrong = |why: String| AcceptorError::Certificate { file: file.to_owned(), why };
    let der = certificate.ok_or_else(|| wrong("there is none".into()))?;
    let (_, parsed) = parse_x509_certificate(der).map_err(|error| wrong(error.to_string()))?;
    let validity = parsed.validity();
    if !validity.is_valid() {
        let (when, date) = match validity.time_to_expiration() {
            None if validity.not_before.timestamp() > now() => ("is not valid before", validity.not_before),
            _ => ("has expired", validity.not_after),
        };
        warnings.push(format!("the certificate {} {when}: {date}; clients refuse it", file.display()));
    }
    let names = parsed.subject_alternative_name().map_err(|error| wrong(error.to_string()))?;
    let mut found = Vec::new();
    for name in names.iter().flat_map(|names| &names.value.general_names) {
        if let GeneralName::DNSName(name) = name {
            found.push(name.to_ascii_lowercase());
        }
    }
    if names.is_none_or(|names| names.value.general_names.is_empty()) {
        warnings.push(format!("the certificate {} is for no name (subjectAltName): clients refuse it", file.display()));
    }
    Ok(found)
}

/// Seconds since 1970.
fn now() -> i64 {
    x509_parser::time::ASN1Time::now().timestamp()
}
