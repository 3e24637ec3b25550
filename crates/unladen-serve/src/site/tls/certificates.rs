//! The principal type is [`Certificates`]: finds the certificate for a requested name.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use unladen_acme::{ACME_TLS, Answers, Held};
use unladen_tls::{FileError, certificates, dns_names, private_key};
use x509_parser::parse_x509_certificate;

use crate::site::hosts::Hosts;

/// By lower-case name; the first of several for a name counts.
#[derive(Debug, Default)]
pub(super) struct Certificates {
    exact: HashMap<Box<str>, Source>,
    /// `example.org` for `*.example.org`: one label, and no more (RFC 9525, 6.3).
    wild: HashMap<Box<str>, Source>,
    first: Option<Source>,
    /// Answers to TLS-ALPN challenges, if expected.
    answers: Option<Arc<Answers>>,
    /// For each file, one of its names, and the last second of its validity, since 1970.
    pub(super) files: Vec<(String, u64)>,
}

#[derive(Clone, Debug)]
enum Source {
    /// Replaced by a reload.
    File(Arc<CertifiedKey>),
    /// Changes by itself, and may not be there yet.
    Acme(Arc<Held>),
}

impl Source {
    /// `name`: as asked for, `None` if that is unknown here.
    fn key(&self, name: Option<&str>) -> Option<Arc<CertifiedKey>> {
        match (self, name) {
            (Self::File(key), _) => Some(key.clone()),
            (Self::Acme(held), Some(name)) => held.key_for(name),
            (Self::Acme(held), None) => held.key(),
        }
    }
}

// === impl Certificates ===

impl Certificates {
    pub(super) fn read(pairs: &[(PathBuf, PathBuf)], warnings: &mut Vec<String>) -> Result<Self, AcceptorError> {
        let mut all = Self::default();
        for (certificate, key) in pairs {
            let chain = certificates(certificate)?;
            let (names, not_after) = names(certificate, chain.first(), warnings)?;
            let name = names.first().cloned().unwrap_or_else(|| certificate.display().to_string());
            all.files.push((name, not_after));
            let certified = CertifiedKey::from_der(chain, private_key(key)?, &unladen_tls::provider());
            let certified = certified.map_err(|source| {
                let (certificate, key) = (certificate.clone(), key.clone());
                AcceptorError::Pair { certificate, key, source }
            })?;
            let certified = Source::File(Arc::new(certified));
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

    pub(super) fn add(&mut self, held: &Arc<Held>, answers: &Arc<Answers>) {
        let source = Source::Acme(held.clone());
        for name in held.names() {
            self.exact.entry(name.as_str().into()).or_insert_with(|| source.clone());
        }
        self.first.get_or_insert(source);
        self.answers = Some(answers.clone());
    }

    pub(super) fn has_answers(&self) -> bool {
        self.answers.is_some()
    }

    fn find(&self, name: &str) -> Option<&Source> {
        let wild = || name.split_once('.').and_then(|(_, parent)| self.wild.get(parent));
        self.exact.get(name).or_else(wild)
    }
}

#[derive(Debug)]
pub(super) struct OfSeveral {
    pub(super) hosts: Hosts<Arc<Certificates>>,
    pub(super) all: Vec<Arc<Certificates>>,
}

impl ResolvesServerCert for OfSeveral {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let is_challenge = hello.alpn().is_some_and(|mut offered| offered.next() == Some(ACME_TLS));
        if is_challenge {
            return self.all.iter().find(|certificates| certificates.has_answers())?.resolve(hello);
        }
        let small = hello.server_name().map(str::to_ascii_lowercase);
        let site = small.as_deref().and_then(|name| {
            let named = self.hosts.named(name.as_bytes());
            named.or_else(|| self.all.iter().find(|certificates| certificates.find(name).is_some()))
        });
        // The site for all other names, if there is one.
        let site = site.or(self.hosts.find(b"")).or(self.all.first())?;
        site.resolve(hello)
    }
}

impl ResolvesServerCert for Certificates {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        if let Some(answers) = &self.answers
            && hello.alpn().is_some_and(|mut offered| offered.next() == Some(ACME_TLS) && offered.next().is_none())
        {
            return answers.certificate(hello.server_name()?);
        }
        let small;
        let name = match hello.server_name() {
            Some(name) if name.bytes().any(|byte| byte.is_ascii_uppercase()) => {
                small = name.to_ascii_lowercase();
                Some(small.as_str())
            }
            name => name,
        };
        match name.and_then(|name| Some((self.find(name)?, name))) {
            Some((source, name)) => source.key(Some(name)),
            None => self.first.as_ref()?.key(None),
        }
    }
}

/// Names of a certificate (RFC 9525, 6.1: not the subject's), and its end; adds warnings.
fn names(
    file: &Path,
    certificate: Option<&CertificateDer<'_>>,
    warnings: &mut Vec<String>,
) -> Result<(Vec<String>, u64), AcceptorError> {
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
    let found = dns_names(&parsed).map_err(|error| wrong(error.to_string()))?;
    let names = parsed.subject_alternative_name().map_err(|error| wrong(error.to_string()))?;
    if names.is_none_or(|names| names.value.general_names.is_empty()) {
        warnings.push(format!("the certificate {} has no name (subjectAltName): clients refuse it", file.display()));
    }
    Ok((found, u64::try_from(validity.not_after.timestamp()).unwrap_or(0)))
}

fn now() -> i64 {
    x509_parser::time::ASN1Time::now().timestamp()
}

/// Why certificates cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AcceptorError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("the certificate {} cannot be read: {why}", file.display())]
    Certificate { file: PathBuf, why: String },
    #[error("the key {} does not match the certificate {}: {source}", key.display(), certificate.display())]
    Pair { certificate: PathBuf, key: PathBuf, source: rustls::Error },
    #[error("TLS cannot be set up: {0}")]
    Setup(#[from] rustls::Error),
}
