//! The principal type is [`Issued`]: a certificate with its key.

use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use unladen_tls::dns_names;
use x509_parser::extensions::ParsedExtension;
use x509_parser::parse_x509_certificate;

use crate::schedule::Lifetime;

/// Clocks differ: a new certificate may begin this many seconds in the future. More is reported.
const SKEW: u64 = 300;
const LONGEST_CHAIN: usize = 16;

/// A certificate with its key.
#[derive(Clone)]
pub struct Issued {
    pub(crate) key: Arc<CertifiedKey>,
    pub(crate) names: Vec<String>,
    pub(crate) lifetime: Lifetime,
    /// By RFC 9773, section 4.1; `None` if the certificate does not name its authority's key.
    pub(crate) id: Option<(String, String)>,
}

/// Why a certificate is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IssuedError {
    /// It is not PEM, or lacks a part.
    #[error("it contains no {0} (PEM)")]
    Missing(&'static str),
    #[error("its certificate cannot be read: {0}")]
    Malformed(String),
    #[error("its key does not match its certificate: {0}")]
    Key(String),
    /// It does not cover a name that it was ordered for.
    #[error("it is not for `{0}`")]
    Name(String),
    #[error("it has expired")]
    Expired,
}

// === impl Issued ===

impl Issued {
    /// Parses key and chain from one PEM text: the key may come first or last.
    ///
    /// # Errors
    /// If the chain cannot be read, or the key is not the first certificate's.
    pub fn parse(pem: &[u8]) -> Result<Self, IssuedError> {
        let key = PrivateKeyDer::from_pem_slice(pem).map_err(|_| IssuedError::Missing("private key"))?;
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(pem)
            .take(LONGEST_CHAIN)
            .collect::<Result<_, _>>()
            .map_err(|error| IssuedError::Malformed(error.to_string()))?;
        let first = chain.first().ok_or(IssuedError::Missing("certificate"))?.clone();
        for certificate in &chain {
            parse_x509_certificate(certificate).map_err(|error| IssuedError::Malformed(error.to_string()))?;
        }
        let (names, lifetime, id) = read(&first)?;
        let key = CertifiedKey::from_der(chain, key, &unladen_tls::provider())
            .map_err(|error| IssuedError::Key(error.to_string()))?;
        Ok(Self { key: Arc::new(key), names, lifetime, id })
    }

    /// Checks whether clients may get it for all these names at this time. A begin in the future is accepted: the
    /// authority's clock is right, and a discarded certificate counts towards its limits.
    ///
    /// # Errors
    /// The reason why not.
    pub(crate) fn prove(&self, names: &[String], now: u64) -> Result<(), IssuedError> {
        if let Some(missing) = names.iter().find(|name| !self.is_for(name)) {
            return Err(IssuedError::Name(missing.clone()));
        }
        if self.lifetime.not_after <= now.max(self.lifetime.not_before) {
            return Err(IssuedError::Expired);
        }
        Ok(())
    }

    /// Whether this machine's clock must be slow, since the certificate already exists.
    pub(crate) fn is_ahead(&self, now: u64) -> bool {
        self.lifetime.not_before > now + SKEW
    }

    /// Whether it covers this name; `*.example.org` covers exactly one label more (RFC 9525, section 6.3).
    pub(crate) fn is_for(&self, name: &str) -> bool {
        self.names.iter().any(|own| match own.strip_prefix("*.") {
            Some(parent) => name.split_once('.').is_some_and(|(_, rest)| rest == parent),
            None => own == name,
        })
    }

    /// The chain and its key, as rustls shows them to clients.
    pub fn key(&self) -> &Arc<CertifiedKey> {
        &self.key
    }

    /// The names that it covers, in small letters.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The last second of validity, since 1970.
    pub fn not_after(&self) -> u64 {
        self.lifetime.not_after
    }

    /// A number of its own, which spreads renewals.
    pub(crate) fn number(&self) -> u64 {
        let bytes = self.key.cert.first().map_or(&[][..], |certificate| certificate.as_ref());
        // The end of the signature is as good as random.
        bytes.iter().rev().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
    }
}

impl PartialEq for Issued {
    fn eq(&self, other: &Self) -> bool {
        self.key.cert == other.key.cert
    }
}

impl std::fmt::Debug for Issued {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Issued").field("names", &self.names).field("lifetime", &self.lifetime).finish_non_exhaustive()
    }
}

type Read = (Vec<String>, Lifetime, Option<(String, String)>);

fn read(der: &CertificateDer<'_>) -> Result<Read, IssuedError> {
    let wrong = |error: &dyn std::fmt::Display| IssuedError::Malformed(error.to_string());
    let (_, parsed) = parse_x509_certificate(der).map_err(|error| wrong(&error))?;
    let names = dns_names(&parsed).map_err(|error| wrong(&error))?;
    let seconds = |time: i64| u64::try_from(time).unwrap_or(0);
    let validity = parsed.validity();
    let lifetime = Lifetime {
        not_before: seconds(validity.not_before.timestamp()),
        not_after: seconds(validity.not_after.timestamp()),
    };
    let authority = parsed.iter_extensions().find_map(|extension| match extension.parsed_extension() {
        ParsedExtension::AuthorityKeyIdentifier(found) => found.key_identifier.as_ref().map(|id| id.0),
        _ => None,
    });
    let id = authority.map(|key| {
        let serial = parsed.tbs_certificate.raw_serial();
        (BASE64_URL_SAFE_NO_PAD.encode(key), BASE64_URL_SAFE_NO_PAD.encode(serial))
    });
    Ok((names, lifetime, id))
}

#[cfg(test)]
mod tests;
